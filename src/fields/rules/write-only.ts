/** `write-only`: never returned. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const writeOnly: RuleWords<Mark<"write-only">> = {
  rule: "write-only",
  forStored: "nothing",
  otherWords: { writeonly: "`write-only`" },
  places: ["field", "value", "part"],
  isAbout: "record",
  isHidden: true,
  schema: () => ({ writeOnly: true }),
  sentence: () => "Never returned.",
};
