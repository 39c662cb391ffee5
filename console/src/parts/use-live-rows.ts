/**
 * A list that is asked for, and goes on live: what is told of it since stands above, newest first. While somebody reads further down it is
 * held back and counted, so that nothing moves under their eyes. A row that is told of again takes its own place.
 */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { layOver, reportedMax, useUpdates } from "../api/use-updates.ts";
import { useFrames } from "../api/use-topic.ts";

/** Whoever is this near to the top looks at the newest, in pixels. */
const nearTop = 80;

export interface LiveRows<Row> {
  readonly rows: readonly Row[];
  /** How many are held back. */
  readonly waiting: number;
  /** Shows them. */
  show(): void;
}

export interface LiveList<Row> {
  readonly topic: string;
  /** As they were asked for, newest first; undefined before they are there. */
  readonly rows: readonly Row[] | undefined;
  /** When they were asked for, by `performance.now()`. */
  readonly since: number;
  /** What they are the answer to: those of another are another list. */
  readonly question: string | undefined;
  /** Grows with each that is new. */
  readonly numberOf: (row: Row) => number;
  /** Undefined of what isn't one of these rows, or not among what is looked for. */
  readonly read: (received: unknown) => Row | undefined;
  /** The newest are looked at, and not a page further on. */
  readonly isFirstPage: boolean;
  /** Asks for the rows anew: frames were missed. */
  readonly again: () => void;
}

/** The rows that somebody reads, with what they are the answer to. */
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
    // More was told than is held: between it and what was asked for there would be a hole.
    if (isFull) again();
  }, [isFull]);

  const newest = (of: readonly Row[]) => (of[0] === undefined ? 0 : numberOf(of[0]));
  // A list that ends before what is held does is another one: the data space has begun anew.
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
  // What was asked for anew while somebody reads is laid over what they read, like what was told.
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
