/** Finds what is said a second time, and tells it with the place of the first. */
import type { Related } from "../diagnostics/diagnostic.ts";
import type { Position } from "../source/source.ts";

/** `tell` is given each one whose key another before it has; one without a key is like no other. */
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
