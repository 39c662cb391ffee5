/**
 * `pattern ^[A-Z]{2}$`: RE2 syntax, the whole value. RE2 runs in time linear in the text whatever the pattern, which the
 * engine of JavaScript does not.
 */
import { RE2JS } from "re2js";
import { isTextType, type RuleWords } from "./field-rule-words.ts";
import { messageOf } from "../../support/failure.ts";

/** Longest pattern taken from a document, in characters. */
const patternLengthMax = 1000;

export interface CompiledPattern {
  matches(text: string): boolean;
}

/** Compiles once. What is wrong with a pattern comes as words: `missing closing ]`. */
export function compilePattern(pattern: string): CompiledPattern | { readonly problem: string } {
  if (pattern.length > patternLengthMax)
    return { problem: `it is longer than ${patternLengthMax} characters` };
  try {
    const compiled = RE2JS.compile(pattern);
    return { matches: (text) => compiled.testExact(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

export const pattern: RuleWords<"pattern"> = {
  rule: "pattern",
  written: "pattern ^[A-Z]{2}$",
  takes: "texts",
  applies: isTextType,
  compile: (rule) => {
    const compiled = compilePattern(rule.pattern);
    // A pattern that can't be compiled is a mistake of the document, which is not served.
    if ("problem" in compiled)
      throw new Error(`the pattern ${rule.pattern} can't be used: ${compiled.problem}`);
    const words = `must match ${rule.pattern}`;
    return (value) => (compiled.matches(value as string) ? undefined : words);
  },
  schema: ({ pattern: text }) => ({ pattern: anchored(text) }),
  sentence: ({ pattern: text }) => `Matches \`${text}\`.`,
};

/** JSON Schema finds a pattern anywhere in a text; ours is of the whole. */
function anchored(text: string): string {
  const whole = text.startsWith("^") && text.endsWith("$") && !text.endsWith("\\$") && !text.includes("|");
  return whole ? text : `^(?:${text})$`;
}
