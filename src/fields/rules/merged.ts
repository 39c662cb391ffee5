/**
 * `merged`: an update adds the sent keys and removes those sent as null. Null for the complete map
 * empties it.
 */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const merged: RuleWords<Mark<"merged">> = {
  rule: "merged",
  forStored: "nothing",
  places: ["field"],
  takes: "maps",
  applies: (type) => type.kind === "map",
  sentence: () => "An update adds or replaces the sent keys, and removes those sent as null.",
};
