/** `any case`: kept as written, compared and ordered past ASCII case. Stores and expressions compare so. */
import { isTextType, type Mark, type RuleWords } from "./field-rule-notation.ts";

export const anyCase: RuleWords<Mark<"any case">> = {
  rule: "any case",
  otherWords: { "case insensitive": "`any case`", "case-insensitive": "`any case`" },
  places: ["field"],
  takes: "texts",
  applies: isTextType,
  isAbout: "form",
  sentence: () => "Capital and small letters count as the same.",
};
