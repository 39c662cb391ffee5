/** `lower case`: upper-case characters become lower case, independent of language. */
import { isTextType, type Mark, type RuleWords } from "./field-rule-notation.ts";

export const lowerCase: RuleWords<Mark<"lower case">> = {
  rule: "lower case",
  forStored: "normalises",
  otherWords: { lowercase: "`lower case`" },
  takes: "texts",
  applies: isTextType,
  isAbout: "form",
  normalise: (text) => text.toLowerCase(),
  sentence: () => "Converted to lower case.",
};
