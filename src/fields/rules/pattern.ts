/**
 * `pattern ^[A-Z]{2}$`: RE2 syntax, matched against the complete value. RE2 runs in time linear in
 * the text for every pattern; JavaScript's engine doesn't.
 */
import { RE2JS } from "re2js";
import { type Phrase, positionIn, unquote } from "../../source/phrase.ts";
import { isTextType, type RuleReading, type RuleWords } from "./field-rule-notation.ts";
import { messageOf } from "../../support/failure.ts";
import { searchedPattern } from "../../support/whole-pattern.ts";

export interface Pattern {
  readonly rule: "pattern";
  /** RE2 syntax, matched against the complete value. */
  readonly pattern: string;
}

/** Maximum length of a pattern in a document, in UTF-16 units. A longer pattern is a program rather than a rule. */
const patternLengthMax = 256;

/** Maximum length of a compiled pattern, including what is added around it. */
const compiledLengthMax = 1000;

export interface CompiledPattern {
  matches(text: string): boolean;
}

/** Compiles a pattern once. If it is invalid, returns the problem: `missing closing ]`. */
export function compilePattern(pattern: string): CompiledPattern | { readonly problem: string } {
  if (pattern.length > compiledLengthMax)
    return { problem: `it is longer than ${compiledLengthMax} characters` };
  try {
    const compiled = RE2JS.compile(pattern);
    return { matches: (text) => compiled.testExact(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function read(rest: Phrase, { reporter, unreadable }: RuleReading): Pattern | undefined {
  const phrase = unquote(rest);
  const { text } = phrase;
  if (text === "") return unreadable("`pattern ^[A-Z]{2}$`, in backticks or without");
  const params = { length: text.length, lengthMax: patternLengthMax };
  if (text.length > patternLengthMax) {
    reporter.report("resources/pattern-too-long", positionIn(phrase), params);
    return undefined;
  }
  const compiled = compilePattern(text);
  if (!("problem" in compiled)) return { rule: "pattern", pattern: text };
  reporter.report("resources/broken-pattern", positionIn(phrase), { pattern: text, why: compiled.problem });
  return undefined;
}

export const pattern: RuleWords<Pattern> = {
  rule: "pattern",
  forStored: "restricts",
  read,
  named: (rule) => `pattern \`${rule.pattern}\``,
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
  bounds: () => "pattern ^[A-Z]{2}$",
  schema: ({ pattern: text }) => ({ pattern: searchedPattern(text) }),
  sentence: ({ pattern: text }) => `Matches \`${text}\`.`,
};
