/** Default representation of a record as a map, and the value of `shown once` fields. */
import type { MapEntry, Node } from "../../expressions/node.ts";
import { conditionalNode, fieldNode, notNull } from "../../expressions/nodes.ts";
import { types } from "../../expressions/type.ts";
import { isHidden, isShownOnce } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import type { Resource } from "../model.ts";
import { mapNode } from "./versioned-entries.ts";
import { parameterNode } from "../../expressions/parameters.ts";

/**
 * The default representation, field by field.
 * @param convert rewrites a field's value
 */
export function expandRepresentation(
  resource: Resource,
  of: Node,
  convert: (value: Node) => Node = (value) => value,
): Extract<Node, { op: "map" }> {
  const entries: MapEntry[] = [];
  for (const field of resource.fields) {
    if (isHidden(field.rules)) continue;
    if (isShownOnce(field.rules))
      entries.push({ key: field.name, optional: true, value: shownOnceValue(of, field.name) });
    // Part 2: a password is stored as a hash, so it is never in a representation.
    else if (field.type.kind !== "password") {
      const value = convert(fieldNode(of, field.name, expressionType(field.type)));
      entries.push({ key: field.name, optional: false, value });
    }
  }
  return mapNode(entries);
}

/** The result of a shape, which is null for a null argument. `this` is never null. */
export function nullIfNull(of: Node, node: Node): Node {
  if (of.op === "fixed" || of.op === "local") return node;
  return conditionalNode(notNull(of), node, { op: "literal", value: null, type: types.null }, node.type);
}

/** Only a record with a name in the evaluation context can have been set by this request. */
export function shownOnceValue(of: Node, field: string): Node {
  if (of.op !== "fixed" && of.op !== "named") return { op: "literal", value: null, type: types.null };
  const revealed = parameterNode("onceValues", { kind: "map", of: types.string });
  return {
    op: "index",
    of: revealed,
    index: { op: "literal", value: `${of.name}:${field}`, type: types.string },
    type: types.string,
  };
}
