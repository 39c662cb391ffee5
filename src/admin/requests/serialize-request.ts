/**
 * Request serialization: a request of the journal as the operations API returns it, as a row of
 * lists and in full. Neither contains a secret.
 */
import { type Static, Type } from "typebox";
import { type Mask, secretsIn } from "../../engine/secrets/masking.ts";
import { maskTexts } from "../../engine/secrets/mask-text.ts";
import { parseMediaType } from "../../model/endpoints/media-type.ts";
import { createSource, lineText } from "../../source/source.ts";
import type { Model } from "../../model/model.ts";
import { reasonText } from "./reason-text.ts";
import { refusalReason } from "./refusal-reason.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { AdminContext, AdminSpace, ServedDocument } from "../context.ts";
import { fields, nullable, time } from "../api/routing/route.ts";
import type { JournalEntry, StoredBody } from "../../engine/observability/journal-entry.ts";

const headerLine = fields({ name: Type.String(), value: Type.String() });

const caller = fields({
  resource: nullable(Type.String({ description: "null if the caller is not a record" })),
  id: Type.String(),
  scheme: nullable(Type.String()),
});

/** The cause of a response that is a failure of the service rather than a rejection. */
const cause = fields({
  kind: Type.Union([Type.Literal("fault"), Type.Literal("gap"), Type.Literal("on demand")]),
  text: Type.String({ description: "of a fault, with its stack" }),
});

export const requestRow = fields({
  number: Type.Integer({ description: "counts the requests of the data space" }),
  id: Type.String(),
  time,
  method: Type.String({ description: "empty where the request could not be parsed" }),
  path: Type.String({ description: "with its query; secrets are masked" }),
  status: Type.Integer(),
  took_ms: Type.Number(),
  endpoint: nullable(Type.String({ description: "as in its heading" })),
  caller: nullable(caller),
  condition: nullable(Type.String({ description: "of part 7; `not shown` of a gap" })),
  code: nullable(Type.String()),
  line: nullable(Type.Integer({ description: "of the document, which decided the answer" })),
  why: nullable(
    Type.String({
      description:
        "one sentence: what was wrong, the rule, the values that decided, and what would be allowed",
    }),
  ),
  changes: Type.Integer({ description: "how many records it has changed" }),
  events: Type.Integer(),
  cause: nullable(cause),
  stream: nullable(Type.Union([Type.Literal("open"), Type.Literal("ended")])),
});

export type RequestRow = Static<typeof requestRow>;

const body = fields({
  text: nullable(Type.String({ description: "null if it is not text" })),
  cut: Type.Boolean({ description: "it is longer than what is kept of it" }),
  media_type: nullable(Type.String()),
});

const change = fields({
  resource: Type.String(),
  id: Type.String(),
  kind: Type.Union([Type.Literal("created"), Type.Literal("updated"), Type.Literal("deleted")]),
  transitions: Type.Array(
    fields({ name: Type.String(), from: nullable(Type.String()), to: nullable(Type.String()) }),
  ),
});

export const requestSchema = fields({
  ...requestRow.properties,
  space: Type.String(),
  version: nullable(Type.String()),
  address: Type.String({ description: "the request's source" }),
  because: nullable(fields({ line: Type.Integer(), text: Type.String({ description: "of that line" }) })),
  problem: nullable(Type.String({ description: "what was wrong, in the engine's words" })),
  kept: Type.Boolean({
    description: "whether headers and bodies are still stored; the oldest are deleted first",
  }),
  headers: Type.Array(headerLine),
  body: nullable(body),
  answer: fields({ headers: Type.Array(headerLine), body: nullable(body) }),
  changed: Type.Array(change),
  listed_events: Type.Array(fields({ sequence: Type.Integer(), id: Type.String(), type: Type.String() }), {
    description: "the events that report it, as far as the log still has them",
  }),
});

export type RequestResponse = Static<typeof requestSchema>;

export function toRequestRow({ requests, service }: AdminSpace, request: JournalEntry): RequestRow {
  const { number, id, timeMs, method, status, tookMs, endpoint, caller: who, because } = request;
  const mask = requests.mask(endpoint);
  return {
    number,
    id,
    time: new Date(timeMs).toISOString(),
    method,
    path: mask.target(request.target),
    status,
    took_ms: Math.round(tookMs * 100) / 100,
    endpoint: endpoint && `${endpoint.method} ${endpoint.path.text}`,
    caller: who && { resource: who.resource, id: who.id, scheme: who.scheme },
    condition: conditionOf(request),
    code: request.code,
    line: because?.start.line ?? null,
    why:
      request.reasons.length === 0
        ? null
        : reasonSentence(service.internals.context.model, mask, request, secretsOf(mask, request)),
    changes: request.changeCount,
    events: request.eventCount,
    cause: request.cause,
    stream: request.stream,
  };
}

