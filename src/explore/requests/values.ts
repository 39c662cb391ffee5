/** Input values that types and rules accept. */
import { type FieldRule, hasRule, isServiceSet, ruleOf, sentName } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { TimestampForm } from "../../expressions/writing/wire.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { Draw } from "../stories/draw.ts";
import { fieldsOfValue, fitsKind } from "./example-types.ts";
import type { Literals } from "../stories/literals.ts";
import { patternText } from "./pattern-text.ts";
import { runText, Slot, type Template } from "../stories/story.ts";

export interface ValueSource {
  readonly model: Model;
  readonly draw: Draw;
  readonly literals: Literals;
  /** Identifies an existing record; undefined if there is none. */
  reference(resource: string): Template | undefined;
  /** A text that a response showed under this key; undefined if there is none. */
  shownText(key: string): Template | undefined;
}

/** The text of a run, as an example. */
export const sampleRun = runText("aaaa");
/** The length of a text that replaces `{{run}}`. */
export const runLength = sampleRun.length;
export const dayMs = 86_400_000;
/** How often an element of a list is a text of a response, in percent. */
const shownPercent = 50;
/** How often a text is one with which a rule compares its field, in percent. */
const comparedPercent = 25;
/** How many texts of a pattern are drawn until one has an allowed length. */
const patternTriesMax = 5;

/** A value that type and rules accept, unless finding one needs a search. */
export function validValue(
  name: string,
  type: FieldType,
  rules: readonly FieldRule[],
  source: ValueSource,
): Template | undefined {
  const { draw, literals } = source;
  const example = draw.happens(35) ? draw.oneOf(literals.examples.get(name) ?? []) : undefined;
  const isChoice = type.kind === "enum" || type.kind === "state";
  if (example !== undefined && !isChoice && fitsKind(type, example, source.model))
    return salted(example, rules, draw);
  switch (type.kind) {
    case "integer":
    case "number":
      return drawNumber(rules, source);
    case "decimal":
      return drawNumber(rules, source).toFixed(2);
    case "boolean":
      return draw.happens(50);
    case "timestamp":
      return timeSlot(draw.oneOf([-dayMs, 3_600_000, dayMs, 10 * dayMs]) ?? 0, timestampForm(source.model));
    case "date":
      return timeSlot(draw.oneOf([-5 * dayMs, dayMs, 10 * dayMs]) ?? 0, "date");
    case "duration":
      return draw.oneOf(["60s", "3600s"]);
    case "uuid":
      return "7d444840-9dc0-41d1-b245-5ffdce74fad2";
    case "email":
      return `${word(draw)}{{run}}@example.com`;
    case "uri":
      return `https://example.com/{{run}}/${draw.below(100)}`;
    case "enum":
      return draw.oneOf(type.values);
    case "state":
      return draw.oneOf(type.states);
    case "reference":
      return source.reference(type.resource);
    case "list":
      return validList(name, type.of, rules, source);
    case "map":
      return { key: validValue(name, type.of, eachOf(rules), source) ?? null };
    case "value":
      return validParts(fieldsOfValue(source.model, type.resource), source);
    case "object":
      return validParts(type.parts, source);
    case "json":
      return type.either
        ? validValue(name, type.either[draw.below(type.either.length)] ?? type, [], source)
        : drawJson(name, source);
    case "file":
    case "not shown":
      return undefined;
    default:
      return validText(name, rules, source);
  }
}

/** Sometimes a text with which a rule compares a field of this name. */
function comparedText(name: string, draw: Draw, { compared }: Literals): string | undefined {
  const all = compared.get(name);
  return all && draw.happens(comparedPercent) ? draw.oneOf([...all]) : undefined;
}

/** Any JSON; mostly an object with the keys that expressions read. */
function drawJson(name: string, { draw, literals }: ValueSource): Template {
  const keys = [...(literals.jsonKeys.get(name) ?? [])];
  const text = (key: string) => comparedText(key, draw, literals) ?? `${word(draw)} {{run}}`;
  if (keys.length > 0 && draw.happens(60)) return Object.fromEntries(keys.map((key) => [key, text(key)]));
  return draw.oneOf<Template>([{ a: 1 }, "text", 3]) ?? null;
}

function drawNumber(rules: readonly FieldRule[], { draw, literals }: ValueSource): number {
  const { min = 0, max = Number.POSITIVE_INFINITY } = ruleOf(rules, "range") ?? {};
  const near = draw.happens(35) ? draw.oneOf(literals.numbers) : undefined;
  const wanted = near ?? min + draw.below(draw.happens(70) ? 10 : 1000);
  return Math.min(max, Math.max(min, wanted));
}

