/** `length 1..120`: how many characters a text has, counted in code points, as databases count. */
import { type Check, counted, isTextType, type RuleOf, type RuleWords } from "./field-rule-words.ts";

function compile(rule: RuleOf<"length">): Check {
  const min = rule.min ?? 0;
  const max = rule.max ?? Number.POSITIVE_INFINITY;
  const tooShort = `must have at least ${counted(min, "character")}`;
  const tooLong = `must have at most ${counted(max, "character")}`;
  return (value) => {
    const text = value as string;
    // A code point has one or two UTF-16 units: most texts need no counting.
    if (text.length <= max && text.length >= 2 * min) return undefined;
    const characters = codePoints(text);
    if (characters < min) return tooShort;
    return characters > max ? tooLong : undefined;
  };
}

/** The characters of a well-formed text. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) count -= 1;
  }
  return count;
}

function words({ min, max }: RuleOf<"length">): string {
  if (max === undefined) return `At least ${counted(min ?? 0, "character")}.`;
  if (min === undefined) return `At most ${counted(max, "character")}.`;
  return min === max ? `Exactly ${counted(min, "character")}.` : `${min} to ${counted(max, "character")}.`;
}

export const length: RuleWords<"length"> = {
  rule: "length",
  written: "length 1..120",
  takes: "texts",
  applies: isTextType,
  compile,
  schema: ({ min, max }) => ({
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
  }),
  sentence: words,
};
