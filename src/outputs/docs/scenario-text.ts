/**
 * The requests and expectations of scenarios, for readers. Captures become variables of the
 * reader's shell or program; in responses they become descriptions. All values are the document's
 * own.
 */
import { captureWords, readCaptures, withoutBareCaptures } from "../../model/scenarios/captures.ts";
import type { Model, ScenarioStep } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { ExchangeExample } from "../wire/wire.ts";

export type Exchange = Extract<ScenarioStep, { kind: "exchange" }>;

/** The names of the captures in a text that hold a value of the reader, each once. */
export function capturesIn(text: string): readonly string[] {
  const names = readCaptures(text).captures.map((capture) => capture.name);
  return [...new Set(names.filter((name) => name !== captureWords.anything && name !== captureWords.absent))];
}

/** A piece of a text: plain text or a capture. */
export type TextPiece = { readonly text: string } | { readonly variable: string; readonly type?: string };

export function piecesOf(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const { from, to, name, type } of readCaptures(text).captures) {
    if (from > at) pieces.push({ text: text.slice(at, from) });
    pieces.push({ variable: name, ...(type === undefined ? {} : { type }) });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

/** Marks a capture without quotes, whose value is not a text. */
const bareMark = "\u0000";

/** A body as JSON, with its captures as texts; undefined if the body isn't JSON. */
export function jsonOf(text: string): Json | undefined {
  const plain = withoutBareCaptures(text);
  const pieces: string[] = [];
  let copied = 0;
  for (const { from, to } of readCaptures(text).captures) {
    if (plain.slice(from, to) === text.slice(from, to)) continue;
    pieces.push(text.slice(copied, from), JSON.stringify(bareMark + text.slice(from, to)));
    copied = to;
  }
  try {
    return JSON.parse(pieces.join("") + text.slice(copied)) as Json;
  } catch {
    return undefined;
  }
}

/** The JSON of `jsonOf` as text: captures that had no quotes have none again. */
export function jsonText(json: Json): string {
  return JSON.stringify(json, null, 2).replace(/"\\u0000(\{\{[^{}"]*\}\})"/g, "$1");
}

/** A text within the JSON of `jsonOf`, without its mark. */
export function plainString(text: string): string {
  return text.startsWith(bareMark) ? text.slice(1) : text;
}

/**
 * An expected response, with ‹words› for values that differ from run to run, and without forbidden
 * members.
 */
export function shownAnswer(text: string): string {
  const json = jsonOf(text);
  const lines = json === undefined ? text : jsonText(present(json)).replace(/"(\{\{[^{}"]*\}\})"/g, "$1");
  return piecesOf(lines)
    .map((piece) => ("text" in piece ? piece.text : `‹${answerWords(piece)}›`))
    .join("");
}

/** `parcel`; the type for `*: timestamp`; "anything" for `*`. */
function answerWords({ variable, type }: Extract<TextPiece, { variable: string }>): string {
  return variable === captureWords.anything ? (type ?? "anything") : variable;
}

function present(json: Json): Json {
  if (Array.isArray(json)) return json.map(present);
  if (typeof json !== "object" || json === null) return json;
  const entries = Object.entries(json).filter(([, value]) => !isAbsent(value as Json));
  return Object.fromEntries(entries.map(([key, value]) => [key, present(value as Json)]));
}

function isAbsent(value: Json): boolean {
  if (typeof value !== "string") return false;
  const [only, ...others] = readCaptures(plainString(value)).captures;
  return only?.name === captureWords.absent && others.length === 0;
}

/**
 * The exchange that an example of the wire view was made from: its own text still has the captures.
 */
export function exchangeOf(model: Model, example: ExchangeExample): Exchange | undefined {
  const scenario = model.scenarios.find((candidate) => candidate.name === example.scenario);
  return scenario?.steps.find(
    (step): step is Exchange =>
      step.kind === "exchange" && step.position.start.offset === example.position.start.offset,
  );
}

/**
 * The origin of a variable: the scenario's first exchange whose response has it, or the records
 * that existed before.
 */
export function sourceOf(
  model: Model,
  scenario: string,
  name: string,
): { readonly exchange: Exchange } | { readonly given: string } | undefined {
  const steps = model.scenarios.find((candidate) => candidate.name === scenario)?.steps ?? [];
  for (const step of steps) {
    if (step.kind === "given" && step.as === name) return { given: step.resource };
    if (step.kind !== "exchange") continue;
    const texts = [...step.response.headers.map((header) => header.value), step.response.body?.text ?? ""];
    if (texts.some((text) => capturesIn(text).includes(name))) return { exchange: step };
  }
  return undefined;
}
