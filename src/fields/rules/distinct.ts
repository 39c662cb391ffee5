/**
 * `distinct`: a list without duplicates. Objects are equal if their keys and values are, in any
 * order.
 */
import { canonicalDecimal } from "../../expressions/decimal.ts";
import type { Value } from "../../expressions/value.ts";
import type { FieldType } from "../type.ts";
import type { Mark, RuleWords } from "./field-rule-notation.ts";

function hasRepeats(list: readonly Value[]): boolean {
  const visited = new Set<Value>();
  for (const item of list) visited.add(typeof item === "object" && item !== null ? canonical(item) : item);
  return visited.size < list.length;
}

/** A text that is the same for equal values. It starts with U+0000, which no sent text does. */
function canonical(value: Value): string {
  if (Array.isArray(value)) return `\0[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const object = value as { readonly [key: string]: Value };
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] as Value)}`);
  return `\0{${members.join(",")}}`;
}

/** Brings values into a form in which equal ones are identical: decimals by their value. */
function comparedBy(type: FieldType): (list: readonly Value[]) => readonly Value[] {
  if (type.kind !== "list" || type.of.kind !== "decimal") return (list) => list;
  return (list) => list.map((item) => (typeof item === "string" ? canonicalDecimal(item) : item));
}

export const distinct: RuleWords<Mark<"distinct">> = {
  rule: "distinct",
  forStored: "restricts",
  otherWords: { "no duplicates": "`distinct`" },
  takes: "lists",
  applies: (type) => type.kind === "list",
  compile: (_rule, type) => {
    const compared = comparedBy(type);
    return (value) =>
      hasRepeats(compared(value as readonly Value[])) ? "must not have duplicate items" : undefined;
  },
  isCheckedLast: true,
  schema: () => ({ uniqueItems: true }),
  sentence: () => "No duplicate items.",
};
