/**
 * Request generator: draws a valid request of an endpoint. It chooses inputs by their types and
 * rules, and records that the story has seen.
 */
import type { RecordValue } from "../../expressions/value.ts";
import { listBodyOf } from "../../model/endpoints/does.ts";
import type { Endpoint, Input, Model } from "../../model/model.ts";
import { nameOnWire } from "../../model/versions/versioned-inputs.ts";
import { currentVersion, versionPlace } from "../../model/versions/request-version.ts";
import type { Caller } from "../stories/callers.ts";
import { type FoundPath, pathParameters } from "./draw-path.ts";
import { boundInput } from "./input-bindings.ts";
import { inputKey } from "../stories/input-key.ts";
import { isCreating } from "../stories/lists.ts";
import { queryPairs, separated } from "./query-pairs.ts";
import { holdsResponse } from "./not-drawn.ts";
import type { StoryContext } from "../stories/story-context.ts";
import { type RequestTemplate, Slot, type Template } from "../stories/story.ts";
import { valueSource } from "./value-source.ts";
import { validValue } from "./values.ts";

/** A request under construction. */
export interface Draft {
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  method: string;
  /** The parameters of the endpoint's path, without version and base path. */
  parameters: Map<string, Template>;
  /** The values of inputs by dotted name. */
  inputs: Map<string, Template>;
  query: [string, Template][];
  headers: [string, Template][];
  /** For a body that is a list: the inputs of the elements after the first. */
  further?: readonly ReadonlyMap<string, Template>[];
  /** A text that replaces the body of the inputs. */
  text?: string;
  /** A further segment of the path, which no endpoint has. */
  pathAfter?: string;
  version: string | undefined;
  /** The state of the record in the path. */
  state: string | undefined;
}

/** How often an input takes the value of a field that its endpoint compares it with, in percent. */
const boundPercent = 60;
/** How often a request takes values from a scenario's request to its endpoint, in percent. */
const examplePercent = 40;
/** How often a receiver selects all events, in percent. */
const selectionPercent = 70;

/**
 * Undefined if the path names a record and the story has none.
 * @param optionalPercent the percentage of optional inputs that are sent
 * @param wanted the record in the path; any record of the story if omitted
 * @param isExample whether inputs take the values of a scenario's request
 */
export function drawDraft(
  endpoint: Endpoint,
  caller: Caller,
  context: StoryContext,
  optionalPercent: number,
  wanted?: RecordValue,
  isExample = context.draw.happens(examplePercent),
): Draft | undefined {
  const found = pathParameters(endpoint, caller, context, wanted);
  if (!found) return undefined;
  const examples = isExample ? context.exampleOf(endpoint) : new Map<string, Template>();
  return draftWith(endpoint, caller, context, { ...found, examples, optionalPercent });
}

/**
 * A request of a scenario. Required inputs, and parameters of the path, that the scenario leaves
 * open are drawn.
 */
export function draftOfExchange(
  endpoint: Endpoint,
  caller: Caller,
  context: StoryContext,
  values: { readonly parameters: Draft["parameters"] | undefined; readonly examples: Draft["inputs"] },
): Draft | undefined {
  const found = values.parameters
    ? { parameters: values.parameters, chain: new Map<string, RecordValue>(), state: undefined }
    : pathParameters(endpoint, caller, context, undefined);
  if (!found) return undefined;
  const { examples } = values;
  return draftWith(endpoint, caller, context, { ...found, examples, optionalPercent: 0 });
}

