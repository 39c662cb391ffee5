/** `on create <expr>`: set by the service when a record is made. */
import type { RuleWords } from "./field-rule-words.ts";

export const onCreate: RuleWords<"on create"> = {
  rule: "on create",
  written: "on create <expression>",
  applies: () => true,
  schema: () => ({ readOnly: true }),
  sentence: ({ value }) => `Set when it is made: \`${value.text}\`.`,
};