function validText(name: string, rules: readonly FieldRule[], source: ValueSource): string | undefined {
  for (const text of textCandidates(name, rules, source)) if (fitsText(text, rules)) return text;
  return undefined;
}

/** A generator, because the first candidate mostly fits. */
function* textCandidates(
  name: string,
  rules: readonly FieldRule[],
  { draw, literals }: ValueSource,
): Generator<string> {
  const own = `${word(draw)} {{run}}${draw.below(1000)}`;
  const compared = comparedText(name, draw, literals);
  if (compared !== undefined) yield compared;
  const literal = draw.happens(10) ? draw.oneOf(literals.texts) : undefined;
  if (literal !== undefined) yield literal;
  yield own;
  yield own.replace(" ", "");
  yield "{{run}}";
  yield own.padEnd((ruleOf(rules, "length")?.min ?? 0) + runLength, "x");
  const pattern = ruleOf(rules, "pattern")?.pattern;
  for (let tries = 0; pattern !== undefined && tries < patternTriesMax; tries += 1)
    yield patternText(pattern, draw) ?? "";
  yield "x".repeat(ruleOf(rules, "length")?.min ?? 1);
}

function word(draw: Draw): string {
  return draw.oneOf(["alder", "birch", "cedar", "dogwood", "elm"]) ?? "fir";
}

function fitsText(text: string, rules: readonly FieldRule[]): boolean {
  const sent = text.replaceAll("{{run}}", sampleRun);
  const { min = 0, max = Number.POSITIVE_INFINITY } = ruleOf(rules, "length") ?? {};
  const pattern = ruleOf(rules, "pattern")?.pattern;
  return (
    sent.length >= min && sent.length <= max && (pattern === undefined || wholePattern(pattern).test(sent))
  );
}

const compiledPatterns = new Map<string, RegExp>();

function wholePattern(pattern: string): RegExp {
  const known = compiledPatterns.get(pattern) ?? new RegExp(`^(?:${pattern})$`, "u");
  compiledPatterns.set(pattern, known);
  return known;
}

/**
 * An example of the document. Most texts get a suffix for the run, so that unique fields accept
 * them.
 */
function salted(example: Json, rules: readonly FieldRule[], draw: Draw): Template {
  if (typeof example !== "string" || draw.happens(30)) return example;
  const own = example.includes("@")
    ? example.replace("@", `{{run}}${draw.below(100)}@`)
    : `${example}{{run}}${draw.below(100)}`;
  return fitsText(own, rules) ? own : example;
}

function validList(
  name: string,
  of: FieldType,
  rules: readonly FieldRule[],
  source: ValueSource,
): readonly Template[] {
  const { min = 0, max = 3 } = ruleOf(rules, "items") ?? {};
  const length = Math.max(min, Math.min(max, source.draw.below(3)));
  const elements = Array.from({ length }, () => validElement(name, of, rules, source)).filter(
    (element) => element !== undefined,
  );
  if (!hasRule(rules, "distinct")) return elements;
  const byText = Map.groupBy(elements, (element) => JSON.stringify(element));
  return [...byText.values()].flatMap((same) => same.slice(0, 1));
}

/** Texts of a list often name what a response showed: `seats` each `seat`. */
function validElement(
  name: string,
  of: FieldType,
  rules: readonly FieldRule[],
  source: ValueSource,
): Template | undefined {
  const isText = of.kind === "string" && source.draw.happens(shownPercent);
  const shown = isText ? source.shownText(name.replace(/s$/, "")) : undefined;
  return shown ?? validValue(name, of, eachOf(rules), source);
}

export function validParts(parts: readonly FieldPart[], source: ValueSource): Template {
  const sent = parts
    .filter(({ rules }) => !isServiceSet(rules))
    .filter(({ rules }) => hasRule(rules, "required") || source.draw.happens(50))
    .flatMap(({ name, type, rules }) => {
      const value = validValue(name, type, rules, source);
      return value === undefined ? [] : [[sentName(rules) ?? name, value] as const];
    });
  return Object.fromEntries(sent);
}

export function eachOf(rules: readonly FieldRule[]): readonly FieldRule[] {
  return rules.flatMap((rule) => (rule.rule === "each" ? [rule.of] : []));
}

export function timeSlot(offsetMs: number, form: TimestampForm | "date"): Slot {
  return new Slot({ kind: "time", offsetMs, form });
}

/** The form of timestamps in the document's requests. */
export function timestampForm({ endpointsPart }: Model): TimestampForm {
  return endpointsPart.timestamps ?? "milliseconds";
}
