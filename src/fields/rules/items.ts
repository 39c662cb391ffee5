/** `items 1..50`: how many elements a list has, or keys a map. */
import type { Value } from "../../expressions/value.ts";
import { type Check, counted, type RuleOf, type RuleWords } from "./field-rule-words.ts";

function compile(rule: RuleOf<"items">): Check {
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

function words({ min, max }: RuleOf<"items">): string {
  if (max === undefined) return `At least ${counted(min ?? 0, "item")}.`;
  if (min === undefined) return `At most ${counted(max, "item")}.`;
  return min === max ? `Exactly ${counted(min, "item")}.` : `${min} to ${counted(max, "item")}.`;
}

export const items: RuleWords<"items"> = {
  rule: "items",
  written: "items 1..50",
  takes: "lists and maps",
  applies: (type) => type.kind === "list" || type.kind === "map",
  compile,
  schema: ({ min, max }, type) => {
    const [least, most] = type.kind === "map" ? ["minProperties", "maxProperties"] : ["minItems", "maxItems"];
    return {
      ...(min === undefined ? {} : { [least as string]: min }),
      ...(max === undefined ? {} : { [most as string]: max }),
    };
  },
  sentence: words,
};
