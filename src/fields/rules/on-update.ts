/** `on update <expr>`: set by the service whenever a record changes. */
import type { RuleWords } from "./field-rule-words.ts";

export const onUpdate: RuleWords<"on update"> = {
  rule: "on update",
  written: "on update <expression>",
  applies: () => true,
  schema: () => ({ readOnly: true }),
  sentence: ({ value }) => `Set when it changes: \`${value.text}\`.`,
};
