/**
 * What a topic tells of a list behind the answer that the list was asked for with. An answer has all that was told before it was asked for, and
 * may have what is told while it is on its way: so no row is lost between the two, whichever comes first.
 */
import { useRef, useState } from "preact/hooks";
import { useFrames } from "./use-topic.ts";

/** Rows that are held of what was told, at most. */
export const reportedMax = 1000;

export interface Update {
  /** Newest first; one that was told of again is there again. */
  readonly rows: readonly unknown[];
  /** How many came too fast for the stream. */
  readonly leftOut: number;
}

interface ReceivedAt extends Update {
  readonly at: number;
}

/**
 * @param since when the list was asked for, by `performance.now()`
 * @param again asks for the list anew: frames were missed, or there were none yet
 */
export function useUpdates(topic: string, since: number, again: () => void): Update {
  const [frames, setFrames] = useState<readonly ReceivedAt[]>([]);
  const last = useRef(since);
  last.current = since;
  useFrames(topic, (frame) => {
    if (frame.kind === "begin") again();
    if (frame.kind !== "rows") return;
    const received = { at: performance.now(), rows: frame.rows.toReversed(), leftOut: frame.leftOut };
    setFrames((all) => newest([received, ...all.filter(({ at }) => at >= last.current)]));
  });
  const own = frames.filter(({ at }) => at >= since);
  return {
    rows: own.flatMap(({ rows }) => rows).slice(0, reportedMax),
    leftOut: own.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

/** As many frames as hold the most that is shown; what was left out of the others is still counted. */
function newest(frames: readonly ReceivedAt[]): readonly ReceivedAt[] {
  let held = 0;
  return frames.map((frame) => {
    const isHeld = held < reportedMax;
    held += frame.rows.length;
    return isHeld || frame.rows.length === 0 ? frame : { ...frame, rows: [] };
  });
}

/** Lays what was told over what was asked for: newer rows on top, and one that is known takes its own place with what was told of it last. */
export function layOver<Row>(
  received: readonly Row[],
  filtered: readonly Row[],
  numberOf: (row: Row) => number,
): { readonly newer: readonly Row[]; readonly filtered: readonly Row[] } {
  const known = new Map<number, Row>();
  for (const row of received) if (!known.has(numberOf(row))) known.set(numberOf(row), row);
  const top = filtered[0] === undefined ? 0 : numberOf(filtered[0]);
  return {
    newer: [...known.values()]
      .filter((row) => numberOf(row) > top)
      .toSorted((a, b) => numberOf(b) - numberOf(a)),
    filtered: filtered.map((row) => known.get(numberOf(row)) ?? row),
  };
}
