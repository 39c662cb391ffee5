/** `default <expr>`: taken when nothing was sent. The engine works it out; a plain value stands in the schema. */
import type { RuleWords } from "./field-rule-words.ts";

export const defaultRule: RuleWords<"default"> = {
  rule: "default",
  written: "default <expression>",
  applies: () => true,
  schema: ({ value }) => (value.node.op === "literal" ? { default: value.node.value } : {}),
  sentence: ({ value }) => `When nothing is sent: \`${value.text}\`.`,
};
