/** Bodies of shapes, computed fields and default representations, as expressions over `this`. */
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Node } from "../node.ts";
import { fieldNode } from "../nodes.ts";
import { nodesWithin } from "./nodes-within.ts";
import type { Meaning } from "../scope.ts";
import type { Type } from "../type.ts";

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

// ── All bodies that an expression uses ──────────────────────────────────────────────────────────

/** The expression and all bodies that it uses, through others too. Each is listed once. */
export function withBodies(node: Node, meaning: Meaning): readonly Node[] {
  return closures(meaning)(node);
}

/** The nodes of an expression and of all bodies that it uses. */
export function* nodesThroughout(node: Node, meaning: Meaning): Generator<Node> {
  for (const body of withBodies(node, meaning)) yield* nodesWithin(body);
}

const closures = memoizeBy((meaning: Meaning) =>
  memoizeBy((node: Node): readonly Node[] => {
    const found = new Set([node]);
    // An iteration over a set goes on with what is added to it.
    for (const body of found)
      for (const inner of nodesWithin(body)) for (const used of usedBodies(inner, meaning)) found.add(used);
    return [...found];
  }),
);

function usedBodies(node: Node, meaning: Meaning): readonly Node[] {
  switch (node.op) {
    case "shape":
      return listed(meaning.shapeBody(node.shape));
    case "representation":
      return representedResources(node.resource, meaning).flatMap((resource) =>
        [...(meaning.vocabulary.resource(resource)?.fields.keys() ?? [])].flatMap((field) =>
          listed(meaning.computed(resource, field)),
        ),
      );
    case "field":
    case "has": {
      const { type } = node.of;
      return type.kind === "record" || type.kind === "value"
        ? listed(meaning.computed(type.resource, node.name))
        : [];
    }
    default:
      return [];
  }
}

function listed(body: Node | undefined): readonly Node[] {
  return body ? [body] : [];
}

/** A resource, and the values in its default representation. */
export function representedResources(resource: string, meaning: Meaning): readonly string[] {
  const found = new Set([resource]);
  for (const name of found)
    for (const { type } of meaning.vocabulary.resource(name)?.fields.values() ?? [])
      for (const value of valuesIn(type)) found.add(value);
  return [...found];
}

function valuesIn(type: Type): readonly string[] {
  switch (type.kind) {
    case "value":
      return [type.resource];
    case "list":
    case "map":
      return valuesIn(type.of);
    case "object":
      return Object.values(type.fields).flatMap(valuesIn);
    default:
      return [];
  }
}
