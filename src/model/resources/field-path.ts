/**
 * Dotted field paths: `address.city`, `lines[].sku`, through objects, lists and embedded values.
 */
import type { FieldType } from "../../fields/type.ts";

/** `lines[0].sku` → `lines`, `sku`. */
export function namesIn(path: string): readonly string[] {
  return path.replace(/\[\d*\]/g, "").split(".");
}

/**
 * The type at a path within a value.
 * @param fieldOf the type of a field of an embedded value
 * @returns undefined if nothing is there; an unknown type (`json`, a gap) itself, because nothing
 * about it is wrong
 */
export function typeWithin(
  start: FieldType,
  path: readonly string[],
  fieldOf: (value: string, field: string) => FieldType | undefined,
): FieldType | undefined {
  let type: FieldType | undefined = start;
  for (const name of path) {
    while (type?.kind === "list") type = type.of;
    if (type?.kind === "object") type = type.parts.find((part) => part.name === name)?.type;
    else if (type?.kind === "value") type = fieldOf(type.resource, name);
    else if (type?.kind !== "json" && type?.kind !== "not shown" && type?.kind !== "map") return undefined;
  }
  return type;
}
