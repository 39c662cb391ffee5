/**
 * Slow reads: keeps statements that read many records from blocking other requests.
 *
 * Each starts on the calling thread, since most finish at once. After a few milliseconds, the
 * database stops a longer one, and it restarts on another thread with a time limit. For a while,
 * the same statement then goes there directly. If one tick of the event loop has many reads, short
 * ones wait for the next tick.
 */
import type { Awaitable } from "../../../support/awaitable.ts";
import { StoreUnavailable } from "../../errors.ts";
import type { Row } from "../connection/connection.ts";
import { readLimits } from "./limits.ts";
import { readerPool } from "./reader-pool.ts";
import type { WorkerStatement, ReadSource } from "./thread.ts";
import { rowsRead, TimeLimitExceeded, withTimeLimit } from "../connection/time-bound.ts";
import type { Machine } from "../../../support/machine.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** Runs the reads of one store, on this thread or on a reader thread. */
export class PatientReads {
  readonly #source: ReadSource;
  readonly #timeMs: number;
  /** Until when a statement goes directly to a thread. */
  readonly #elsewhereUntil = new WeakMap<WorkerStatement, number>();
  /** The time in milliseconds, for the duration of the reads of this tick. */
  readonly #elapsed: Machine["elapsed"];
  #spentMs = 0;
  #spentRows = 0;
  /**
   * Statements that last read few rows. Sending them to another thread would take longer than
   * running them.
   */
  readonly #small = new WeakSet<WorkerStatement>();
  /** Small reads that wait for a later tick. */
  readonly #later: (() => void)[] = [];
  /** Starts waiting reads: at most as many per tick as fit into its time limit. */
  readonly #startWaiting = () => {
    this.#startTick();
    for (const go of this.#later.splice(0, readLimits.hereRows)) go();
    if (this.#later.length > 0) setImmediate(this.#startWaiting);
  };
  #isClosed = false;
  readonly #startTick = () => {
    this.#spentMs = 0;
    this.#spentRows = 0;
  };

  constructor(source: ReadSource, timeMs: number, { elapsed }: Pick<Machine, "elapsed">) {
    this.#elapsed = elapsed;
    this.#source = source;
    this.#timeMs = timeMs;
  }

  /**
   * @param first whether only the first row is needed
   * @param here executes on this thread, now
   * @param again retries in another tick; by then a write may be open on the connection that `here`
   * reads from
   * @param answer decodes the rows from another thread
   */
  execute<T>(
    query: WorkerStatement,
    values: () => readonly SqlValue[],
    first: boolean,
    here: () => Awaitable<T>,
    again: () => Awaitable<T>,
    answer: (rows: readonly Row[]) => Awaitable<T>,
  ): Awaitable<T> {
    const startedAt = this.#elapsed();
    const isSpent = isMuch(this.#spentMs, this.#spentRows);
    if (isSpent && this.#small.has(query))
      return this.#nextTurn().then(() => {
        if (this.#isClosed) throw new StoreUnavailable("The store is closed.", { retryable: false });
        return again();
      });
    if (!isSpent && startedAt >= (this.#elsewhereUntil.get(query) ?? 0)) {
      if (this.#spentRows === 0 && this.#spentMs === 0) setImmediate(this.#startTick);
      const rowsBefore = rowsRead();
      try {
        return withTimeLimit(
          Math.min(readLimits.hereMs, this.#timeMs),
          here,
          readLimits.hereRows,
          this.#elapsed,
        );
      } catch (error) {
        if (!(error instanceof TimeLimitExceeded)) throw error;
      } finally {
        const tookMs = this.#elapsed() - startedAt;
        const tookRows = rowsRead() - rowsBefore;
        this.#spentMs += tookMs;
        this.#spentRows += tookRows;
        if (tookRows <= readLimits.smallRows) this.#small.add(query);
        else this.#small.delete(query);
        if (isMuch(tookMs, tookRows))
          this.#elsewhereUntil.set(query, startedAt + tookMs * readLimits.elsewhereFactor);
      }
    }
    const obstacle = this.#source.obstacle();
    if (obstacle) return Promise.reject(obstacle);
    const read = { source: this.#source, query, values: values(), first, timeMs: this.#timeMs };
    return readerPool.read(read).then(answer);
  }

  #nextTurn(): Promise<void> {
    if (this.#later.length === 0) setImmediate(this.#startWaiting);
    return new Promise((resolve) => this.#later.push(resolve));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return readerPool.forget(this.#source);
  }
}

function isMuch(tookMs: number, rows: number): boolean {
  return tookMs >= readLimits.hereMs && rows >= readLimits.hereRows;
}
