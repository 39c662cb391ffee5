/**
 * The live list of requests: the fetched rows with the stream's updates on top. While it is paused,
 * new rows are counted and held back, from either source. Requests that arrive too fast for the
 * stream are only counted.
 */
import { useEffect, useState } from "preact/hooks";
import type { RequestRow, RequestsResponse } from "../../../../src/admin/api/requests.ts";
import { type Answered, useAnswer } from "../../api/use-answer.ts";
import { layOver, reportedMax, useUpdates } from "../../api/use-updates.ts";
import { isWanted, type Wanted } from "./wanted.ts";

export interface LiveRequests {
  readonly rows: readonly RequestRow[];
  /** The number of new rows since the pause. */
  readonly waiting: number;
  readonly missed: number;
  readonly filtered: Answered<RequestsResponse>;
  readonly isPaused: boolean;
  setPaused(isPaused: boolean): void;
}

/** As many rows as the service keeps. */
const rowsMax = reportedMax;

export function useLiveRequests(wanted: Wanted): LiveRequests {
  const filtered = useAnswer<RequestsResponse>("/api/requests", { ...wanted, limit: rowsMax });
  const received = useUpdates("requests", filtered.since, filtered.again);
  const [pausedAt, setPausedAt] = useState<{ rows: readonly RequestRow[] | undefined; of: string }>();
  const of = JSON.stringify(wanted);
  const requests = filtered.answer?.requests ?? [];
  const added = received.rows as readonly RequestRow[];

  // Rows don't list the changed records, so the list is fetched again.
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
  // With filters other than when it was paused, the list is a different one.
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
