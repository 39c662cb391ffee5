/**
 * `default <expr>`: used if nothing was sent. The engine evaluates it; the schema has a literal
 * default.
 */
import type { RuleWords, RuleWithExpression } from "./field-rule-notation.ts";

export const defaultRule: RuleWords<RuleWithExpression<"default">> = {
  rule: "default",
  forStored: "nothing",
  takesExpression: true,
  contradicts: ["on create"],
  isAbout: "record",
  schema: ({ value }) => (value.node.op === "literal" ? { default: value.node.value } : {}),
  sentence: ({ value }) => `Default: \`${value.text}\`.`,
};
