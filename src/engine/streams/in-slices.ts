/**
 * Does something for many, some in each turn of the event loop: thousands of streams must not keep
 * requests waiting.
 */

/** @param perTurn how many run before others run */
export function inSlices<T>(items: readonly T[], perTurn: number, each: (item: T) => void): void {
  let at = 0;
  const next = () => {
    for (const end = Math.min(at + perTurn, items.length); at < end; at += 1) each(items[at] as T);
    if (at < items.length) setImmediate(next);
  };
  next();
}
