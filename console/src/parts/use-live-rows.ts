/**
 * A fetched list with live updates, newest first. While the user reads further down, new rows are
 * held back and counted, so that nothing moves. An updated row stays in its place.
 */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { mergeUpdates, reportedMax, useUpdates } from "../api/use-updates.ts";
import { useFrames } from "../api/use-topic.ts";

/** Within this distance from the top, in pixels, new rows appear at once. */
const nearTop = 80;

export interface LiveRows<Row> {
  readonly rows: readonly Row[];
  /** The number of rows that are held back. */
  readonly waiting: number;
  /** Shows the held rows. */
  show(): void;
}

export interface LiveList<Row> {
  readonly topic: string;
  /** The fetched rows, newest first; undefined before the first response. */
  readonly rows: readonly Row[] | undefined;
  /** When the rows were requested, by `performance.now()`. */
  readonly since: number;
  /** Identifies the request of the rows: another request has another list. */
  readonly requestKey: string | undefined;
  /** Increases with each new row. */
  readonly numberOf: (row: Row) => number;
  /** Undefined for an update of another list, or one that the filters exclude. */
  readonly read: (received: unknown) => Row | undefined;
  /** Whether the newest rows are shown, and not a later page. */
  readonly isFirstPage: boolean;
  /** Fetches the rows again: frames were missed. */
  readonly again: () => void;
}

/** The rows that the user is reading, with the request that they belong to. */
interface HeldList<Row> {
  readonly requestKey: string | undefined;
  readonly rows: readonly Row[];
}

export function useLiveRows<Row>({
  topic,
  rows,
  since,
  requestKey,
  numberOf,
  read,
  isFirstPage,
  again,
}: LiveList<Row>): LiveRows<Row> {
  const updates = useUpdates(topic, since, again);
  const [shownUpTo, setShownUpTo] = useState(0);
  const [heldList, setHeldList] = useState<HeldList<Row>>();
  const isFull = updates.rows.length === reportedMax;
  useEffect(() => {
    // More updates arrived than are kept, so rows between them and the fetched list may be missing.
    if (isFull) again();
  }, [isFull]);

  const newest = (of: readonly Row[]) => (of[0] === undefined ? 0 : numberOf(of[0]));
  // A list whose newest row is older than the held rows belongs to another state: the data space
  // was reset.
  const isHeld =
    isFirstPage && heldList?.requestKey === requestKey && newest(rows ?? []) >= newest(heldList?.rows ?? []);
  useLayoutEffect(() => {
    if (rows && !(isHeld && !isAtTop())) setHeldList({ requestKey, rows });
    if (rows && !isHeld) setShownUpTo(0);
  }, [rows]);

  useFrames(topic, (frame) => {
    if (frame.kind !== "rows" || !isAtTop()) return;
    const numbers = frame.rows.flatMap((row) => read(row) ?? []).map(numberOf);
    setShownUpTo((last) => Math.max(last, ...numbers));
  });

  const updatedRows = updates.rows.flatMap((row) => read(row) ?? []);
  // A list that was fetched while the user reads updates the visible rows, like live updates.
  const over = isHeld
    ? mergeUpdates([...updatedRows, ...(rows ?? [])], heldList?.rows ?? [], numberOf)
    : mergeUpdates(updatedRows, rows ?? [], numberOf);
  const newer = isFirstPage && rows ? over.newer : [];
  const visible = newer.filter((row) => numberOf(row) <= shownUpTo);
  return {
    rows: [...visible, ...over.fetched],
    waiting: newer.length - visible.length,
    show: () => setShownUpTo(newest(newer)),
  };
}

function isAtTop(): boolean {
  const scroller = document.querySelector(".list.scrolls");
  const scrolled = (scroller?.scrollTop ?? 0) + (document.scrollingElement?.scrollTop ?? 0);
  return scrolled < nearTop;
}
