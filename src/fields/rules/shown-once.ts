/** `shown once`: readable in the response to the request that set it, and never again. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const shownOnce: RuleWords<Mark<"shown once">> = {
  rule: "shown once",
  forStored: "nothing",
  places: ["field"],
  contradicts: ["write-only", "internal"],
  isAbout: "record",
  sentence: () => "Returned once, in the response to the request that sets it.",
};