function draftWith(
  endpoint: Endpoint,
  caller: Caller,
  context: StoryContext,
  {
    parameters,
    chain,
    state,
    examples,
    optionalPercent,
  }: FoundPath & { readonly examples: ReadonlyMap<string, Template>; readonly optionalPercent: number },
): Draft {
  const draft: Draft = {
    endpoint,
    caller,
    method: endpoint.method,
    parameters,
    inputs: new Map(),
    query: [...caller.query].map(([name, value]) => [name, value]),
    headers: [...caller.headers].map(([name, value]) => [name, value]),
    version: currentVersion(context.model.versioning),
    state,
  };
  const drawInputs = (inputs: readonly Input[], known: typeof examples) =>
    drawValues(endpoint, inputs, (input) => {
      const example = receiverValueOf(endpoint, input, context) ?? known.get(inputKey(input));
      if (example !== undefined) return example;
      if (!input.required && !context.draw.happens(optionalPercent)) return undefined;
      const bound = context.draw.happens(boundPercent)
        ? boundInput(endpoint, input, caller, context, chain)
        : undefined;
      return bound ?? validValue(input.name.at(-1) ?? "", input.type, input.rules, source);
    });
  const source = valueSource(context, caller);
  draft.inputs = drawInputs(
    endpoint.inputs.filter((input) => input.in !== "path"),
    examples,
  );
  const list = listBodyOf(endpoint);
  if (list && context.draw.happens(listPercent)) {
    const { min = 0, max = furtherMax + 1 } = list.items ?? {};
    const count = Math.max(Math.min(context.draw.below(furtherMax + 1), max - 1), min - 1);
    const inBody = endpoint.inputs.filter((input) => input.in === "body");
    draft.further = Array.from({ length: count }, () => drawInputs(inBody, new Map()));
  }
  const { idempotency } = endpoint;
  if (idempotency?.in === "header" && idempotency.required)
    draft.headers.push([idempotency.name, `{{run}}-${context.draw.below(1_000_000)}`]);
  return draft;
}

/** The percentage of bodies that are a list, where they may be one. */
const listPercent = 40;

/** Maximum number of elements after the first, unless the bounds of the list demand more. */
const furtherMax = 3;

function drawValues(
  endpoint: Endpoint,
  inputs: readonly Input[],
  draw: (input: Input) => Template | undefined,
): Map<string, Template> {
  const values = new Map<string, Template>();
  for (const input of inputs) {
    if (input.gap || holdsResponse(endpoint, input)) continue;
    const value = draw(input);
    if (value !== undefined) values.set(inputKey(input), value);
  }
  return values;
}

/**
 * The value of an input that registers a receiver: the URL at which webhooks are observed, in its
 * part if the input has parts, or the names of all events for a list of texts, because it mostly
 * selects events.
 */
function receiverValueOf(
  endpoint: Endpoint,
  { sets, name, type, rules }: Input,
  context: StoryContext,
): Template | undefined {
  const { receivers, draw, model } = context;
  const addresses = endpoint.resource === undefined ? undefined : receivers?.addresses.get(endpoint.resource);
  if (!addresses) return undefined;
  const field = sets ?? name.join(".");
  const url = `${receivers?.url}{{run}}/${draw.below(3)}`;
  if (addresses.has(field)) return url;
  const part = [...addresses].find((address) => address.startsWith(`${field}.`))?.slice(field.length + 1);
  if (part !== undefined)
    return withValue(
      validValue(name.at(-1) ?? "", type, rules, valueSource(context)) ?? {},
      part.split("."),
      url,
    );
  const isSelection =
    type.kind === "list" && type.of.kind === "string" && isCreating(endpoint, endpoint.resource);
  return isSelection && draw.happens(selectionPercent) ? eventSelection(model) : undefined;
}

/** The names of all events, and of their groups: `issues` of `issues.opened`. */
function eventSelection({ events }: Model): readonly string[] {
  return [...new Set(events.events.flatMap(({ name }) => [name, name.split(".")[0] ?? name]))];
}

/** A request with another value of an input; without the input if the value is undefined. */
export function withInput(base: Draft, input: Input, value: Template | undefined): Draft {
  const inputs = new Map(base.inputs);
  if (value === undefined) inputs.delete(inputKey(input));
  else inputs.set(inputKey(input), value);
  return { ...base, inputs };
}

