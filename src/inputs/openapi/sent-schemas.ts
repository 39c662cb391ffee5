/** The schemas that requests send: those of bodies, and all within them. */
import type { Operation } from "./operations.ts";
import type { Schemas } from "./schemas.ts";
import { isPlain } from "./values.ts";

/** The identities of the schemas in the bodies of operations. */
export function sentSchemas(schemas: Schemas, operations: readonly Operation[]): ReadonlySet<object> {
  const found = new Set<object>();
  const open: unknown[] = operations.map(({ body }) => body?.schema);
  for (let node = open.pop(); node !== undefined || open.length > 0; node = open.pop()) {
    if (node === undefined) continue;
    const { identity, properties, items, additional, union } = schemas.read(node);
    if (found.has(identity)) continue;
    found.add(identity);
    open.push(...properties.values(), items, isPlain(additional) ? additional : undefined, ...(union ?? []));
  }
  return found;
}
