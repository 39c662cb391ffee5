/** Paths of requests: the records that they name, and the values of their parameters. */
import type { RecordValue } from "../../expressions/value.ts";
import { mayCreate } from "../../model/endpoints/does.ts";
import type { Endpoint, Model, Resource } from "../../model/model.ts";
import type { Caller } from "../stories/callers.ts";
import { parameterValue } from "./parameter-values.ts";
import { bindingOfReferred, boundValue, type PathBinding, pathBindings } from "./path-bindings.ts";
import { referredRecord, resourceNamed, seenBy } from "./record-keys.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { Template } from "../stories/story.ts";
import { ofOneKind, valueSource } from "./value-source.ts";
import { validValue } from "./values.ts";

/** How often the path names a record that the caller can see, in percent. */
const ownPercent = 70;
/** How often the path names a record that a stream of the story is about, in percent. */
const watchedPercent = 35;
/** How often the path names a record from whose state the endpoint's transition starts, in percent. */
const readyPercent = 60;
/** How often the path of an upsert names what leads to a new record, in percent. */
const newPercent = 50;
/** How many records are drawn until the path can name one. */
const targetTries = 6;

export interface FoundPath {
  readonly parameters: Map<string, Template>;
  /** The record in the path and the records that it refers to, by resource. */
  readonly chain: ReadonlyMap<string, RecordValue>;
  readonly state: string | undefined;
}

export function pathParameters(
  endpoint: Endpoint,
  caller: Caller,
  context: StoryContext,
  wanted: RecordValue | undefined,
): FoundPath | undefined {
  const { model, draw } = context;
  const chain = new Map<string, RecordValue>();
  const bindings = usableBindings(endpoint, context);
  const bound = [...bindings.values()];
  const target = pathTarget(endpoint, context, bound);
  for (let tried = 0; target && tried < targetTries; tried += 1) {
    const record = wanted ?? drawTarget(endpoint, target, bound, caller, context);
    if (!record) return undefined;
    chain.clear();
    followReferences(model, context, target.resource, record, chain);
    // A path can't name a record whose own records have no value for its parameters.
    const isNameable = bound.every((binding) => {
      const start = chain.get(binding.resource);
      return !start || context.templateOf(boundValue(model, context.records, binding, start)) !== undefined;
    });
    if (isNameable) break;
  }
  const parameters = new Map<string, Template>();
  for (const segment of [...model.endpointsPart.basePath.segments, ...endpoint.path.segments]) {
    if (segment.kind !== "parameter") continue;
    const named = endpoint.records.find(({ by }) => by?.parameter === segment.name);
    const resource = named?.resource ?? endpoint.resource;
    const field = named?.by?.field ?? segment.name;
    const record =
      (resource === undefined ? undefined : chain.get(resource)) ??
      draw.oneOf(resource === undefined ? [] : context.nameable(resource, field));
    const input = endpoint.inputs.find(({ in: place, name }) => place === "path" && name[0] === segment.name);
    const binding = bindings.get(segment.name);
    const start = binding && chain.get(binding.resource);
    const value =
      (start && context.templateOf(boundValue(model, context.records, binding, start))) ??
      context.templateOf(record?.[field]) ??
      parameterValue(endpoint, segment.name, context) ??
      (input && validValue(segment.name, input.type, input.rules, valueSource(context, caller)));
    if (value === undefined || value === null) return undefined;
    parameters.set(segment.name, value);
  }
  return { parameters, chain, state: target && stateOf(model, target.resource, chain.get(target.resource)) };
}

/** The record that a path names, with those that it refers to: the record of the longest path. */
export interface PathTarget {
  readonly resource: string;
  readonly by?: { readonly field: string };
}

/** The record that a request's path names last; undefined if it names none. */
export function pathTarget(
  endpoint: Endpoint,
  context: StoryContext,
  bound: readonly PathBinding[] = [...usableBindings(endpoint, context).values()],
): PathTarget | undefined {
  const { records, resource } = endpoint;
  const isBound = (name: string | undefined) => bound.some((binding) => binding.resource === name);
  // A `Where` of the endpoint selects its own record, which refers to those of the path.
  const isOwn = records.every((record) => record.resource !== resource) && isBound(resource);
  if (isOwn && resource !== undefined) return { resource };
  return (
    records.findLast(({ by, resource: name }) => by ?? isBound(name)) ??
    bound.find(({ fields }) => fields.length > 1) ??
    bound[0]
  );
}

