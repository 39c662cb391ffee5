/** Phrases of the reference's chapters on expressions and on what stands on the wire. */
import type { Phrases } from "../register.ts";

export const meaning: Phrases = {
  tables: {
    "| Macro | Meaning |": "macro",
    "| Function | | Example |": "function",
    "| Name | What it is |": "name",
  },
  parents: ["request", "page"],
  prose: {
    "functions: sequence() in Set and effects":
      "`sequence()` stands alone, and only where a field is set: at an identifier, in `on create`, `default`, `Set` and effects",
    "functions: those of what is at hand may pick records": "of what is at hand they may be asked",
    "functions: asked of each record": "asking those of each record is a mistake there",
    "collections: they chain": "They chain.",
    "collections: references are followed with dots":
      "References are followed with dots: `this.author.username`",
    "collections: in the order in which they were made":
      "the collection of its records, in the order in which they were made",
    "null: what is absent reads as null":
      "What is absent reads as null. A dot, an index or a call on null is null.",
    "null: has tells sent from not sent": "`has(body.x)` tells sent from not sent",
    "null: == is true only if both are there and equal":
      "`==` of two values is true only if both are there and equal",
    "null: != is its opposite": "`!=` is its opposite, so of two nulls it is true",
    "null: the literal null asks whether something is there":
      "Comparing with the literal `null` asks whether something is there",
    "null: <, > and in with null are false": "`<`, `>` and `in` with null are false",
    "null: arithmetic and + with null are null": "Arithmetic and `+` with null are null",
    "null: a condition that is null is false":
      "A condition that is null is false, and so is a null operand of `!`, `&&`, `||`, `? :`",
    "types: an integer may stand where a number is wanted": "An integer may stand where a number is wanted",
    "types: / of integers is an integer, cut towards zero": "`/` of integers is an integer, cut towards zero",
    "types: division by zero and overflow are null":
      "Division by zero is null, and so is an integer beyond ±(2^53−1)",
    "readings: text is compared by code points": "Text is ordered and compared by code points",
    "readings: nulls sort last going up":
      "Nulls sort last going up and first going down. `min`, `max` and `sum` leave them out.",
    "grammar: a list, a map, a text and an index": "The grammar, operators and macros are CEL's",
  },
  unproved: [],
};
