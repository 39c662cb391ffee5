/**
 * Requests and responses from the document's scenarios, by the operations that they call. They are
 * accurate, because `ninefold test` runs them. A scenario's captures are kept as written,
 * `{{parcel}}`.
 */
import { parameterNames } from "../../model/endpoints/path-text.ts";
import { nonNull } from "../../support/non-null.ts";
import type { HttpRequestText, HttpResponseText, Model, TextAt } from "../../model/model.ts";
import { withoutBareCaptures } from "../../model/scenarios/captures.ts";
import type { Position } from "../../source/source.ts";
import type { Json } from "../../support/json.ts";
import { type createNames, kebab } from "./names.ts";
import type { ExchangeExample, Operation } from "./wire.ts";

export interface Exchange {
  readonly scenario: string;
  readonly position: Position;
  readonly request: HttpRequestText;
  readonly response: HttpResponseText;
}

export function exchangesOf(model: Model): readonly Exchange[] {
  return model.scenarios.flatMap((scenario) =>
    scenario.steps.flatMap((step) =>
      step.kind === "exchange"
        ? [
            {
              scenario: scenario.name,
              position: step.position,
              request: step.request,
              response: step.response,
            },
          ]
        : [],
    ),
  );
}

/**
 * The segments of a request's target after the base address; undefined for `{{address}}` of an
 * earlier response.
 */
export function pathOfTarget(target: string): readonly string[] | undefined {
  const path = nonNull(target.replace(/^https?:\/\/[^/?]*/i, "").split("?", 1)[0]);
  if (!path.startsWith("/")) return undefined;
  return path.split("/").filter((segment) => segment !== "");
}

/**
 * The values of an operation's path in the target's segments, decoded, by the names of the
 * parameters; undefined if the target has another path.
 */
export function pathValues(
  template: string,
  segments: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const parts = template.split("/").filter((part) => part !== "");
  const values = new Map<string, string>();
  let at = 0;
  for (const part of parts) {
    // A rest is the only part that covers several segments.
    const segmentCount = part.endsWith("...}") ? segments.length - parts.length + 1 : 1;
    const texts = segments.slice(at, at + segmentCount).map((segment) => textIn(part, segment));
    if (texts.length < Math.max(segmentCount, 1) || texts.includes(undefined)) return undefined;
    for (const name of parameterNames(part)) values.set(name, texts.join("/"));
    at += segmentCount;
  }
  return at === segments.length ? values : undefined;
}

/**
 * The decoded text of a segment without the text around the parameter; undefined if the segment has
 * another form.
 */
function textIn(part: string, segment: string): string | undefined {
  const [, before, behind] = /^([^{]*)\{[^}]*\}(.*)$/.exec(part) ?? [];
  if (before === undefined || behind === undefined) return part === decoded(segment) ? "" : undefined;
  if (segment.length <= before.length + behind.length) return undefined;
  if (!segment.startsWith(before) || !segment.endsWith(behind)) return undefined;
  return decoded(segment.slice(before.length, segment.length - behind.length));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The operation that a request is for: a literal segment wins over a parameter. */
export function operationOf<O extends Pick<Operation, "method" | "path">>(
  operations: readonly O[],
  basePath: string,
  method: string,
  segments: readonly string[],
): O | undefined {
  const fitting = operations.filter(
    (operation) =>
      operation.method === method && pathValues(basePath + operation.path, segments) !== undefined,
  );
  return fitting.toSorted((a, b) => (literalsFirst(a.path) < literalsFirst(b.path) ? -1 : 1))[0];
}

function literalsFirst(path: string): string {
  return path
    .split("/")
    .map((part) => (part.includes("{") ? "1" : "0"))
    .join("");
}

export function exampleOf(exchange: Exchange, names: ReturnType<typeof createNames>): ExchangeExample {
  const { scenario, position, request, response } = exchange;
  const preferredName = kebab(scenario) || "example";
  return {
    scenario,
    name: names.take([preferredName], { subject: "", position }),
    position,
    request: {
      method: request.method,
      target: request.target,
      headers: headersOf(request),
      ...(request.body ? { body: bodyOf(request.body, contentType(request)) } : {}),
    },
    response: {
      status: response.status,
      headers: headersOf(response),
      ...(response.body ? { body: bodyOf(response.body, contentType(response)) } : {}),
    },
  };
}

function headersOf({ headers }: Pick<HttpRequestText, "headers">): readonly (readonly [string, string])[] {
  return headers.map(({ name, value }) => [name, value] as const);
}

function contentType({ headers }: Pick<HttpRequestText, "headers">): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
}

/**
 * Part 1: a body without `Content-Type` is JSON. A capture without quotes becomes a text with its
 * braces.
 */
function bodyOf({ text }: TextAt, type: string | undefined): Json {
  if (type !== undefined && !/\bjson\b/i.test(type)) return text;
  try {
    return JSON.parse(quoted(text)) as Json;
  } catch {
    return text;
  }
}

/**
 * Blanks of the same length replace captures without quotes; then each capture is inserted as a
 * text.
 */
function quoted(text: string): string {
  const plain = withoutBareCaptures(text);
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === plain[at]) continue;
    const end = text.indexOf("}}", at) + 2;
    pieces.push(text.slice(copied, at), JSON.stringify(text.slice(at, end)));
    copied = end;
    at = end - 1;
  }
  return pieces.join("") + text.slice(copied);
}
