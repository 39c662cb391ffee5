/**
 * Stories: sequences of requests for several implementations, which can be replayed. Values that an
 * implementation chooses (identifiers, tokens, cursors) are slots. A slot gets its value from an
 * earlier response of the same implementation.
 */
import { type TimestampForm, timestampWriters } from "../../expressions/writing/wire.ts";
import type { Condition } from "../../model/errors/conditions.ts";
import type { Json } from "../../support/json.ts";
import type { SentRequest, ReceivedResponse } from "../../verify/scenario-failure.ts";
import { type BasicForm, basicCredential } from "../../model/authentication/credential-text.ts";

/** The text of a run, which replaces `{{run}}`. It is recognizable in responses. */
export function runText(characters: string): string {
  return `zq${characters}`;
}

/** Matches a text that was sent in any run. */
export const sentText = /zq[a-z]{4}/;

/** The position of a value in a response. */
export type ResponsePlace = (
  | { readonly in: "body"; readonly path: readonly (string | number)[] }
  | { readonly in: "header"; readonly name: string }
) & {
  /** The value is that of a query parameter of a URL in the text, as of a link to the next page. */
  readonly parameter?: string;
};

type SlotContent =
  | { readonly kind: "response"; readonly step: number; readonly place: ResponsePlace }
  /** A time relative to the implementation's clock. */
  | { readonly kind: "time"; readonly offsetMs: number; readonly form: TimestampForm | "date" }
  | { readonly kind: "joined"; readonly parts: readonly Template[] }
  /** HTTP basic credentials. */
  | { readonly kind: "base64"; readonly parts: readonly Template[]; readonly form: BasicForm };

/** A value that is known only when the request is sent. */
export class Slot {
  readonly content: SlotContent;
  constructor(content: SlotContent) {
    this.content = content;
  }
}

/** JSON with slots. In texts, `{{run}}` stands for a short text of the run. */
export type Template =
  | string
  | number
  | boolean
  | null
  | Slot
  | readonly Template[]
  | { readonly [key: string]: Template };

export interface RequestTemplate {
  readonly method: string;
  /** Path segments without slashes. */
  readonly path: readonly Template[];
  readonly query: readonly (readonly [string, Template])[];
  readonly headers: readonly (readonly [string, Template])[];
  readonly body?: { readonly form: "json" | "form"; readonly content: Template } | { readonly text: string };
}

export interface Step {
  /** Identifies the step within its story; slots refer to it. */
  readonly id: number;
  readonly request: RequestTemplate;
  /** Whether it has optional inputs. A cursor of its response may be valid only with them. */
  readonly isFiltered?: boolean;
  /** Another condition that the service may report, if the request has a second mistake. */
  readonly alternative?: Condition | undefined;
  /** The time that passes before the step, in milliseconds. */
  readonly afterMs?: number;
  /** Opens a stream that later steps read, or reads what the stream of an earlier step sent. */
  readonly stream?: "open" | { readonly openedBy: number };
  /** Consecutive steps with the same number are sent concurrently. */
  readonly concurrentGroup?: number;
  /** The subject of the step, in the words of the report. */
  readonly aspect: string;
  /** `POST /parcels`, or undefined for a request to no endpoint. */
  readonly endpoint: string | undefined;
  /** The name of the caller in the report. */
  readonly caller: string;
}

/** The responses of one implementation so far, and the other inputs of slots. */
export interface Bindings {
  readonly run: string;
  readonly responses: ReadonlyMap<number, ReceivedResponse>;
  nowMs(): number;
}

/** The responses to one story, by implementation. */
export interface StoryRun {
  readonly run: string;
  readonly first: Map<number, ReceivedResponse>;
  readonly second: Map<number, ReceivedResponse>;
  readonly observed: Map<number, ReceivedResponse>;
}

export function startRun(run: string): StoryRun {
  return { run, first: new Map(), second: new Map(), observed: new Map() };
}

/** A slot refers to a value that a response doesn't have. */
export class MissingValue extends Error {
  override name = "MissingValue";
}

