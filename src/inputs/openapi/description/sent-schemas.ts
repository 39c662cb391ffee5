/** The schemas that requests send: those of bodies, and all within them. */
import type { Operation } from "./operations.ts";
import type { Schema, Schemas } from "./schemas.ts";
import { isPlain } from "./values.ts";

/** The identities of the schemas in the bodies of operations. */
export function sentSchemas(schemas: Schemas, operations: readonly Operation[]): ReadonlySet<object> {
  const bodies = operations.map(({ body }) => body?.schema);
  return new Set(closureOf(schemas, bodies).keys());
}

/** The schemas at some nodes and all within them, by their identities. */
export function closureOf(schemas: Schemas, nodes: readonly unknown[]): ReadonlyMap<object, Schema> {
  const found = new Map<object, Schema>();
  const open = [...nodes];
  for (let node = open.pop(); node !== undefined || open.length > 0; node = open.pop()) {
    if (node === undefined) continue;
    const schema = schemas.read(node);
    const { identity, properties, items, additional, union } = schema;
    if (found.has(identity)) continue;
    found.set(identity, schema);
    open.push(...properties.values(), items, isPlain(additional) ? additional : undefined, ...(union ?? []));
  }
  return found;
}
