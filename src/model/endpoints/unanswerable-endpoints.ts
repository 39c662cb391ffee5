/**
 * Unanswerable endpoints: an endpoint that needs something that the document doesn't show responds
 * with 501 and names it. That covers what every request needs of its resource and, if the scheme is
 * unknown (decision "The caller where authentication is a gap"), expressions that read the caller. Its
 * expressions include those that run with it: of its records, its response shapes and its
 * transition.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { pieceReads, readsField } from "../../expressions/analysis/reads.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Effect, Endpoint, Field, Gap, Model, Resource } from "../model.ts";
import { type Does, isChanging, mayCreate } from "./does.ts";
import { effectsOf, makingGap, unidentifiedGap } from "../resources/unidentified-resources.ts";

/** The gap because of which the endpoint can't respond at all. Undefined if it can. */
export function unanswerable(model: Model, meaning: Meaning, endpoint: Endpoint): Gap | undefined {
  return (
    endpoint.gap ??
    resourceGap(model, endpoint) ??
    openItemGap(model, endpoint) ??
    streamGap(model, endpoint) ??
    readGap(model, meaning, endpoint) ??
    callerGap(model, meaning, endpoint) ??
    unidentifiedIn(model, meaning, endpoint)
  );
}

/**
 * Whether a request is checked before it is answered 501: the document shows all that its caller,
 * its records and its inputs need, and only what follows from them is a gap.
 */
export function isCheckedFirst(model: Model, meaning: Meaning, endpoint: Endpoint): boolean {
  if (!endpoint.checksFirst) return false;
  const { gap: _gap, stream: _stream, waits: _waits, ...rest } = endpoint;
  const outcome = { fails: [], lets: [], set: [], effects: [], then: [], returns: [], headers: [] };
  return unanswerable(model, meaning, { ...rest, ...outcome }) === undefined;
}

/** Whether some requests of an endpoint, and not all, may need what the document doesn't show. */
export function mayLack(model: Model, { inputs, resource, does, effects }: Endpoint): boolean {
  if (inputs.some(({ gap, absentGap }) => gap ?? absentGap) || makingGap(model, effects)) return true;
  const found = resource === undefined ? undefined : resourcesOf(model).get(resource);
  if (!found || !does.some(isChanging)) return false;
  const ends = (found.states?.transitions ?? []).flatMap((transition) => transition.ends);
  if (ends.some(({ gap }) => gap) || makingGap(model, effectsTaken(found, does))) return true;
  return found.fields.some(({ gap, open }) => {
    const { made, ...rest } = open ?? {};
    return gap ?? ((made && does.some(mayCreate)) || Object.keys(rest).length > 0);
  });
}

/** The effects of the transitions that an endpoint fires, by its `Does` or `immediately`. */
function effectsTaken({ states }: Resource, does: readonly Does[]): readonly Effect[] {
  const called = new Set(does.flatMap((action) => (action.kind === "transition" ? [action.transition] : [])));
  const isAny = does.some(({ kind }) => kind === "handler");
  return (states?.transitions ?? []).flatMap(({ name, ends }) =>
    ends
      .filter(({ trigger }) => isAny || called.has(name) || trigger.kind === "immediately")
      .flatMap(({ effects }) => effects),
  );
}

function resourceGap(model: Model, endpoint: Endpoint): Gap | undefined {
  const resource = model.resources.find((resource) => resource.name === endpoint.resource);
  if (!resource) return undefined;
  if (resource.gap) return resource.gap;
  if (resource.identifier.kind === "not shown") return resource.identifier.gap;
  const makes = endpoint.does.some(mayCreate);
  return makes ? resource.states?.initialGap : undefined;
}

/**
 * An open item of a resource that affects what is visible, rejected or stored, if requests need it (notation, "The 26
 * items").
 */
function openItemGap(model: Model, endpoint: Endpoint): Gap | undefined {
  for (const { name, openItems } of model.resources) {
    if (!openItems) continue;
    const { visible, unique, deleted, records } = openItems;
    const does = endpoint.resource === name ? endpoint.does : [];
    const openRecords = visible ?? records;
    if (openRecords && findsRecords(model, endpoint, name)) return openRecords;
    if (
      unique &&
      does.some((action) => mayCreate(action) || (isChanging(action) && action.kind !== "delete"))
    )
      return unique;
    if (deleted && does.some(({ kind }) => kind === "delete")) return deleted;
  }
  return undefined;
}

/**
 * Whether the endpoint finds records of the resource: its own, those of its path, those referred to by inputs, or
 * streamed ones.
 */
function findsRecords(model: Model, endpoint: Endpoint, name: string): boolean {
  const { resource, does, records, inputs, stream } = endpoint;
  if (resource === name && does.some(({ kind }) => kind !== "create")) return true;
  if (records.some((record) => record.resource === name)) return true;
  if (inputs.some(({ type }) => refersTo(type, name))) return true;
  const { expansion } = model.endpointsPart;
  if (expansion !== undefined && inputs.some((input) => input.name.join(".") === expansion)) return true;
  const sent = stream?.sends.flatMap(({ events }) => events) ?? [];
  return model.events.events.some(
    (row) => sent.includes(row.name) && row.triggers.some((trigger) => trigger.resource === name),
  );
}

