/** `trimmed`: leading and trailing blanks are removed. */
import { isTextType, type Mark, type RuleWords } from "./field-rule-notation.ts";

export const trimmed: RuleWords<Mark<"trimmed">> = {
  rule: "trimmed",
  forStored: "normalises",
  otherWords: { trim: "`trimmed`" },
  takes: "texts",
  applies: isTextType,
  isAbout: "form",
  normalise: (text) => text.trim(),
  sentence: () => "Leading and trailing blanks are removed.",
};
