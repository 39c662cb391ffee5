/** Bounds of numbers, alone or after `length` and `items`: `1..200`, `8..`, `..40`. */
import { type Phrase, positionIn } from "../../source/phrase.ts";
import { counted, type RuleReading } from "./field-rule-notation.ts";

/** Either end may be missing. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

// 1..30000      8..      ..0.5
const form = /^(-?\d+(?:\.\d+)?)?\s*\.\.\s*(-?\d+(?:\.\d+)?)?$/;

export function areBounds(text: string): boolean {
  return form.test(text);
}

/** Reads bounds from a text in their form. Undefined if no value could satisfy them, which is reported. */
export function readBounds({ text }: Phrase, reading: RuleReading): Bounds | undefined {
  const [minText, maxText] = (form.exec(text) ?? []).slice(1);
  if (minText === undefined && maxText === undefined)
    return reading.unreadable("a bound at one end at least: `1..200`, `8..` or `..40`");
  return inOrder(bounds(minText, maxText, Number), [Number(minText), Number(maxText)], reading);
}

/** Reads both ends, each at its position. */
export function bounds<T>(
  least: T | undefined,
  maxText: T | undefined,
  read: (end: T) => number | undefined,
): Bounds {
  const [min, max] = [least, maxText].map((end) => (end === undefined ? undefined : read(end)));
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

/** The bounds, unless they are reversed, which is reported. */
export function inOrder(
  ends: Bounds,
  [min, max]: readonly [number | string, number | string],
  { reporter, whole }: RuleReading,
): Bounds | undefined {
  if (ends.min === undefined || ends.max === undefined || ends.min <= ends.max) return ends;
  reporter.report("resources/bounds-reversed", positionIn(whole), { min, max });
  return undefined;
}

/** Reads the number of elements or characters after `items` or `length`. */
export function readCounts(name: string, rest: Phrase, reading: RuleReading): Bounds | undefined {
  if (!areBounds(rest.text))
    return reading.unreadable(`\`${name} 1..120\`, \`${name} 8..\` or \`${name} ..40\``);
  const read = readBounds(rest, reading);
  const isCount = (bound: number) => Number.isSafeInteger(bound) && bound >= 0;
  if (!read || [read.min ?? 0, read.max ?? 0].every(isCount)) return read;
  return reading.unreadable(`whole numbers from 0 on after \`${name}\``);
}

/** `1 to 120 characters.` */
export function countsInWords({ min, max }: Bounds, noun: string): string {
  if (max === undefined) return `At least ${counted(min ?? 0, noun)}.`;
  if (min === undefined) return `At most ${counted(max, noun)}.`;
  return min === max ? `Exactly ${counted(min, noun)}.` : `${min} to ${counted(max, noun)}.`;
}

/** The bounds as an author writes them: `1..120`. */
export function boundsText({ min, max }: Bounds): string {
  return `${min ?? ""}..${max ?? ""}`;
}

/** Keywords of JSON Schema for the ends that there are. */
export function boundKeywords(
  { min, max }: Bounds,
  minKeyword: string,
  maxKeyword: string,
): Record<string, number> {
  return {
    ...(min === undefined ? {} : { [minKeyword]: min }),
    ...(max === undefined ? {} : { [maxKeyword]: max }),
  };
}
