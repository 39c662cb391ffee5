/**
 * Implied expression nodes: conditions and records that the notation implies, for an identifier, a
 * scope or a filter.
 */
import type { Node } from "../../expressions/node.ts";
import { fieldNode } from "../../expressions/nodes.ts";
import { parameterNode } from "../../expressions/parameters.ts";
import { types } from "../../expressions/type.ts";
import type { QueryParameters, Value } from "../../expressions/value.ts";
import { expressionType } from "../../fields/type.ts";
import type { Field } from "../../model/model.ts";

export function thisOf(resource: string): Node {
  return { op: "fixed", name: "this", type: { kind: "record", resource } };
}

export function equalsNode(left: Node, right: Node): Node {
  return { op: "binary", operator: "==", left, right, type: types.boolean };
}

export function andNodes(nodes: readonly Node[]): Node {
  const [first, ...rest] = nodes;
  if (!first) return { op: "literal", value: true, type: types.boolean };
  return rest.reduce<Node>((left, right) => ({ op: "and", left, right, type: types.boolean }), first);
}

/** Builds the condition that a record's row equals the parameter `row`. */
export function rowEquals(resource: string): Node {
  const row = fieldNode(thisOf(resource), "#row", types.integer);
  return equalsNode(row, parameterNode("row", types.integer));
}

/** Builds the condition that a field of `this` equals the parameter `field NAME`. */
export function fieldEquals(resource: string, { name, type }: Pick<Field, "name" | "type">): Node {
  const field = expressionType(type);
  return equalsNode(fieldNode(thisOf(resource), name, field), parameterNode(`field ${name}`, field));
}

/** Returns the parameters of `fieldEquals` for several fields. */
export function fieldParameters(
  fields: readonly string[],
  values: Readonly<Record<string, Value>>,
): QueryParameters {
  return Object.fromEntries(fields.map((name) => [`field ${name}`, values[name] ?? null]));
}

export { fieldNode, namedNode, walk, withParts as mapChildren } from "../../expressions/nodes.ts";
