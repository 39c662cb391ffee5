/**
 * `required`: a stored record always has it. An input states itself whether it must be sent
 * (decision "Required fields in updates").
 */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const required: RuleWords<Mark<"required">> = {
  rule: "required",
  forStored: "restricts",
  otherWords: { "not null": "`required`", mandatory: "`required`" },
  contradicts: ["nullable"],
  isAbout: "record",
  sentence: () => "Never null.",
};
