/** Phrases of the reference's chapters on expressions and on what stands on the wire. */
import type { Phrases } from "../register.ts";

export const meaning: Phrases = {
  tables: {
    "| Macro | Meaning |": "macro",
    "| Function | | Example |": "function",
    "| Name | What it is |": "name",
  },
  prose: {},
  unproved: [
    "macro: .filter(x, c)",
    "macro: .map(x, e)",
    "macro: .sort(x, e)",
    "macro: .first()",
    "macro: .first(x, c)",
    "macro: .last()",
    "macro: .last(x, c)",
    "macro: .exists(x, c)",
    "macro: .exists_one(x, c)",
    "macro: .all(x, c)",
    "macro: .count()",
    "macro: .count(x, c)",
    "macro: .sum()",
    "macro: .sum(x, e)",
    "macro: .min()",
    "macro: .min(x, e)",
    "macro: .max()",
    "macro: .max(x, e)",
    "macro: .distinct()",
    "macro: .flatten()",
  ],
};
