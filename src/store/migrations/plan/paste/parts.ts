/** Suggests lines for parts of objects and for values that no longer have a place in the document. */
import type { JsonPart, JsonShape } from "../../../json-shape.ts";
import type { Question } from "../../../migrate.ts";
import { columnOf, type TablesBeforeAndAfter } from "./tables-before-and-after.ts";
import type { Column } from "../../../table.ts";

export function lineForParts(
  { table, column, shape }: Extract<Question, { readonly kind: "no parts lost" }>,
  before: Column | undefined,
  { after, model }: TablesBeforeAndAfter,
): readonly string[] {
  const old = partsOf(before?.shape);
  const now = partsOf(shape);
  if (!old || !now) return [];
  const removed = old.parts.filter(({ name }) => !now.parts.some((part) => part.name === name));
  const added = now.parts.filter(({ name }) => !old.parts.some((part) => part.name === name));
  const word = /\w+$/.exec(columnOf(after, table, column)?.type ?? "")?.[0];
  // A part of a value is addressed by the value, for all fields that hold one.
  const isValue = model.resources.some(({ name, identifier }) => name === word && identifier.kind === "none");
  const around = isValue ? word : `${table}.${column}${"[]".repeat(old.depth)}`;
  const [from] = removed;
  const [to] = added;
  if (from && to && removed.length + added.length === 2 && from.form === to.form)
    return [`- Renamed: ${around}.${from.name} to ${around}.${to.name}`];
  return removed.map(({ name }) => `- Removed: ${around}.${name}`);
}

interface Parts {
  readonly parts: readonly JsonPart[];
  /** The number of lists or maps around them. */
  readonly depth: number;
}

function partsOf(shape: JsonShape | undefined, depth = 0): Parts | undefined {
  if (!shape) return undefined;
  return "each" in shape ? partsOf(shape.each, depth + 1) : { parts: shape.parts, depth };
}
