/**
 * Stories: sequences of requests that can be sent to several implementations and sent again. Values
 * that an implementation chooses (identifiers, tokens, cursors) are slots, which take the value of
 * an earlier response of the same implementation.
 */
import type { Condition } from "../model/conditions.ts";
import type { Json } from "../support/json.ts";
import type { SentRequest, ReceivedResponse } from "../verify/scenario-failure.ts";

/** The text of a run, which `{{run}}` stands for: recognizable wherever it comes back. */
export function runText(characters: string): string {
  return `zq${characters}`;
}

/** A text that was sent in some run. */
export const sentText = /zq[a-z]{4}/;

/** Where a response has a value. */
export type ResponsePlace =
  | { readonly in: "body"; readonly path: readonly (string | number)[] }
  | { readonly in: "header"; readonly name: string };

type SlotContent =
  | { readonly kind: "response"; readonly step: number; readonly place: ResponsePlace }
  /** A time relative to the clock of the implementation. */
  | { readonly kind: "time"; readonly offsetMs: number; readonly form: "timestamp" | "date" }
  | { readonly kind: "joined"; readonly parts: readonly Template[] }
  /** HTTP basic credentials. */
  | { readonly kind: "base64"; readonly parts: readonly Template[] };

/** A value that is only known when the request is sent. */
export class Slot {
  readonly content: SlotContent;
  constructor(content: SlotContent) {
    this.content = content;
  }
}

/** JSON with slots in it. In texts, `{{run}}` stands for a short text of the run. */
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
  /** Segments without slashes. */
  readonly path: readonly Template[];
  readonly query: readonly (readonly [string, Template])[];
  readonly headers: readonly (readonly [string, Template])[];
  readonly body?: { readonly form: "json" | "form"; readonly content: Template } | { readonly text: string };
}

export interface Step {
  /** Identifies the step within its story; slots refer to it. */
  readonly id: number;
  readonly request: RequestTemplate;
  /** It has optional inputs: a cursor of its response may belong to them. */
  readonly isFiltered?: boolean;
  /**
   * What the service may report as well, if the request has another mistake that the reference
   * reports.
   */
  readonly alternative?: Condition | undefined;
  /** Time that passes before it. */
  readonly afterMs?: number;
  /** Steps with the same number, one after another, are sent at once. */
  readonly together?: number;
  /** What the step is about, in the words of the report. */
  readonly aspect: string;
  /** `POST /parcels`, or undefined for a request that is for no endpoint. */
  readonly endpoint: string | undefined;
  /** Who sends it, in the words of the report. */
  readonly caller: string;
}

/** What one implementation has answered so far, and what slots need besides. */
export interface Bindings {
  readonly run: string;
  readonly responses: ReadonlyMap<number, ReceivedResponse>;
  nowMs(): number;
}

/** A slot refers to a value that a response does not have. */
export class MissingValue extends Error {
  override name = "MissingValue";
}

/** The request as one implementation receives it. @throws MissingValue */
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

/** `a[b]=1`, as forms have it. */
function formPairs(name: string, value: Json): readonly string[] {
  if (typeof value !== "object" || value === null)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(value === null ? "" : String(value))}`];
  return Object.entries(value).flatMap(([key, part]: [string, Json]) =>
    formPairs(name === "" ? key : Array.isArray(value) ? `${name}[]` : `${name}[${key}]`, part),
  );
}

/** A template as text, for a path, a query or a header. @throws MissingValue */
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
      return content.form === "date" ? text.slice(0, 10) : text;
    }
    case "joined":
      return content.parts.map((part) => textFrom(part, bindings)).join("");
    case "base64":
      return `Basic ${Buffer.from(content.parts.map((part) => textFrom(part, bindings)).join(":")).toString("base64")}`;
  }
}

function valueAt(response: ReceivedResponse, place: ResponsePlace): Json | undefined {
  if (place.in === "header") return headerOf(response, place.name);
  let value: Json | undefined = jsonOf(response.body);
  for (const key of place.path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}

export function headerOf({ headers }: ReceivedResponse, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** Undefined for a text that is no JSON. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The steps whose responses a request reads. */
export function stepsRead(request: RequestTemplate): readonly number[] {
  const found: number[] = [];
  const walk = (template: unknown): void => {
    if (template instanceof Slot) {
      if (template.content.kind === "response") found.push(template.content.step);
      else if ("parts" in template.content) walk(template.content.parts);
    } else if (typeof template === "object" && template !== null) Object.values(template).forEach(walk);
  };
  walk(request);
  return found;
}
