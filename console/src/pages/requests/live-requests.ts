/**
 * The requests of a list that lives: what was asked for, and on top of it what the stream tells. While it is paused what comes waits, and
 * is counted, whichever way it comes. What comes too fast for the stream is only counted, too.
 */
import { useEffect, useState } from "preact/hooks";
import type { RequestRow, RequestsResponse } from "../../../../src/admin/api/requests.ts";
import { type Answered, useAnswer } from "../../api/use-answer.ts";
import { layOver, reportedMax, useUpdates } from "../../api/use-updates.ts";
import { isWanted, type Wanted } from "./wanted.ts";

export interface LiveRequests {
  readonly rows: readonly RequestRow[];
  /** How many came since it was paused. */
  readonly waiting: number;
  readonly missed: number;
  readonly filtered: Answered<RequestsResponse>;
  readonly isPaused: boolean;
  setPaused(isPaused: boolean): void;
}

/** As many as the service remembers. */
const rowsMax = reportedMax;

export function useLiveRequests(wanted: Wanted): LiveRequests {
  const filtered = useAnswer<RequestsResponse>("/api/requests", { ...wanted, limit: rowsMax });
  const received = useUpdates("requests", filtered.since, filtered.again);
  const [pausedAt, setPausedAt] = useState<{ rows: readonly RequestRow[] | undefined; of: string }>();
  const of = JSON.stringify(wanted);
  const requests = filtered.answer?.requests ?? [];
  const added = received.rows as readonly RequestRow[];

  // Which records were changed is not told in rows: the list is asked for anew.
  const isOfRecord = wanted.record !== undefined;
  const isBehind = isOfRecord && added.some(({ changes }) => changes > 0);
  useEffect(() => {
    if (isBehind) filtered.again();
  }, [isBehind]);

  const over = layOver(
    isOfRecord ? [] : added.filter((row) => isWanted(row, wanted)),
    requests,
    ({ number }) => number,
  );
  const now = [...over.newer, ...over.filtered].slice(0, rowsMax);
  // With other filters than it was paused with there is another list.
  const held = pausedAt?.of === of ? pausedAt.rows : undefined;
  const rows = pausedAt === undefined ? now : (held ?? over.filtered);
  const shown = new Set(rows.map(({ id }) => id));
  return {
    rows,
    waiting: pausedAt === undefined ? 0 : now.filter(({ id }) => !shown.has(id)).length,
    missed: filtered.answer ? received.leftOut : 0,
    filtered,
    isPaused: pausedAt !== undefined,
    setPaused: (pauses) => setPausedAt(pauses ? { rows: filtered.answer && now, of } : undefined),
  };
}
