/**
 * Scenarios as stories: the exchanges of a document's scenarios as requests that a walk can send.
 * Their captures become slots, so they lead to records that chance rarely reaches.
 */
import { createRouter } from "../../engine/http/path-router.ts";
import { hasRule } from "../../fields/rule.ts";
import type {
  Endpoint,
  Field,
  HttpRequestText,
  HttpResponseText,
  Model,
  Resource,
  Scenario,
} from "../../model/model.ts";
import { versionPlace } from "../../model/versions/request-version.ts";
import { nameOnWire } from "../../model/versions/versioned-inputs.ts";
import type { Json } from "../../support/json.ts";
import { onlyPlaceholder, quotePlaceholders, splitAtPlaceholders } from "../../verify/template.ts";
import { isList, isMap } from "../comparison/compare-responses.ts";
import { inputKey } from "../stories/input-key.ts";
import type { GivenStep } from "../comparison/implementation.ts";
import { jsonOf, type ResponsePlace, runText, Slot, type Template } from "../stories/story.ts";

/** The length of a run's text, such as `zqdkmy`. */
const runLength = runText("aaaa").length;

/** A request of a scenario and what later requests read from its response. */
export interface ScenarioExchange {
  readonly endpoint: Endpoint;
  readonly parameters: ReadonlyMap<string, string>;
  /** Values by `inputKey`; their texts may contain captures. */
  readonly inputs: ReadonlyMap<string, Json>;
  /** Headers and query parameters with credentials. */
  readonly credentials: Credentials;
  /** Where its response has the values that later requests capture, by the name of the capture. */
  readonly captured: ReadonlyMap<string, ResponsePlace>;
  readonly isSuccess: boolean;
  /** The time that passes before it, in milliseconds. */
  readonly afterMs: number;
}

export interface Credentials {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
}

export interface ScenarioStory {
  readonly name: string;
  readonly exchanges: readonly ScenarioExchange[];
  /** The named initial records. */
  readonly given: ReadonlyMap<string, GivenStep>;
  /** Texts of unique fields, which differ between the stories of one service. */
  readonly uniqueTexts: ReadonlySet<string>;
}

/** The stories of a document's scenarios. Exchanges that no endpoint answers are left out. */
export function scenarioStories(model: Model): readonly ScenarioStory[] {
  const exchangeOf = exchangeReader(model);
  return model.scenarios
    .map((scenario) => storyOf(scenario, exchangeOf, model.resources))
    .filter(({ exchanges }) => exchanges.length > 0);
}

type ExchangeReader = (
  request: HttpRequestText,
  response: HttpResponseText,
  afterMs: number,
) => ScenarioExchange | undefined;

function storyOf(
  { name, steps }: Scenario,
  exchangeOf: ExchangeReader,
  resources: readonly Resource[],
): ScenarioStory {
  const exchanges: ScenarioExchange[] = [];
  const given = new Map<string, GivenStep>();
  let waitedMs = 0;
  for (const step of steps) {
    if (step.kind === "given" && step.as !== undefined) given.set(step.as, step);
    if (step.kind === "wait") waitedMs += step.milliseconds;
    const exchange = step.kind === "exchange" ? exchangeOf(step.request, step.response, waitedMs) : undefined;
    if (!exchange) continue;
    exchanges.push(exchange);
    waitedMs = 0;
  }
  return {
    name,
    exchanges,
    given,
    uniqueTexts: new Set(exchanges.flatMap((exchange) => uniqueTextsOf(exchange, resources))),
  };
}

function exchangeReader(model: Model): ExchangeReader {
  const { endpoints, endpointsPart, versioning } = model;
  const prefixes = versioning.versions.flatMap(({ name }) => {
    const place = versionPlace(versioning, name);
    return place?.in === "path" ? [place.prefix.slice(1)] : [];
  });
  const router = createRouter(
    endpoints.map((endpoint) => ({
      method: endpoint.method,
      segments: [...endpointsPart.basePath.segments, ...endpoint.path.segments],
      endpoint,
    })),
  );
  const credentialNames = new Set(
    model.authentication.schemes.flatMap(({ placement }) => (placement ? [placementName(placement)] : [])),
  );
  return (request, response, afterMs) => {
    const [path = "", search = ""] = request.target.split("?");
    const segments = decodedSegments(path);
    if (!segments) return undefined;
    const own = prefixes.includes(segments[0] ?? "") ? segments.slice(1) : segments;
    const found = router.find(request.method, own, path.endsWith("/"));
    if (found.kind !== "found") return undefined;
    const query = [...new URLSearchParams(search)];
    const isCredential = ([name]: readonly [string, string]) => credentialNames.has(name.toLowerCase());
    const headers = request.headers.map(({ name, value }) => [name, value] as const);
    return {
      endpoint: found.endpoint,
      parameters: new Map(Object.entries(found.parameters)),
      inputs: inputsOf(found.endpoint, request, query),
      credentials: { headers: headers.filter(isCredential), query: query.filter(isCredential) },
      captured: capturedIn(response),
      isSuccess: response.status < 400,
      afterMs,
    };
  };
}

type SchemePlacement = NonNullable<Model["authentication"]["schemes"][number]["placement"]>;

function placementName(placement: SchemePlacement): string {
  if (placement.kind === "cookie") return "cookie";
  return placement.kind === "basic" ? "authorization" : placement.name.toLowerCase();
}

