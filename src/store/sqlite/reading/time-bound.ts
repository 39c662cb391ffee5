/**
 * Interrupts statements inside the database. `node:sqlite` has neither an interrupt nor a progress
 * handler, but a function of ours that a statement calls may throw, which ends the statement.
 * Statements that may iterate many records call one (`Dialect.tick`), which checks the clock.
 */
import type { DatabaseSync } from "node:sqlite";
import { machine } from "../../../support/machine.ts";

export const tickFunction = "ninefold_tick";

/** The time limit of a statement was exceeded. */
export class TimeOver extends Error {
  override name = "TimeOver";
}

/** Statements run to their end before anything else does, so one time serves all connections of a thread. */
let endsAt = Number.POSITIVE_INFINITY;
/** How many rows all statements have looked at, and up to how many the clock doesn't count. */
let rows = 0;
let freeUntil = 0;
let elapsed = machine.elapsed;
/** Looking at the clock takes as long as looking at a few rows. */
const rowsBetweenLooks = 16;

/** The number of rows that interruptible statements have read so far. */
export function rowsSoFar(): number {
  return rows;
}

/**
 * Runs statements within a time limit.
 * @param freeRows a statement continues up to this number of rows: on a busy machine the clock says little
 * @throws TimeOver
 */
export function withinTime<T>(timeMs: number, run: () => T, freeRows = 0, stopwatch = machine.elapsed): T {
  const outer = [endsAt, freeUntil, elapsed] as const;
  elapsed = stopwatch;
  endsAt = Math.min(endsAt, elapsed() + timeMs);
  freeUntil = rows + freeRows;
  try {
    return run();
  } finally {
    [endsAt, freeUntil, elapsed] = outer;
  }
}

/** Teaches a connection the function. It answers true. */
export function registerTick(database: DatabaseSync): void {
  database.function(tickFunction, (_row: unknown) => {
    rows += 1;
    if (rows % rowsBetweenLooks === 0 && rows > freeUntil && elapsed() > endsAt)
      throw new TimeOver("a statement took too long");
    return 1;
  });
}
