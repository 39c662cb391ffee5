/**
 * Part 2: a computed field is serialized with the value of its expression on each read. If the type of the expression
 * is wider than that of the field, responses could have values that the exported type excludes: a concatenated text
 * for an `email`, `json` for an integer.
 */
import type { Node } from "../../expressions/node.ts";
import { fits } from "../../expressions/relations.ts";
import type { Vocabulary } from "../../expressions/scope.ts";
import type { Type } from "../../expressions/type.ts";
import { readAuthoredValue } from "../../fields/check-value.ts";
import { ruleOf } from "../../fields/rule.ts";
import { expressionType, type FieldType } from "../../fields/type.ts";
import { typeWords } from "../../fields/type-words.ts";
import { Refusal } from "../../fields/types/index.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Check } from "../check.ts";

export const computedUnchecked: Check = (model, reporter) => {
  const { vocabulary } = meaningOf(model);
  for (const resource of model.resources) {
    for (const { name, type, rules } of resource.fields) {
      const value = ruleOf(rules, "computed")?.value;
      if (!value || gives(value.node, type, vocabulary)) continue;
      const field = `${resource.name}.${name}`;
      reporter.report("resources/computed-unchecked", value.position, { field, type: typeWords(type) });
    }
  }
};

/** Whether every value of the expression has the type, as far as types and literals show. */
function gives(node: Node, type: FieldType, words: Vocabulary): boolean {
  const all = (nodes: readonly Node[], of: FieldType) => nodes.every((part) => gives(part, of, words));
  if (node.op === "if") return all([node.then, node.else], type);
  if (node.op === "call" && node.function === "or") return all(node.args, type);
  if (type.kind === "json" && type.either)
    return type.either.some(
      (fieldType) => fits(node.type, expressionType(fieldType), words) && gives(node, fieldType, words),
    );
  if (node.op === "list" && type.kind === "list") return all(node.items, type.of);
  if (node.op === "map" && type.kind === "map")
    return all(
      node.entries.map(({ value }) => value),
      type.of,
    );
  if (node.op === "literal") {
    if (typeof node.value !== "string" || !isNarrow(type)) return true;
    return !(readAuthoredValue(node.value, type) instanceof Refusal);
  }
  return isWithin(node.type, type);
}

/** Whether the type of a field allows only some texts. */
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
