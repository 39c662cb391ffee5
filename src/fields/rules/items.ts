/** `items 1..50`: number of elements of a list, or of keys of a map. */
import type { Value } from "../../expressions/value.ts";
import { type Bounds, boundKeywords, countsInWords, readCounts, boundsText } from "./bounds.ts";
import { type Check, counted, type RuleWords } from "./field-rule-notation.ts";

export interface Items extends Bounds {
  readonly rule: "items";
}

function compile(rule: Items): Check {
  const min = rule.min ?? 0;
  const max = rule.max ?? Number.POSITIVE_INFINITY;
  const tooFew = `must have at least ${counted(min, "item")}`;
  const tooMany = `must have at most ${counted(max, "item")}`;
  return (value) => {
    const count = itemsOf(value);
    if (count < min) return tooFew;
    return count > max ? tooMany : undefined;
  };
}

function itemsOf(value: Value): number {
  return Array.isArray(value) ? value.length : Object.keys(value as object).length;
}

export const items: RuleWords<Items> = {
  rule: "items",
  forStored: "bounds",
  read(rest, reading) {
    const bounds = readCounts("items", rest, reading);
    return bounds && { rule: "items", ...bounds };
  },
  named: (rule) => `items ${boundsText(rule)}`,
  takes: "lists and maps",
  applies: (type) => type.kind === "list" || type.kind === "map",
  compile,
  bounds: () => "items 1..50",
  schema: (rule, type) =>
    type.kind === "map"
      ? boundKeywords(rule, "minProperties", "maxProperties")
      : boundKeywords(rule, "minItems", "maxItems"),
  sentence: (rule) => countsInWords(rule, "item"),
};
