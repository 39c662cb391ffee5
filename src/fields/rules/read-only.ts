/** `read-only`: never sent by clients. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const readOnly: RuleWords<Mark<"read-only">> = {
  rule: "read-only",
  forStored: "nothing",
  otherWords: { readonly: "`read-only`", "read only": "`read-only`" },
  places: ["field", "value", "part"],
  contradicts: ["write-only"],
  isAbout: "record",
  isServiceSet: true,
  schema: () => ({ readOnly: true }),
  sentence: () => "Set by the service.",
};
