/**
 * Updates of a topic on top of a fetched list. The response includes all updates before its
 * request, and may include those that arrive while it is loading. So no row is lost between the
 * two, whichever arrives first.
 */
import { useRef, useState } from "preact/hooks";
import { useFrames } from "./use-topic.ts";

/** Maximum number of updated rows that are kept. */
export const reportedMax = 1000;

export interface Update {
  /** Newest first; a row that was updated again appears again. */
  readonly rows: readonly unknown[];
  /** The number of rows that arrived too fast for the stream. */
  readonly leftOut: number;
}

interface TimedUpdate extends Update {
  readonly at: number;
}

/**
 * @param since when the list was requested, by `performance.now()`
 * @param again fetches the list again: frames were missed, or none have arrived yet
 */
export function useUpdates(topic: string, since: number, again: () => void): Update {
  const [frames, setFrames] = useState<readonly TimedUpdate[]>([]);
  const last = useRef(since);
  last.current = since;
  useFrames(topic, (frame) => {
    if (frame.kind === "begin") again();
    if (frame.kind !== "rows") return;
    const update = { at: performance.now(), rows: frame.rows.toReversed(), leftOut: frame.leftOut };
    setFrames((all) => newest([update, ...all.filter(({ at }) => at >= last.current)]));
  });
  const current = frames.filter(({ at }) => at >= since);
  return {
    rows: current.flatMap(({ rows }) => rows).slice(0, reportedMax),
    leftOut: current.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

/**
 * The newest frames up to the maximum number of rows; the rows left out of older frames are still
 * counted.
 */
function newest(frames: readonly TimedUpdate[]): readonly TimedUpdate[] {
  let rowCount = 0;
  return frames.map((frame) => {
    const isWithinLimit = rowCount < reportedMax;
    rowCount += frame.rows.length;
    return isWithinLimit || frame.rows.length === 0 ? frame : { ...frame, rows: [] };
  });
}

/**
 * Merges updates into a fetched list: new rows at the top, and a known row in its place with its
 * last update.
 */
export function mergeUpdates<Row>(
  updates: readonly Row[],
  fetched: readonly Row[],
  numberOf: (row: Row) => number,
): { readonly newer: readonly Row[]; readonly fetched: readonly Row[] } {
  const latestByNumber = new Map<number, Row>();
  for (const row of updates) if (!latestByNumber.has(numberOf(row))) latestByNumber.set(numberOf(row), row);
  const top = fetched[0] === undefined ? 0 : numberOf(fetched[0]);
  return {
    newer: [...latestByNumber.values()]
      .filter((row) => numberOf(row) > top)
      .toSorted((a, b) => numberOf(b) - numberOf(a)),
    fetched: fetched.map((row) => latestByNumber.get(numberOf(row)) ?? row),
  };
}
