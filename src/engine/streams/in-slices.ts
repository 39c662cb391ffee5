/**
 * Sliced iteration: runs a task for many items in slices, one slice per tick of the event loop, so
 * that thousands of streams do not delay requests.
 */

/** @param perTurn the number of items per slice */
export function inSlices<T>(items: readonly T[], perTurn: number, each: (item: T) => void): void {
  let at = 0;
  const next = () => {
    for (const end = Math.min(at + perTurn, items.length); at < end; at += 1) each(items[at] as T);
    if (at < items.length) setImmediate(next);
  };
  next();
}
