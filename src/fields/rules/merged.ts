/** `merged`: an update adds the keys that were sent and takes out those sent as null; null for the whole empties it. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const merged: RuleWords<Mark<"merged">> = {
  rule: "merged",
  places: ["field"],
  takes: "maps",
  applies: (type) => type.kind === "map",
  sentence: () => "An update adds the keys that are sent and takes out those sent as null.",
};
