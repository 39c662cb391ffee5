/**
 * Expression nodes that the notation implies: the record of an identifier, of a scope, of a filter.
 */
import type { Node } from "../../expressions/node.ts";
import { types } from "../../expressions/type.ts";

export function thisNode(resource: string): Node {
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

export { fieldNode, namedNode, walk, withParts as mapChildren } from "../../expressions/nodes.ts";
