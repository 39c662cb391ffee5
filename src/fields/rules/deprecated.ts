/** `deprecated`: clients should no longer send or read it. Nothing else changes. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const deprecated: RuleWords<Mark<"deprecated">> = {
  rule: "deprecated",
  forStored: "nothing",
  otherWords: { obsolete: "`deprecated`" },
  schema: () => ({ deprecated: true }),
  sentence: () => "Deprecated.",
};
