/**
 * `nullable`: null may be sent and clears the field. For any other field null is a missing field.
 */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const nullable: RuleWords<Mark<"nullable">> = {
  rule: "nullable",
  forStored: "nothing",
  otherWords: { null: "`nullable`" },
  sentence: () => "Can be set to null.",
};
