/**
 * `any case`: stored as written; compared and ordered without ASCII case, in stores and in
 * expressions.
 */
import { isTextType, type Mark, type RuleWords } from "./field-rule-notation.ts";

export const anyCase: RuleWords<Mark<"any case">> = {
  rule: "any case",
  forStored: "nothing",
  otherWords: { "case insensitive": "`any case`", "case-insensitive": "`any case`" },
  places: ["field"],
  takes: "texts",
  applies: isTextType,
  isAbout: "form",
  sentence: () => "Compared without case.",
};
