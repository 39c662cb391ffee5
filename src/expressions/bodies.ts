/** Bodies of shapes, computed fields and default representations, as expressions over `this`. */
import type { Node } from "./node.ts";
import { fieldNode } from "./nodes.ts";
import type { Meaning } from "./scope.ts";

/**
 * Undefined for any other node, for a stored field, and for a shape that the document doesn't
 * define.
 */
export function bodyOf(node: Node, meaning: Meaning): Node | undefined {
  switch (node.op) {
    case "shape":
      return meaning.shapeBody(node.shape);
    case "representation":
      return representationBody(node, meaning);
    case "field": {
      const { type } = node.of;
      if (type.kind !== "record" && type.kind !== "value") return undefined;
      const field = meaning.vocabulary.resource(type.resource)?.fields.get(node.name);
      return field?.computed ? meaning.computed(type.resource, node.name) : undefined;
    }
    default:
      return undefined;
  }
}

/** A password is never read, whatever its rules say. */
function representationBody(node: Extract<Node, { op: "representation" }>, { vocabulary }: Meaning): Node {
  const self: Node = { op: "fixed", name: "this", type: node.of.type };
  const visible = [...(vocabulary.resource(node.resource)?.fields.values() ?? [])].filter(
    (field) => !field.hidden && field.type.kind !== "password",
  );
  const entries = visible.map(({ name, type }) => ({
    key: name,
    optional: false,
    value: fieldNode(self, name, type),
  }));
  return { op: "map", entries, type: node.type };
}
