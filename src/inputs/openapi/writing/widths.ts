/**
 * Widths of embedded values: the number of their fields, because a table has room for some of them.
 */
import type { Schema, Schemas, Type } from "../description/schemas.ts";

export interface Widths {
  /** The number of fields of the values in a type; 0 without a value. */
  of(type: Type): number;
}

/** Wider than any table. */
const widthMax = 1_000_000;
/** Values within each other that are counted. */
const depthMax = 100;

export function createWidths(schemas: Schemas): Widths {
  const known = new Map<object, number>();
  const widthOf = (type: Type, depth: number): number => {
    if (type.kind === "list" || type.kind === "map") return widthOf(type.of, depth);
    if (type.kind === "plain" && type.shared) return fieldsOf(type.shared, depth);
    return type.kind === "value" ? fieldsOf(type.schema, depth) : 0;
  };
  const fieldsOf = ({ identity, properties }: Schema, depth: number): number => {
    const found = known.get(identity);
    if (found !== undefined || depth > depthMax) return found ?? 1;
    // A value within itself is counted once.
    known.set(identity, 1);
    let width = 0;
    for (const node of properties.values())
      width = Math.min(width + 1 + widthOf(schemas.type(node), depth + 1), widthMax);
    known.set(identity, width);
    return width;
  };
  return { of: (type) => widthOf(type, 0) };
}