/** The request for one implementation. @throws MissingValue */
export function requestFrom(template: RequestTemplate, bindings: Bindings): SentRequest {
  const path = template.path.map((segment) => encodeURIComponent(textFrom(segment, bindings))).join("/");
  const query = template.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textFrom(value, bindings))}`)
    .join("&");
  const headers = template.headers.map(([name, value]) => [name, textFrom(value, bindings)] as const);
  return {
    method: template.method,
    target: `/${path}${query === "" ? "" : `?${query}`}`,
    headers,
    ...(template.body ? { body: bodyFrom(template.body, bindings) } : {}),
  };
}

function bodyFrom(body: NonNullable<RequestTemplate["body"]>, bindings: Bindings): string {
  if ("text" in body) return body.text;
  const content = valueFrom(body.content, bindings);
  return body.form === "json" ? JSON.stringify(content) : formPairs("", content).join("&");
}

/** A value as form parameters: `a[b]=1`. */
function formPairs(name: string, value: Json): readonly string[] {
  if (typeof value !== "object" || value === null)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(value === null ? "" : String(value))}`];
  return Object.entries(value).flatMap(([key, part]: [string, Json]) =>
    formPairs(name === "" ? key : Array.isArray(value) ? `${name}[]` : `${name}[${key}]`, part),
  );
}

/** A template as the text of a path, a query or a header. @throws MissingValue */
function textFrom(template: Template, bindings: Bindings): string {
  const value = valueFrom(template, bindings);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** @throws MissingValue */
export function valueFrom(template: Template, bindings: Bindings): Json {
  if (typeof template === "string") return template.replaceAll("{{run}}", bindings.run);
  if (typeof template !== "object" || template === null) return template;
  if (template instanceof Slot) return slotValue(template, bindings);
  if (isList(template)) return template.map((part) => valueFrom(part, bindings));
  return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, valueFrom(part, bindings)]));
}

function isList(template: Template): template is readonly Template[] {
  return Array.isArray(template);
}

function slotValue({ content }: Slot, bindings: Bindings): Json {
  switch (content.kind) {
    case "response": {
      const response = bindings.responses.get(content.step);
      const value = response && valueAt(response, content.place);
      if (value === undefined) throw new MissingValue();
      return value;
    }
    case "time": {
      const text = new Date(bindings.nowMs() + content.offsetMs).toISOString();
      return content.form === "date" ? text.slice(0, 10) : JSON.parse(timestampWriters[content.form](text));
    }
    case "joined":
      return content.parts.map((part) => textFrom(part, bindings)).join("");
    case "base64": {
      const texts = content.parts.map((part) => textFrom(part, bindings));
      return `Basic ${Buffer.from(basicCredential(content.form, texts)).toString("base64")}`;
    }
  }
}

/** Whether a response has a value at a position. */
export function hasValue(response: ReceivedResponse, place: ResponsePlace): boolean {
  return valueAt(response, place) !== undefined;
}

function valueAt(response: ReceivedResponse, place: ResponsePlace): Json | undefined {
  const value =
    place.in === "header" ? headerOf(response, place.name) : partAt(jsonOf(response.body), place.path);
  if (place.parameter === undefined) return value;
  return typeof value === "string" ? parameterIn(value, place.parameter) : undefined;
}

function partAt(body: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let value = body;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}

/** A query parameter of a URL in a text; in a `Link` header, of the next page's. */
export function parameterIn(text: string, name: string): string | undefined {
  const [link] = /<[^>]*>(?=[^<]*rel="?next\b)/.exec(text) ?? [];
  const [, query] = /\?([^\s<>"#]*)/.exec(link ?? text) ?? [];
  return query === undefined ? undefined : (new URLSearchParams(query).get(name) ?? undefined);
}

export function headerOf({ headers }: ReceivedResponse, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** Undefined if the text isn't JSON. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The steps whose responses a step reads, or whose stream. */
export function stepsRead({ request, stream }: Step): readonly number[] {
  const found: number[] = typeof stream === "object" ? [stream.openedBy] : [];
  const walk = (template: unknown): void => {
    if (template instanceof Slot) {
      if (template.content.kind === "response") found.push(template.content.step);
      else if ("parts" in template.content) walk(template.content.parts);
    } else if (typeof template === "object" && template !== null) Object.values(template).forEach(walk);
  };
  walk(request);
  return found;
}
