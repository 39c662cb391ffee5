/**
 * A list that is asked for, and goes on live: what is told of it since stands above, newest first. While somebody reads further down it is
 * held back and counted, so that nothing moves under their eyes. A row that is told of again takes its own place.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { useFrames } from "../api/use-topic.ts";

/** What is held of what was told, at most. */
const freshMax = 500;
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
  numberOf,
  read,
  isFirstPage,
  again,
}: LiveList<Row>): LiveRows<Row> {
  const [fresh, setFresh] = useState<readonly Row[]>([]);
  const [shownUpTo, setShownUpTo] = useState(0);
  const begun = useRef(false);

  // What was asked for anew has all that was told before.
  useEffect(() => {
    setFresh([]);
    setShownUpTo(0);
  }, [rows]);

  useFrames(topic, (frame) => {
    if (frame.kind === "begin") {
      if (begun.current) again();
      begun.current = true;
    }
    if (frame.kind !== "rows") return;
    const told = frame.rows.flatMap((row) => read(row) ?? []);
    if (told.length === 0) return;
    const numbers = new Set(told.map(numberOf));
    const newest = Math.max(...numbers);
    setFresh((last) =>
      [...told, ...last.filter((row) => !numbers.has(numberOf(row)))]
        .toSorted((a, b) => numberOf(b) - numberOf(a))
        .slice(0, freshMax),
    );
    if (isAtTop()) setShownUpTo((last) => Math.max(last, newest));
  });

  const asked = rows ?? [];
  const top = asked[0] === undefined ? 0 : numberOf(asked[0]);
  const known = new Map(fresh.map((row) => [numberOf(row), row]));
  const newer = isFirstPage && rows ? fresh.filter((row) => numberOf(row) > top) : [];
  const shown = newer.filter((row) => numberOf(row) <= shownUpTo);
  return {
    rows: [...shown, ...asked.map((row) => known.get(numberOf(row)) ?? row)],
    waiting: newer.length - shown.length,
    show: () => setShownUpTo(Number.MAX_SAFE_INTEGER),
  };
}

function isAtTop(): boolean {
  const scroller = document.querySelector(".list.scrolls");
  const scrolled = (scroller?.scrollTop ?? 0) + (document.scrollingElement?.scrollTop ?? 0);
  return scrolled < nearTop;
}
