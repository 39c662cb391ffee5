/**
 * The requests of a list that lives: what was asked for once, and on top of it what the stream tells. While it is paused what comes waits, and
 * is counted. What comes too fast for the stream is only counted, too.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { RequestRow, RequestsAnswer } from "../../../../src/operations/api/requests.ts";
import { type Answered, useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";
import { isWanted, type Wanted } from "./wanted.ts";

/** As many as the service remembers. */
const rowsMax = 1000;

interface Live {
  readonly rows: readonly RequestRow[];
  /** Newest first, as the rows. */
  readonly waiting: readonly RequestRow[];
  readonly missed: number;
}

const nothing: Live = { rows: [], waiting: [], missed: 0 };

export interface LiveRequests extends Live {
  readonly asked: Answered<RequestsAnswer>;
  readonly isPaused: boolean;
  setPaused(isPaused: boolean): void;
}

export function useLiveRequests(wanted: Wanted): LiveRequests {
  const asked = useAnswer<RequestsAnswer>("/api/requests", { ...wanted, limit: rowsMax });
  const [live, setLive] = useState(nothing);
  const [isPaused, setIsPaused] = useState(false);
  const last = useRef({ wanted, isPaused });
  last.current = { wanted, isPaused };
  const { answer } = asked;

  useEffect(() => {
    if (answer) setLive({ ...nothing, rows: answer.requests });
  }, [answer]);

  useFrames("requests", (frame) => {
    if (frame.kind === "begin") asked.again();
    if (frame.kind !== "rows") return;
    const came = (frame.rows as readonly RequestRow[]).toReversed();
    // Which records were changed is not told in rows: the list is asked for anew.
    if (last.current.wanted.record !== undefined) {
      if (came.some(({ changes }) => changes > 0)) asked.again();
      return;
    }
    const own = came.filter((row) => isWanted(row, last.current.wanted));
    if (own.length === 0 && frame.leftOut === 0) return;
    setLive(({ rows, waiting, missed }) => {
      const all = { rows, waiting, missed: missed + frame.leftOut };
      return last.current.isPaused
        ? { ...all, waiting: onTop(own, waiting) }
        : { ...all, rows: onTop(own, rows) };
    });
  });

  const setPaused = useCallback((pauses: boolean) => {
    setIsPaused(pauses);
    if (!pauses)
      setLive(({ rows, waiting, missed }) => ({ rows: onTop(waiting, rows), waiting: [], missed }));
  }, []);

  return { ...live, asked, isPaused, setPaused };
}

/** One that is told a second time, for its stream has ended, takes its own place. */
function onTop(came: readonly RequestRow[], rows: readonly RequestRow[]): readonly RequestRow[] {
  const known = new Map(came.map((row) => [row.number, row]));
  const top = rows[0]?.number ?? 0;
  const fresh = came.filter(({ number }) => number > top);
  const older = came.length > fresh.length ? rows.map((row) => known.get(row.number) ?? row) : rows;
  return [...fresh, ...older].slice(0, rowsMax);
}
