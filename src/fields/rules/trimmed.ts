/** `trimmed`: blanks at both ends are taken off. */
import { isTextType, type RuleWords } from "./field-rule-words.ts";

export const trimmed: RuleWords<"trimmed"> = {
  rule: "trimmed",
  written: "trimmed",
  takes: "texts",
  applies: isTextType,
  normalise: (text) => text.trim(),
  schema: () => ({}),
  sentence: () => "Blanks at both ends are taken off.",
};
