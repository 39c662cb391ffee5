/** `immutable`: can be set on create only. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const immutable: RuleWords<Mark<"immutable">> = {
  rule: "immutable",
  forStored: "nothing",
  otherWords: { constant: "`immutable`", final: "`immutable`" },
  places: ["field"],
  isAbout: "record",
  sentence: () => "Can't be changed after creation.",
};
