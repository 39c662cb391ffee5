/**
 * Records that changed after the list was fetched, as the stream reports. Rows stay in place, so
 * that readers aren't disturbed.
 */
import { useEffect, useState } from "preact/hooks";
import { useFrames } from "../../api/use-topic.ts";

interface Update {
  /** The changed rows by resource; null where there are too many to list. */
  readonly changed: Readonly<Record<string, readonly number[] | null>>;
}

export interface ChangedRecords {
  has(row: number): boolean;
  /** Whether there are records newer than the displayed ones. */
  readonly isMore: boolean;
}

const noChanges = { rows: new Set<number>(), all: false };

/**
 * @param since a new value discards earlier reports, because the list was fetched again
 * @param again fetches the list again: changes may have been missed, before the stream started or
 * while it was lost
 */
export function useChangedRecords(
  resource: string,
  since: unknown,
  newest: number,
  again: () => void,
): ChangedRecords {
  const [changes, setChanges] = useState(noChanges);
  useEffect(() => setChanges(noChanges), [resource, since]);
  useFrames("changes", (frame) => {
    if (frame.kind === "begin") again();
    if (frame.kind !== "rows") return;
    const rows = (frame.rows as readonly Update[]).flatMap(({ changed }) =>
      Object.hasOwn(changed, resource) ? [changed[resource] as readonly number[] | null] : [],
    );
    if (rows.length + frame.leftOut === 0) return;
    const all = frame.leftOut > 0 || rows.includes(null);
    setChanges((last) => ({
      ...last,
      all: last.all || all,
      rows: new Set([...last.rows, ...rows.flatMap((some) => some ?? [])]),
    }));
  });
  return {
    has: (row) => changes.all || changes.rows.has(row),
    isMore: changes.all || [...changes.rows].some((row) => row > newest),
  };
}
