/**
 * A fetched list with live updates, newest first. While the user reads further down, new rows are
 * held back and counted, so that nothing moves. An updated row stays in its place.
 */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { layOver, reportedMax, useUpdates } from "../api/use-updates.ts";
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
  readonly question: string | undefined;
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
interface Held<Row> {
  readonly question: string | undefined;
  readonly rows: readonly Row[];
}

export function useLiveRows<Row>({
  topic,
  rows,
  since,
  question,
  numberOf,
  read,
  isFirstPage,
  again,
}: LiveList<Row>): LiveRows<Row> {
  const received = useUpdates(topic, since, again);
  const [shownUpTo, setShownUpTo] = useState(0);
  const [held, setHeld] = useState<Held<Row>>();
  const isFull = received.rows.length === reportedMax;
  useEffect(() => {
    // More updates arrived than are kept, so rows between them and the fetched list may be missing.
    if (isFull) again();
  }, [isFull]);

  const newest = (of: readonly Row[]) => (of[0] === undefined ? 0 : numberOf(of[0]));
  // A list whose newest row is older than the held rows belongs to another state: the data space
  // was reset.
  const isHeld = isFirstPage && held?.question === question && newest(rows ?? []) >= newest(held?.rows ?? []);
  useLayoutEffect(() => {
    if (rows && !(isHeld && !isAtTop())) setHeld({ question, rows });
    if (rows && !isHeld) setShownUpTo(0);
  }, [rows]);

  useFrames(topic, (frame) => {
    if (frame.kind !== "rows" || !isAtTop()) return;
    const numbers = frame.rows.flatMap((row) => read(row) ?? []).map(numberOf);
    setShownUpTo((last) => Math.max(last, ...numbers));
  });

  const receivedRows = received.rows.flatMap((row) => read(row) ?? []);
  // A list that was fetched while the user reads updates the visible rows, like live updates.
  const over = isHeld
    ? layOver([...receivedRows, ...(rows ?? [])], held?.rows ?? [], numberOf)
    : layOver(receivedRows, rows ?? [], numberOf);
  const newer = isFirstPage && rows ? over.newer : [];
  const shown = newer.filter((row) => numberOf(row) <= shownUpTo);
  return {
    rows: [...shown, ...over.filtered],
    waiting: newer.length - shown.length,
    show: () => setShownUpTo(newest(newer)),
  };
}

function isAtTop(): boolean {
  const scroller = document.querySelector(".list.scrolls");
  const scrolled = (scroller?.scrollTop ?? 0) + (document.scrollingElement?.scrollTop ?? 0);
  return scrolled < nearTop;
}
