/** `on create <expr>`: set by the service when a record is created. */
import type { RuleWords, RuleWithExpression } from "./field-rule-notation.ts";

export const onCreate: RuleWords<RuleWithExpression<"on create">> = {
  rule: "on create",
  forStored: "nothing",
  takesExpression: true,
  places: ["field"],
  isAbout: "record",
  isServiceSet: true,
  schema: () => ({ readOnly: true }),
  sentence: ({ value }) => `Set on create: \`${value.text}\`.`,
};
