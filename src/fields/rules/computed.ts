/** `= <expr>`: worked out when read. */
import type { RuleWords } from "./field-rule-words.ts";

export const computed: RuleWords<"computed"> = {
  rule: "computed",
  written: "= <expression>",
  applies: () => true,
  schema: () => ({ readOnly: true }),
  sentence: ({ value }) => `Worked out: \`${value.text}\`.`,
};
