/** `= <expr>`: computed on read. */
import type { RuleWords, RuleWithExpression } from "./field-rule-notation.ts";

export const computed: RuleWords<RuleWithExpression<"computed">> = {
  rule: "computed",
  // The field isn't stored. If a later document stores it, `was computed` applies to its records.
  forStored: "nothing",
  starts: [],
  matchStart: (text) => (/^=(?!=)/.test(text) ? 1 : undefined),
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
    // No request and no effect sets such a field, so there is nothing to reject or change.
    "length",
    "range",
    "pattern",
    "items",
    "distinct",
    "each",
    "keys",
    "merged",
    "trimmed",
    "lower case",
    "empty is null",
    "on delete",
  ],
  isAbout: "record",
  isServiceSet: true,
  schema: () => ({ readOnly: true }),
  sentence: ({ value }) => `Computed: \`${value.text}\`.`,
};
