/** Phrases of the reference's chapters on expressions and on the wire format. */
import type { Phrases } from "../register.ts";

export const meaning: Phrases = {
  tables: {
    "| Macro | Meaning |": "macro",
    "| Function | Meaning | Example |": "function",
    "| Name | What it is |": "name",
  },
  parents: ["request", "page"],
  prose: {
    "functions: sequence() in Set and effects":
      "`sequence()` is alone in its expression, and only where a field is set: at an identifier, in `on create`, `default`, `Set` and effects",
    "functions: those of what is at hand may pick records": "for other values it is not",
    "functions: evaluated on each record": "Using those for each record is an error",
    "collections: they chain": "They chain.",
    "collections: references are followed with dots":
      "References are followed with dots: `this.author.username`",
    "collections: in the order in which they were made":
      "the collection of its records, in the order of creation",
    "null: what is absent reads as null":
      "An absent value is null. A dot, an index or a call on null is null.",
    "null: has distinguishes sent from not sent": "`has(body.x)` distinguishes sent from not sent",
    "null: == is true only if both are there and equal":
      "`==` is true only if both values are present and equal",
    "null: != is its opposite": "`!=` is its opposite, so it is true for two nulls",
    "null: the literal null compares with an absent value":
      "Comparing with the literal `null` tests whether a value is present",
    "null: <, > and in with null are false": "`<`, `>` and `in` with null are false",
    "null: arithmetic and + with null are null": "Arithmetic and `+` with null are null",
    "null: a condition that is null is false":
      "A condition that is null is false, and so is a null operand of `!`, `&&`, `||`, `? :`",
    "types: an integer may stand where a number is wanted": "An integer may be used as a number",
    "types: / of integers is an integer, cut towards zero":
      "`/` of integers is an integer, truncated towards zero",
    "types: division by zero and overflow are null":
      "Division by zero is null, and so is an integer beyond ±(2^53−1)",
    "readings: text is compared by code points": "Text is sorted and compared by code points",
    "readings: nulls sort last going up":
      "Nulls are last in ascending and first in descending order. `min`, `max` and `sum` ignore them.",
    "grammar: a list, a map, a text and an index": "The grammar, operators and macros are CEL's",
  },
  unproved: [],
};
