/** `on update <expr>`: set by the service whenever a record changes. */
import type { RuleWords, RuleWithExpression } from "./field-rule-notation.ts";

export const onUpdate: RuleWords<RuleWithExpression<"on update">> = {
  rule: "on update",
  forStored: "nothing",
  takesExpression: true,
  places: ["field"],
  isAbout: "record",
  isServiceSet: true,
  schema: () => ({ readOnly: true }),
  sentence: ({ value }) => `Set on update: \`${value.text}\`.`,
};
