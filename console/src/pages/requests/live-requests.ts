/**
 * The live list of requests: the fetched rows with the stream's updates on top. While it is paused,
 * new rows are counted and held back, from either source. Requests that arrive too fast for the
 * stream are only counted.
 */
import { useEffect, useState } from "preact/hooks";
import type { RequestRow, RequestsResponse } from "../../../../src/admin/api/requests/requests.ts";
import { type AnswerState, useAnswer } from "../../api/use-answer.ts";
import { mergeUpdates, reportedMax, useUpdates } from "../../api/use-updates.ts";
import { matchesFilters, type RequestFilters } from "./request-filters.ts";

export interface LiveRequests {
  readonly rows: readonly RequestRow[];
  /** The number of new rows since the pause. */
  readonly waiting: number;
  readonly missed: number;
  readonly fetched: AnswerState<RequestsResponse>;
  readonly isPaused: boolean;
  setPaused(isPaused: boolean): void;
}

/** As many rows as the service keeps. */
const rowsMax = reportedMax;

export function useLiveRequests(filters: RequestFilters): LiveRequests {
  const fetched = useAnswer<RequestsResponse>("/api/requests", { ...filters, limit: rowsMax });
  const updates = useUpdates("requests", fetched.since, fetched.again);
  const [pausedAt, setPausedAt] = useState<{ rows: readonly RequestRow[] | undefined; of: string }>();
  const of = JSON.stringify(filters);
  const requests = fetched.answer?.requests ?? [];
  const updatedRows = updates.rows as readonly RequestRow[];

  // Rows don't list the changed records, so the list is fetched again.
  const isOfRecord = filters.record !== undefined;
  const isBehind = isOfRecord && updatedRows.some(({ changes }) => changes > 0);
  useEffect(() => {
    if (isBehind) fetched.again();
  }, [isBehind]);

  const over = mergeUpdates(
    isOfRecord ? [] : updatedRows.filter((row) => matchesFilters(row, filters)),
    requests,
    ({ number }) => number,
  );
  const now = [...over.newer, ...over.fetched].slice(0, rowsMax);
  // With filters other than when it was paused, the list is a different one.
  const pausedRows = pausedAt?.of === of ? pausedAt.rows : undefined;
  const rows = pausedAt === undefined ? now : (pausedRows ?? over.fetched);
  const visibleIds = new Set(rows.map(({ id }) => id));
  return {
    rows,
    waiting: pausedAt === undefined ? 0 : now.filter(({ id }) => !visibleIds.has(id)).length,
    missed: fetched.answer ? updates.leftOut : 0,
    fetched,
    isPaused: pausedAt !== undefined,
    setPaused: (pauses) => setPausedAt(pauses ? { rows: fetched.answer && now, of } : undefined),
  };
}