/** Bindings of records that exist; those of an endpoint that creates the record lead on. */
function usableBindings(
  endpoint: Endpoint,
  { model, records, draw }: StoryContext,
): ReadonlyMap<string, PathBinding> {
  const isNew = endpoint.does.some(mayCreate) && draw.happens(newPercent);
  const leadsOn = ({ resource }: PathBinding) =>
    (isNew && resource === endpoint.resource) || (records.get(resource) ?? []).length === 0;
  return new Map(
    [...pathBindings(endpoint)].map(([name, binding]) => [
      name,
      (leadsOn(binding) ? bindingOfReferred(model, binding) : undefined) ?? binding,
    ]),
  );
}

/** A record that the path can name, by its identifying field or by bindings. */
function drawTarget(
  endpoint: Endpoint,
  target: PathTarget,
  bound: readonly PathBinding[],
  caller: Caller,
  context: StoryContext,
): RecordValue | undefined {
  const { model, records } = context;
  const { resource, by } = target;
  if (by) {
    const all = context.nameable(resource, by.field);
    const watched = all.filter((record) => context.isWatched(resource, record, by.field));
    if (watched.length > 0 && context.draw.happens(watchedPercent)) return context.draw.oneOf(watched);
    const ready = context.draw.happens(readyPercent) ? readyRecords(endpoint, model, resource, all) : [];
    return drawRecord(model, resource, ready.length > 0 ? ready : all, caller, context);
  }
  const own = bound.filter((binding) => binding.resource === resource);
  const candidates = (records.get(resource) ?? []).filter((record) =>
    own.every((binding) => context.templateOf(boundValue(model, records, binding, record)) !== undefined),
  );
  return drawRecord(model, resource, candidates, caller, context);
}

/**
 * Prefers a record that the caller has seen, or that no other caller created, and of those a new
 * record or one in a state that few records have reached.
 */
function drawRecord(
  model: Model,
  resource: string,
  all: readonly RecordValue[],
  caller: Caller,
  context: StoryContext,
): RecordValue | undefined {
  const { draw } = context;
  const found = resourceNamed(model, resource);
  const own = found && draw.happens(ownPercent) ? ownRecords(found, all, caller, context) : [];
  const candidates = own.length > 0 ? own : all;
  if (draw.happens(60)) return draw.oneOf(candidates.slice(-4));
  return draw.oneOf(found && draw.happens(50) ? ofOneKind(found, candidates, draw) : candidates);
}

function ownRecords(
  resource: Resource,
  all: readonly RecordValue[],
  caller: Caller,
  context: StoryContext,
): readonly RecordValue[] {
  const seen = seenBy(context, caller, resource, all);
  if (seen.length > 0) return seen;
  return all.filter((record) => (context.creatorOf(resource.name, record) ?? caller.name) === caller.name);
}

/** The records in a state from which the transition of an endpoint starts. */
function readyRecords(
  { does }: Endpoint,
  model: Model,
  resource: string,
  all: readonly RecordValue[],
): readonly RecordValue[] {
  const transitions = new Set(
    does.flatMap((operation) =>
      operation.kind === "transition" && operation.resource === resource ? [operation.transition] : [],
    ),
  );
  if (transitions.size === 0) return [];
  const ends = (resourceNamed(model, resource)?.states?.transitions ?? [])
    .filter(({ name }) => transitions.has(name))
    .flatMap((transition) => transition.ends);
  return all.filter((record) => {
    const state = stateOf(model, resource, record);
    return ends.some(({ from }) => from === "any" || (state !== undefined && from.includes(state)));
  });
}

/** A caller that can see the record in an endpoint's path. */
export function callerOfRecord(
  { records }: Endpoint,
  record: RecordValue | undefined,
  context: StoryContext,
): Caller | undefined {
  const target = records.findLast(({ by }) => by);
  return record && target?.by && context.callerOf(target.resource, record, target.by.field);
}

function followReferences(
  model: Model,
  context: StoryContext,
  resource: string,
  record: RecordValue,
  chain: Map<string, RecordValue>,
): void {
  if (chain.has(resource)) return;
  chain.set(resource, record);
  for (const { name, type } of resourceNamed(model, resource)?.fields ?? []) {
    if (type.kind !== "reference") continue;
    const referred = referredRecord(model, context.records, type.resource, record[name]);
    if (referred) followReferences(model, context, type.resource, referred, chain);
  }
}

export function stateOf(model: Model, resource: string, record: RecordValue | undefined): string | undefined {
  const field = model.resources.find(({ name }) => name === resource)?.states?.field;
  const state = field === undefined ? undefined : record?.[field];
  return typeof state === "string" ? state : undefined;
}
