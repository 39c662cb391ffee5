/**
 * `empty is null`: the empty text counts as null. The reader applies it after `trimmed`, so that
 * blanks alone are empty too.
 */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const emptyIsNull: RuleWords<Mark<"empty is null">> = {
  rule: "empty is null",
  forStored: "normalises",
  isAbout: "form",
  sentence: () => "An empty text becomes null.",
};
