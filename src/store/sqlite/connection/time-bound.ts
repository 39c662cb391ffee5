/**
 * Time limit of statements: interrupts them inside the database.
 *
 * `node:sqlite` has neither an interrupt nor a progress handler. But a function of ours that a
 * statement calls can throw, which ends the statement. Statements that may iterate over many
 * records call one (`Dialect.tick`), which checks the clock.
 */
import type { DatabaseSync } from "node:sqlite";
import { machine } from "../../../support/machine.ts";

export const tickFunction = "ninefold_tick";

/** The time limit of a statement was exceeded. */
export class TimeLimitExceeded extends Error {
  override name = "TimeLimitExceeded";
}

/** Nothing else runs during a statement, so one time limit serves all connections of a thread. */
let endsAt = Number.POSITIVE_INFINITY;
/**
 * The number of rows that all statements have read, and the number up to which the clock is
 * ignored.
 */
let rows = 0;
let freeUntil = 0;
let elapsed = machine.elapsed;
/** Reading the clock costs as much as reading a few rows. */
const rowsBetweenLooks = 16;

/** The number of rows that interruptible statements have read so far. */
export function rowsRead(): number {
  return rows;
}

/**
 * Runs statements within a time limit.
 * @param timeMs the time limit in milliseconds
 * @param freeRows a statement may read this many rows regardless of its time, because on a busy
 * machine elapsed time means little
 * @throws TimeLimitExceeded
 */
export function withTimeLimit<T>(timeMs: number, run: () => T, freeRows = 0, stopwatch = machine.elapsed): T {
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

/** Registers the function on a connection. It returns true. */
export function registerTick(database: DatabaseSync): void {
  database.function(tickFunction, (_row: unknown) => {
    rows += 1;
    if (rows % rowsBetweenLooks === 0 && rows > freeUntil && elapsed() > endsAt)
      throw new TimeLimitExceeded("a statement took too long");
    return 1;
  });
}
