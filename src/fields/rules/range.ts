/** `1..200`: bounds of a number or an exact decimal; `1 minute..1 day`: bounds of a duration. */
import { compareDecimals, readDecimal } from "../../expressions/decimal.ts";
import type { Value } from "../../expressions/value.ts";
import type { Phrase } from "../../source/phrase.ts";
import { formatDuration, durationMs } from "../../support/quantity.ts";
import { typeWords } from "../type-words.ts";
import type { FieldType } from "../type.ts";
import { areBounds, type Bounds, boundKeywords, bounds, inOrder, readBounds } from "./bounds.ts";
import type { Check, Misfit, RuleReading, RuleWords } from "./field-rule-notation.ts";

/** Of a duration (`times`), in milliseconds. */
export interface Range extends Bounds {
  readonly rule: "range";
  readonly times?: true;
}

// 1 minute..1 day      ..2 hours
const timed =
  /^(?!(?:length|items|pattern)\b)(?=.*\.\.).*\b(?:millisecond|second|minute|hour|day|week|month|year)s?\b/i;

function read(phrase: Phrase, reading: RuleReading): Range | undefined {
  if (!areBounds(phrase.text)) return readTimes(phrase, reading);
  const numbers = readBounds(phrase, reading);
  return numbers && { rule: "range", ...numbers };
}

/** Reads the bounds of a duration with their units. */
function readTimes({ text }: Phrase, reading: RuleReading): Range | undefined {
  const [minText = "", maxText = ""] = text.split("..").map((end) => end.trim());
  const ends = bounds(minText || undefined, maxText || undefined, durationMs);
  const isRead = (minText === "" || ends.min !== undefined) && (maxText === "" || ends.max !== undefined);
  if (!isRead || (minText === "" && maxText === ""))
    return reading.unreadable("times at both ends or at one: `1 minute..1 day`, `..2 hours`");
  const times = inOrder(ends, [minText, maxText], reading);
  return times && { rule: "range", ...times, times: true };
}

const timesWritten = "1 minute..1 day";

/** Why bounds don't fit a number type: they are written for another one. */
function misfit(rule: Range, type: FieldType): Misfit | undefined {
  if ((type.kind === "duration") !== (rule.times === true))
    return type.kind === "duration"
      ? { subject: "a duration, whose bounds are times", fitting: [timesWritten] }
      : { subject: `${typeWords(type)}, whose bounds are numbers`, fitting: ["1..200"] };
  if (type.kind !== "integer" || [rule.min ?? 0, rule.max ?? 0].every(Number.isSafeInteger)) return undefined;
  return { subject: "an integer, whose bounds are whole numbers", fitting: [] };
}

function compile(rule: Range, type: FieldType): Check {
  const { min, max } = rule;
  const tooSmall = `must be at least ${boundWords(min, rule)}`;
  const tooLarge = `must be at most ${boundWords(max, rule)}`;
  if (type.kind === "decimal") {
    const below = decimalBound(min);
    const above = decimalBound(max);
    return (value) => {
      if (below !== undefined && compareDecimals(value as string, below) < 0) return tooSmall;
      return above !== undefined && compareDecimals(value as string, above) > 0 ? tooLarge : undefined;
    };
  }
  const least = min ?? Number.NEGATIVE_INFINITY;
  const upper = max ?? Number.POSITIVE_INFINITY;
  return (value: Value) => {
    if ((value as number) < least) return tooSmall;
    return (value as number) > upper ? tooLarge : undefined;
  };
}

/** A bound as a decimal. */
function decimalBound(bound: number | undefined): string | undefined {
  return bound === undefined ? undefined : (readDecimal(plainDigits(String(bound))) as string);
}

/** `1.5e-7` as `0.00000015`. JavaScript prints numbers from 10^21 and below 10^-6 with an exponent, which decimals don't have. */
function plainDigits(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = "", integerPart = "", fraction = "", exponent = "0"] = match;
  const digits = integerPart + fraction;
  const point = integerPart.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}

function words(rule: Range): string {
  const [minText, maxText] = [boundWords(rule.min, rule), boundWords(rule.max, rule)];
  if (rule.min === undefined) return `At most ${maxText}.`;
  return rule.max === undefined ? `At least ${minText}.` : `From ${minText} to ${maxText}.`;
}

/** One bound as an author writes it: `200`, `1 day`. Empty if the end is open. */
function boundWords(bound: number | undefined, { times }: Pick<Range, "times">): string {
  if (bound === undefined) return "";
  return times ? formatDuration(bound) : String(bound);
}

export const range: RuleWords<Range> = {
  rule: "range",
  forStored: "bounds",
  starts: [],
  matchStart: (text) => (areBounds(text) || timed.test(text) ? 0 : undefined),
  read,
  otherWords: { positive: "bounds: `1..`", "non-negative": "bounds: `0..`" },
  named: (rule) => `range ${boundWords(rule.min, rule)}..${boundWords(rule.max, rule)}`,
  takes: "numbers",
  applies: (type) =>
    type.kind === "integer" || type.kind === "number" || type.kind === "decimal" || type.kind === "duration",
  misfit,
  compile,
  bounds: (type) => (type.kind === "duration" ? timesWritten : "1..200"),
  // JSON Schema has no bounds for the text of a decimal or a duration.
  schema: (rule, type) =>
    type.kind === "decimal" || type.kind === "duration" ? {} : boundKeywords(rule, "minimum", "maximum"),
  sentence: words,
};
