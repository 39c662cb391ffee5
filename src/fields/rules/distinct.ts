/**
 * `distinct`: a list without duplicates. Objects are equal if their keys and values are, in any
 * order.
 */
import { canonicalDecimal } from "../../expressions/decimal.ts";
import type { Value } from "../../expressions/value.ts";
import type { FieldType } from "../type.ts";
import { lowerAscii } from "../../expressions/text.ts";
import type { KeyFormsOf, Mark, RuleWords } from "./field-rule-notation.ts";

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

/**
 * Brings values into a form in which equal ones are identical: decimals by their value, identifiers
 * with `any case` in lower case.
 */
function comparedBy(
  type: FieldType,
  keyForms: KeyFormsOf | undefined,
): (list: readonly Value[]) => readonly Value[] {
  const of = type.kind === "list" ? type.of : undefined;
  const [form, ...others] = (of?.kind === "reference" && keyForms?.(of.resource)) || [];
  const isFolded = form === "folded" && others.length === 0;
  if (of?.kind !== "decimal" && !isFolded) return (list) => list;
  const compared = isFolded ? lowerAscii : canonicalDecimal;
  return (list) => list.map((item) => (typeof item === "string" ? compared(item) : item));
}

export const distinct: RuleWords<Mark<"distinct">> = {
  rule: "distinct",
  forStored: "restricts",
  otherWords: { "no duplicates": "`distinct`" },
  takes: "lists",
  applies: (type) => type.kind === "list",
  compile: (_rule, type, _any, keyForms) => {
    const compared = comparedBy(type, keyForms);
    return (value) =>
      hasRepeats(compared(value as readonly Value[])) ? "must not have duplicate items" : undefined;
  },
  isCheckedLast: true,
  schema: () => ({ uniqueItems: true }),
  sentence: () => "No duplicate items.",
};
