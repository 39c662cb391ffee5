/** Finds repeated keys and reports each with the position of the first. */
import type { Related } from "../diagnostics/diagnostic.ts";
import type { Position } from "../source/source.ts";

/** Calls `report` for each item whose key an earlier item has. Items without a key are unique. */
export function reportRepeated<T extends { readonly position: Position }>(
  all: readonly T[],
  keyOf: (item: T) => string | undefined,
  report: (item: T, related: readonly Related[]) => void,
  message = "First defined here.",
): void {
  const first = new Map<string, T>();
  for (const item of all) {
    const key = keyOf(item);
    const before = key === undefined ? undefined : first.get(key);
    if (before) report(item, [{ position: before.position, message }]);
    else if (key !== undefined) first.set(key, item);
  }
}
