/** `length 1..120`: number of characters of a text in code points, as databases count. */
import { type Bounds, boundKeywords, countsInWords, readCounts, boundsText } from "./bounds.ts";
import { type Check, counted, isTextType, type RuleWords } from "./field-rule-notation.ts";

export interface Length extends Bounds {
  readonly rule: "length";
}

function compile(rule: Length): Check {
  const min = rule.min ?? 0;
  const max = rule.max ?? Number.POSITIVE_INFINITY;
  const tooShort = `must have at least ${counted(min, "character")}`;
  const tooLong = `must have at most ${counted(max, "character")}`;
  return (value) => {
    const text = value as string;
    // A code point has one or two UTF-16 units, so most texts needn't be counted.
    if (text.length <= max && text.length >= 2 * min) return undefined;
    const characters = codePoints(text);
    if (characters < min) return tooShort;
    return characters > max ? tooLong : undefined;
  };
}

/** Number of code points of a well-formed text. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) count -= 1;
  }
  return count;
}

export const length: RuleWords<Length> = {
  rule: "length",
  forStored: "bounds",
  read(rest, reading) {
    const bounds = readCounts("length", rest, reading);
    return bounds && { rule: "length", ...bounds };
  },
  otherWords: { "non-empty": "`length 1..`" },
  named: (rule) => `length ${boundsText(rule)}`,
  takes: "texts",
  applies: isTextType,
  compile,
  bounds: () => "length 1..120",
  schema: (rule) => boundKeywords(rule, "minLength", "maxLength"),
  sentence: (rule) => countsInWords(rule, "character"),
};
