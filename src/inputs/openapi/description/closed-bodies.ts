/** Bodies that allow no other keys than theirs (`additionalProperties: false`), at any depth. */
import type { Schema, Schemas } from "./schemas.ts";

/**
 * Whether the body and all objects within it are closed. `Unknown fields` of an endpoint is about
 * all of them, so a single open one leaves it unstated.
 */
export function isClosedBody(schemas: Schemas, body: Schema): boolean {
  const seen = new Set<object>();
  const isClosed = (schema: Schema): boolean => {
    if (seen.has(schema.identity)) return true;
    seen.add(schema.identity);
    const within = [...schema.properties.values(), ...(schema.items === undefined ? [] : [schema.items])];
    if (schema.properties.size > 0 && schema.additional !== false) return false;
    return [...within, ...(schema.union ?? [])].every((node) => isClosed(schemas.read(node)));
  };
  return body.properties.size > 0 && isClosed(body);
}
