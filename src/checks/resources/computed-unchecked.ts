/**
 * Part 2: a computed field is serialized as its expression gives it. If the expression's type is
 * less strict than the field's, clients may receive values that the exported type excludes: a
 * concatenated text for an `email`, `json` for an integer.
 */
import type { Node } from "../../expressions/node.ts";
import type { Type } from "../../expressions/type.ts";
import { readWritten } from "../../fields/check-value.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import { typeWords } from "../../fields/type-words.ts";
import { Refusal } from "../../fields/types/index.ts";
import type { Check } from "../check.ts";

export const computedUnchecked: Check = ({ resources }, reporter) => {
  for (const resource of resources) {
    for (const { name, type, rules } of resource.fields) {
      const value = ruleOf(rules, "computed")?.value;
      if (!value || gives(value.node, type)) continue;
      const field = `${resource.name}.${name}`;
      reporter.report("resources/computed-unchecked", value.position, { field, type: typeWords(type) });
    }
  }
};

/** Whether every value of the expression is of the type, as far as types and written texts show. */
function gives(node: Node, type: FieldType): boolean {
  if (node.op === "if") return gives(node.then, type) && gives(node.else, type);
  if (node.op === "call" && node.function === "or") return node.args.every((arg) => gives(arg, type));
  if (node.op === "list" && type.kind === "list") return node.items.every((item) => gives(item, type.of));
  if (node.op === "map" && type.kind === "map")
    return node.entries.every(({ value }) => gives(value, type.of));
  if (node.op === "literal") {
    if (typeof node.value !== "string" || !isNarrow(type)) return true;
    return !(readWritten(node.value, type) instanceof Refusal);
  }
  return isWithin(node.type, type);
}

/** Whether a field's type holds less than all texts. */
function isNarrow({ kind }: FieldType): boolean {
  return kind === "enum" || kind === "state" || kind === "email" || kind === "uri" || kind === "uuid";
}

function isWithin(from: Type, to: FieldType): boolean {
  if (to.kind === "json" || to.kind === "not shown") return true;
  if (from.kind === "any") return false;
  if (to.kind === "list" || to.kind === "map")
    return (from.kind !== "list" && from.kind !== "map") || isWithin(from.of, to.of);
  if (!isNarrow(to)) return true;
  if (from.kind === "null") return true;
  if (from.kind !== "enum") return from.kind === to.kind;
  const words = to.kind === "enum" ? to.values : to.kind === "state" ? to.states : [];
  return from.values.every((text) => words.includes(text));
}