// ── The request of a draft ──────────────────────────────────────────────────────────────────────

export function requestOf(draft: Draft, model: Model): RequestTemplate {
  const { endpoint } = draft;
  const query: (readonly [string, Template])[] = [...draft.query];
  const headers: (readonly [string, Template])[] = [...draft.headers];
  for (const input of endpoint.inputs) {
    const value = draft.inputs.get(inputKey(input));
    if (value === undefined) continue;
    if (input.in === "query") query.push(...queryPairs(input, value));
    else if (input.in === "header") headers.push([nameOnWire(input).join("."), separated(input, value)]);
  }
  const first = contentOf(endpoint, draft.inputs);
  const content: Template = draft.further
    ? [first ?? {}, ...draft.further.map((inputs) => contentOf(endpoint, inputs) ?? {})]
    : (first ?? {});
  const hasBody = first !== undefined || draft.further !== undefined;
  const place = draft.version === undefined ? undefined : versionPlace(model.versioning, draft.version);
  if (place?.in === "header") headers.push([place.name, place.value]);
  if (place?.in === "query") query.push([place.name, place.value]);
  const prefix = place?.in === "path" ? [place.prefix.slice(1)] : [];
  const body = bodyOf(draft, model, content, hasBody || endpoint.inputs.some(({ in: at }) => at === "body"));
  if (body && !headers.some(([name]) => name.toLowerCase() === "content-type"))
    headers.push(["Content-Type", body.type]);
  return {
    method: draft.method,
    path: [...prefix, ...pathOf(draft, model), ...(draft.pathAfter === undefined ? [] : [draft.pathAfter])],
    query,
    headers,
    ...(body ? { body: body.body } : {}),
  };
}

/** The content of a body with these inputs; undefined if none of them is in the body. */
function contentOf(endpoint: Endpoint, inputs: ReadonlyMap<string, Template>): Template | undefined {
  let content: Template | undefined;
  for (const input of endpoint.inputs) {
    const value = input.in === "body" ? inputs.get(inputKey(input)) : undefined;
    if (value === undefined) continue;
    content = endpoint.bodyIs === undefined ? withValue(content ?? {}, nameOnWire(input), value) : value;
  }
  return content;
}

function pathOf({ endpoint, parameters }: Draft, model: Model): readonly Template[] {
  return [...model.endpointsPart.basePath.segments, ...endpoint.path.segments].map((segment) => {
    if (segment.kind === "literal") return segment.text;
    const value = parameters.get(segment.name) ?? "";
    if (segment.before === "" && segment.behind === "") return value;
    return new Slot({ kind: "joined", parts: [segment.before, value, segment.behind] });
  });
}

function bodyOf(
  draft: Draft,
  model: Model,
  content: Template,
  hasBody: boolean,
): { readonly type: string; readonly body: NonNullable<RequestTemplate["body"]> } | undefined {
  const { endpoint, text } = draft;
  const [accepted = "application/json"] = endpoint.accepts ?? model.endpointsPart.accepts ?? [];
  const isForm = accepted.includes("x-www-form-urlencoded");
  const type = isForm || accepted.includes("json") ? accepted : "application/json";
  if (text !== undefined) return { type, body: { text } };
  if (!hasBody) return undefined;
  const wrapped = endpoint.bodyIn === undefined ? content : { [endpoint.bodyIn]: content };
  return { type, body: { form: isForm ? "form" : "json", content: wrapped } };
}

function withValue(content: Template, [name = "", ...rest]: readonly string[], value: Template): Template {
  const known = typeof content === "object" && content !== null && !Array.isArray(content) ? content : {};
  const inner =
    rest.length === 0
      ? value
      : withValue(Object.entries(known).find(([key]) => key === name)?.[1] ?? {}, rest, value);
  return Object.fromEntries([...Object.entries(known).filter(([key]) => key !== name), [name, inner]]);
}
