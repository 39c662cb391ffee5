/**
 * A list that is asked for, and goes on live: what is told of it since stands above, newest first. While somebody reads further down it is
 * held back and counted, so that nothing moves under their eyes. A row that is told of again takes its own place.
 */
import { useEffect, useState } from "preact/hooks";
import { layOver, toldMax, useTold } from "../api/use-told.ts";
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
  /** Grows with each that is new. */
  readonly numberOf: (row: Row) => number;
  /** Undefined of what isn't one of these rows, or not among what is looked for. */
  readonly read: (told: unknown) => Row | undefined;
  /** The newest are looked at, and not a page further on. */
  readonly isFirstPage: boolean;
  /** Asks for the rows anew: frames were missed. */
  readonly again: () => void;
}

export function useLiveRows<Row>({
  topic,
  rows,
  since,
  numberOf,
  read,
  isFirstPage,
  again,
}: LiveList<Row>): LiveRows<Row> {
  const told = useTold(topic, since, again);
  const [shownUpTo, setShownUpTo] = useState(0);
  const isFull = told.rows.length === toldMax;
  useEffect(() => {
    // More was told than is held: between it and what was asked for there would be a hole.
    if (isFull) again();
  }, [isFull]);

  useFrames(topic, (frame) => {
    if (frame.kind === "begin") setShownUpTo(0);
    if (frame.kind !== "rows" || !isAtTop()) return;
    const numbers = frame.rows.flatMap((row) => read(row) ?? []).map(numberOf);
    setShownUpTo((last) => Math.max(last, ...numbers));
  });

  const over = layOver(
    told.rows.flatMap((row) => read(row) ?? []),
    rows ?? [],
    numberOf,
  );
  const newer = isFirstPage && rows ? over.newer : [];
  const shown = newer.filter((row) => numberOf(row) <= shownUpTo);
  return {
    rows: [...shown, ...over.asked],
    waiting: newer.length - shown.length,
    show: () => setShownUpTo(Math.max(...newer.map(numberOf))),
  };
}

function isAtTop(): boolean {
  const scroller = document.querySelector(".list.scrolls");
  const scrolled = (scroller?.scrollTop ?? 0) + (document.scrollingElement?.scrollTop ?? 0);
  return scrolled < nearTop;
}