function refersTo(type: FieldType, name: string): boolean {
  if (type.kind === "list" || type.kind === "map") return refersTo(type.of, name);
  return type.kind === "reference" && type.resource === name;
}

/** The gap of an event that isn't described, or whose payload isn't shown and would be sent unchanged. */
function streamGap(model: Model, { stream }: Endpoint): Gap | undefined {
  for (const { events, as, position } of stream?.sends ?? []) {
    for (const name of events) {
      const row = model.events.events.find((event) => event.name === name);
      if (!row) return { part: "events", item: "events", subject: `the event ${name}`, position };
      if (row.gap && !as) return row.gap;
    }
  }
  return undefined;
}

/**
 * A field of unknown value that the endpoint reads: its computation or type isn't shown. A field of
 * unknown type is never stored, so a default representation rightly omits it.
 */
function readGap(model: Model, meaning: Meaning, endpoint: Endpoint): Gap | undefined {
  return openFieldRead(model, meaning, piecesInUse(model, endpoint));
}

/** The open field that expressions in a part of the model read. */
export function openFieldRead(model: Model, meaning: Meaning, piece: unknown): Gap | undefined {
  const { computed, untyped } = openFieldsOf(model);
  if (computed.size === 0 && untyped.size === 0) return undefined;
  let found: Gap | undefined;
  const isRead = (resource: string, field: string, byName: boolean): boolean => {
    const name = `${resource}.${field}`;
    found ??= computed.get(name) ?? (byName ? untyped.get(name) : undefined);
    return found !== undefined;
  };
  for (const { expression } of expressionsIn(piece))
    if (readsField(expression.node, isRead, meaning)) return found;
  return undefined;
}

/** Fields whose value or type isn't shown, by `Resource.field`. */
const openFieldsOf = memoizeBy(({ resources }: Model) => {
  const named = (gapOf: (field: Field) => Gap | undefined): ReadonlyMap<string, Gap> =>
    new Map(
      resources.flatMap(({ name, fields }) =>
        fields.flatMap((field) => {
          const gap = gapOf(field);
          return gap ? [[`${name}.${field.name}`, gap] as const] : [];
        }),
      ),
    );
  return {
    computed: named(({ open }) => open?.read),
    untyped: named(({ type, gap }) => (type.kind === "not shown" ? gap : undefined)),
  };
});

function callerGap(model: Model, meaning: Meaning, endpoint: Endpoint): Gap | undefined {
  const { gap } = model.authentication;
  return gap && readsCaller(model, meaning, endpoint) ? gap : undefined;
}

function readsCaller(model: Model, meaning: Meaning, endpoint: Endpoint): boolean {
  return pieceReads(piecesInUse(model, endpoint), { name: "caller" }, meaning);
}

/** The gap of records without an identifier that the endpoint reads or changes. */
function unidentifiedIn(model: Model, meaning: Meaning, endpoint: Endpoint): Gap | undefined {
  const own = model.resources.find(({ name }) => name === endpoint.resource);
  const changes = endpoint.does.some((action) => isChanging(action) && action.kind !== "delete");
  const effects = [...endpoint.effects, ...(own && changes ? effectsOf(own) : [])];
  return unidentifiedGap(model, meaning, piecesInUse(model, endpoint), effects);
}

/** The parts of the model whose expressions run with the endpoint. */
function piecesInUse(model: Model, endpoint: Endpoint): readonly unknown[] {
  const names = new Set([endpoint.resource, ...endpoint.records.map((record) => record.resource)]);
  const known = resourcesOf(model);
  return [
    endpoint,
    ...[...names].flatMap((name) => {
      const resource = name === undefined ? undefined : known.get(name);
      return resource ? partsInUse(resource, endpoint.does) : [];
    }),
  ];
}

const resourcesOf = memoizeBy(
  ({ resources }: Model): ReadonlyMap<string, Resource> =>
    new Map(resources.map((resource) => [resource.name, resource])),
);

/** The expressions that run on a record with an operation. */
function partsInUse(resource: Resource, does: readonly Does[]): readonly unknown[] {
  const creates = does.some(mayCreate);
  const changes = does.some((action) => isChanging(action) && action.kind !== "delete");
  const inUse = (rule: Field["rules"][number]): boolean => {
    if (rule.rule === "computed") return true;
    if (rule.rule === "on update") return changes;
    return creates && (rule.rule === "on create" || rule.rule === "default");
  };
  return [
    resource.visible,
    resource.fields.map((field) => field.rules.filter(inUse)),
    changes ? [resource.fails, resource.always, resource.states] : [],
    creates ? resource.identifier : [],
  ];
}
