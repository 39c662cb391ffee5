/** `merged`: an update adds the keys that were sent and takes out those sent as null; null for the whole empties it. */
import type { RuleWords } from "./field-rule-words.ts";

export const merged: RuleWords<"merged"> = {
  rule: "merged",
  written: "merged",
  takes: "maps",
  applies: (type) => type.kind === "map",
  schema: () => ({}),
  sentence: () => "An update adds the keys that are sent and takes out those sent as null.",
};
