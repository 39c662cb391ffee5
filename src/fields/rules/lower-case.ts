/** `lower case`: capitals become small letters, in the way that depends on no language. */
import { isTextType, type RuleWords } from "./field-rule-words.ts";

export const lowerCase: RuleWords<"lower case"> = {
  rule: "lower case",
  written: "lower case",
  takes: "texts",
  applies: isTextType,
  normalise: (text) => text.toLowerCase(),
  schema: () => ({}),
  sentence: () => "Taken in small letters.",
};
