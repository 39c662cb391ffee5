/** `any case`: kept as written, compared and ordered past ASCII case. Stores and expressions compare so. */
import { isTextType, type RuleWords } from "./field-rule-words.ts";

export const anyCase: RuleWords<"any case"> = {
  rule: "any case",
  written: "any case",
  takes: "texts",
  applies: isTextType,
  schema: () => ({}),
  sentence: () => "Capital and small letters count as the same.",
};
