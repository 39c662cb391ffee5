/** `immutable`: only sent on create. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const immutable: RuleWords<Mark<"immutable">> = {
  rule: "immutable",
  otherWords: { constant: "`immutable`", final: "`immutable`" },
  places: ["field"],
  isAbout: "record",
  sentence: () => "Never changes.",
};