export async function toRequestResponse(
  admin: AdminContext,
  space: AdminSpace,
  request: JournalEntry,
): Promise<RequestResponse> {
  const { because, texts } = request;
  const mask = space.requests.mask(request.endpoint);
  const secrets = secretsOf(mask, request);
  return {
    ...toRequestRow(space, request),
    space: space.name,
    version: request.version,
    address: request.remoteAddress,
    because: because && {
      line: because.start.line,
      text: lineText(sourceOf(admin.document), because.start.line),
    },
    problem: problemOf(mask, request, secrets),
    kept: texts !== null,
    headers: texts ? linesOf(mask.headers(pairsOf(texts.rawHeaders)), secrets) : [],
    body:
      texts && toBodyResponse(texts.body, texts.rawHeaders, (text, type) => mask.body(text, type), secrets),
    answer: {
      headers: texts ? linesOf(mask.answerHeaders(texts.answerHeaders), secrets) : [],
      body:
        texts &&
        toBodyResponse(
          texts.answerBody,
          texts.answerHeaders.flat(),
          (text) => mask.answerBody(text),
          secrets,
        ),
    },
    changed: request.changes.map(({ resource, id, kind, transitions }) => ({
      resource,
      id,
      kind,
      transitions: [...transitions],
    })),
    listed_events: await eventsOf(space, request.events),
  };
}

/** The events of one transaction are adjacent in the log. */
async function eventsOf({ service }: AdminSpace, sequences: readonly number[]) {
  const [first] = sequences;
  if (first === undefined) return [];
  const { system } = service.internals.context.store.session;
  const length = (sequences.at(-1) as number) - first + 1;
  const known = new Set(sequences);
  return (await system.eventsAfter(first - 1, Math.min(length, 1000)))
    .filter(({ sequence }) => known.has(sequence))
    .map(({ sequence, id, type }) => ({ sequence, id, type }));
}

/**
 * The secrets of the request, to mask them wherever they occur. Empty if the journal dropped its
 * data.
 */
export function secretsOf(mask: Mask, { texts, target }: JournalEntry): readonly string[] {
  if (!texts) return [];
  const body = texts.body && textOf(texts.body);
  return secretsIn(mask, { target, headers: pairsOf(texts.rawHeaders), body });
}

/** The reason of a rejection as text; null if the request wasn't rejected. */
function problemOf(mask: Mask, request: JournalEntry, secrets: readonly string[]): string | null {
  const words = reasonText({ ...request, target: mask.target(request.target) });
  return words === null ? null : maskTexts(words, secrets);
}

/** The reason as one sentence, with the rule and the values that decided. */
export function reasonSentence(
  model: Model,
  mask: Mask,
  request: JournalEntry,
  secrets: readonly string[],
): string | null {
  const words = refusalReason(model, { ...request, target: mask.target(request.target) });
  return words === null ? null : maskTexts(words, secrets);
}

export function conditionOf({ reasons }: JournalEntry): string | null {
  const [first] = reasons;
  return first ? (first.condition ?? "not shown") : null;
}

export function pairsOf(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] as string, rawHeaders[at + 1] as string]);
  return pairs;
}

export function headerOf(pairs: readonly (readonly [string, string])[], small: string): string | undefined {
  return pairs.find(([name]) => name.toLowerCase() === small)?.[1];
}

function linesOf(pairs: readonly (readonly [string, string])[], secrets: readonly string[]) {
  return pairs.map(([name, value]) => ({ name, value: maskTexts(value, secrets) }));
}

function toBodyResponse(
  storedBody: StoredBody | null,
  rawHeaders: readonly string[],
  masked: (text: string, contentType: string | undefined) => string,
  secrets: readonly string[],
): Static<typeof body> | null {
  if (!storedBody) return null;
  const contentType = headerOf(pairsOf(rawHeaders), "content-type");
  const text = textOf(storedBody);
  return {
    text: text === null ? null : maskTexts(masked(text, contentType), secrets),
    cut: storedBody.isCut,
    media_type: parseMediaType(contentType ?? "")?.type ?? null,
  };
}

/** The text of a body; null if it isn't text. A truncated body may end within a character. */
export function textOf({ content, isCut }: StoredBody): string | null {
  if (typeof content === "string") return content;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content, { stream: isCut });
  } catch {
    return null;
  }
}

const sourceOf = memoizeBy(({ file, text }: ServedDocument) => createSource(file, text));