/** Undefined for an address that isn't a path, such as a captured URL. */
function decodedSegments(path: string): readonly string[] | undefined {
  if (!path.startsWith("/")) return undefined;
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function inputsOf(
  endpoint: Endpoint,
  { body, headers }: HttpRequestText,
  query: readonly (readonly [string, string])[],
): ReadonlyMap<string, Json> {
  const content = body && bodyContent(endpoint, body.text);
  const found = new Map<string, Json>();
  for (const input of endpoint.inputs) {
    const sent = nameOnWire(input);
    const name = sent.join(".");
    const value =
      input.in === "body"
        ? content && (endpoint.bodyIs === undefined ? partOf(content, sent) : content)
        : input.in === "query"
          ? query.find(([key]) => key === name)?.[1]
          : input.in === "header"
            ? headers.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value
            : undefined;
    if (value !== undefined) found.set(inputKey(input), value);
  }
  return found;
}

/** The content of a JSON body, or of a form with plain names. */
function bodyContent({ bodyIn }: Endpoint, text: string): Json | undefined {
  const json = jsonOf(quotePlaceholders(text));
  if (json !== undefined) return bodyIn === undefined ? json : partOf(json, [bodyIn]);
  return /^[\w.%{}[\]-]+=/.test(text) ? Object.fromEntries(new URLSearchParams(text.trim())) : undefined;
}

function partOf(content: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = content;
  for (const key of path) {
    if (value === undefined || !isMap(value)) return undefined;
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function capturedIn({ headers, body }: HttpResponseText): ReadonlyMap<string, ResponsePlace> {
  const found = new Map<string, ResponsePlace>();
  const note = (text: string, place: ResponsePlace): void => {
    const name = onlyPlaceholder(text)?.name;
    if (name !== undefined && name !== "*" && name !== "absent" && !found.has(name)) found.set(name, place);
  };
  const walk = (value: Json, path: readonly (string | number)[]): void => {
    if (typeof value === "string") note(value, { in: "body", path });
    else if (isList(value)) for (const [at, part] of value.entries()) walk(part, [...path, at]);
    else if (isMap(value)) for (const [key, part] of Object.entries(value)) walk(part, [...path, key]);
  };
  const json = body && jsonOf(quotePlaceholders(body.text));
  if (json !== undefined) walk(json, []);
  for (const { name, value } of headers) note(value.trim(), { in: "header", name });
  return found;
}

/** The texts that an exchange sets to fields whose values no two records share. */
function uniqueTextsOf(
  { endpoint, inputs }: ScenarioExchange,
  resources: readonly Resource[],
): readonly string[] {
  const resource = resources.find(({ name }) => name === endpoint.resource);
  return endpoint.inputs.flatMap((input) => {
    const field = resource?.fields.find(({ name }) => name === input.sets);
    const value = inputs.get(inputKey(input));
    if (typeof value !== "string") return [];
    return resource && field && identifies(field, resource) && mayGrow(field, value) ? [value] : [];
  });
}

/** Whether no two records have the same value in this field, or in this and others together. */
function identifies({ name, role, rules }: Field, { unique }: Pick<Resource, "unique">): boolean {
  return (
    role === "identifier" || hasRule(rules, "unique") || unique.some(({ fields }) => fields.includes(name))
  );
}

/** Whether the rules of a field accept the text with that of a run, as far as they can be compared. */
function mayGrow({ type, rules }: Field, text: string): boolean {
  const isText = type.kind === "string" || type.kind === "email";
  return (
    isText &&
    !hasRule(rules, "pattern") &&
    rules.every((rule) => rule.rule !== "length" || (rule.max ?? Infinity) >= text.length + runLength)
  );
}

export type SlotOf = (capture: string) => Template | undefined;

/**
 * A value of a scenario as a template. Undefined if it contains an unknown capture.
 * @param slotOf the template of a capture
 * @param uniqueTexts texts that get the run's text
 */
export function templateFrom(
  value: Json,
  slotOf: SlotOf,
  uniqueTexts: ReadonlySet<string>,
): Template | undefined {
  if (typeof value === "string")
    return uniqueTexts.has(value) ? ofThisRun(value) : textTemplate(value, slotOf);
  if (isList(value)) {
    const parts = value.map((part) => templateFrom(part, slotOf, uniqueTexts));
    return parts.every((part) => part !== undefined) ? parts : undefined;
  }
  if (!isMap(value)) return value;
  const parts = Object.entries(value).map(
    ([key, part]) => [key, templateFrom(part, slotOf, uniqueTexts)] as const,
  );
  return parts.some(([, part]) => part === undefined)
    ? undefined
    : Object.fromEntries(parts.map(([key, part]) => [key, part ?? null]));
}

/** A text as a template; undefined if it contains an unknown capture. */
export function textTemplate(text: string, slotOf: SlotOf): Template | undefined {
  const parts: Template[] = [];
  for (const { text: part, name } of splitAtPlaceholders(text)) {
    const slot = name === undefined || name === "run" ? part : slotOf(name);
    if (slot === undefined) return undefined;
    parts.push(slot);
  }
  if (parts.length === 1) return parts[0];
  return parts.every((part) => typeof part === "string")
    ? parts.join("")
    : new Slot({ kind: "joined", parts });
}

function ofThisRun(text: string): string {
  return text.includes("@") ? text.replace("@", "{{run}}@") : `${text}{{run}}`;
}
