/**
 * Which resources an expression reads besides its own record: through collections, references,
 * computed fields and shapes.
 */
import type { Node } from "./node.ts";
import type { Meaning } from "./scope.ts";
import { walk } from "./nodes.ts";

export function resourcesRead(node: Node, meaning: Meaning): ReadonlySet<string> {
  const found = new Set<string>();
  collect(node, meaning, found, new Set());
  return found;
}

function collect(node: Node, meaning: Meaning, found: Set<string>, visited: Set<string>): void {
  const once = (name: string, body: Node | undefined) => {
    if (!body || visited.has(name)) return;
    visited.add(name);
    collect(body, meaning, found, visited);
  };
  const field = (resource: string, name: string) =>
    once(`${resource}.${name}`, meaning.computed(resource, name));
  walk(node, (inner) => {
    switch (inner.op) {
      case "collection":
        found.add(inner.resource);
        return;
      case "shape":
        return once(`shape ${inner.shape}`, meaning.shapeBody(inner.shape));
      case "representation":
        for (const name of meaning.vocabulary.resource(inner.resource)?.fields.keys() ?? [])
          field(inner.resource, name);
        return;
      case "field":
      case "has": {
        const { type } = inner.of;
        if (type.kind !== "record" && type.kind !== "value") return;
        field(type.resource, inner.name);
        if (type.kind === "record" && !(inner.of.op === "fixed" && inner.of.name === "this"))
          found.add(type.resource);
      }
    }
  });
}
