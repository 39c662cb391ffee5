/** `unique`: no two records have the same value. The store enforces it. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const unique: RuleWords<Mark<"unique">> = {
  rule: "unique",
  // The indexes and keys of the database enforce it, and the question `no repeats` finds
  // duplicates.
  forStored: "nothing",
  places: ["field"],
  isAbout: "record",
  sentence: () => "Unique.",
};
