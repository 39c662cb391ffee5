/** `required`: a stored record always has it. Whether an input must be sent is said by the input (decision "Required fields in updates"). */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const required: RuleWords<Mark<"required">> = {
  rule: "required",
  otherWords: { "not null": "`required`", mandatory: "`required`" },
  contradicts: ["nullable"],
  isAbout: "record",
  sentence: () => "Always there.",
};
