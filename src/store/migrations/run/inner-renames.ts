/** Renames or removes parts and values inside one field, as a stored change states. */
import type { Value } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";

/** @param renames apply at once, because two values may swap names */
export function withInnerRenames(value: Value, renames: TableChange["inside"]): Value {
  let changed: unknown = value;
  const byPath = Map.groupBy(
    renames.filter((rename) => rename.kind === "value"),
    ({ field }) => JSON.stringify(field.slice(1)),
  );
  for (const [path, values] of byPath)
    changed = replaced(changed, JSON.parse(path) as string[], (found) => {
      const rename = values.find(({ from }) => from === found);
      return rename ? rename.to : found;
    });
  for (const rename of renames)
    if (rename.kind === "field")
      changed = renamedPart(changed, rename.from.slice(1), rename.to.at(-1) as string);
  for (const rename of renames)
    if (rename.kind === "gone") changed = renamedPart(changed, rename.from.slice(1), undefined);
  return changed as Value;
}

/** The value, with the value at the end of the path replaced. */
function replaced(value: unknown, path: readonly string[], by: (found: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return by(value);
  const isEach = first === "[]";
  if (Array.isArray(value)) return isEach ? value.map((item) => replaced(item, rest, by)) : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      isEach || key === first ? replaced(member, rest, by) : member,
    ]),
  );
}

/** The value, with the part at the end of the path renamed in place, or removed. */
function renamedPart(value: unknown, path: readonly string[], to: string | undefined): unknown {
  const last = path.at(-1);
  return replaced(value, path.slice(0, -1), (item) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(
          Object.entries(item).flatMap(([key, part]) => {
            if (key !== last) return [[key, part]];
            return to === undefined ? [] : [[to, part]];
          }),
        )
      : item,
  );
}
