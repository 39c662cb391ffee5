/** `= <expr>`: worked out when read. */
import type { RuleWords, RuleWithExpression } from "./field-rule-words.ts";

export const computed: RuleWords<RuleWithExpression<"computed">> = {
  rule: "computed",
  starts: [],
  begins: (text) => (/^=(?!=)/.test(text) ? 1 : undefined),
  takesExpression: true,
  otherWords: { computed: "`= <expression>`", calculated: "`= <expression>`" },
  places: ["field", "value"],
  contradicts: [
    "default",
    "on create",
    "on update",
    "unique",
    "immutable",
    "write-only",
    "shown once",
    "required",
    "nullable",
  ],
  isAbout: "record",
  isServiceSet: true,
  schema: () => ({ readOnly: true }),
  sentence: ({ value }) => `Worked out: \`${value.text}\`.`,
};
