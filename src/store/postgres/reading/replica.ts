/**
 * Read replica: a standby that serves reads which may be slightly old.
 *
 * It is used while it has everything that the server had committed a given time ago, whatever their
 * clocks say. The server regularly reports its log position, and the standby the position that it
 * has replayed. If the standby is behind, unreachable, promoted or belongs to another server, reads
 * go to the server. A read that fails on the standby runs again on the server.
 */
import type { Awaitable } from "../../../support/awaitable.ts";
import { messageOf } from "../../../support/failure.ts";
import { invariant } from "../../../support/invariant.ts";
import { every, machine } from "../../../support/machine.ts";
import { StatementTimedOut } from "../../errors.ts";
import { type StatementResult, type Row, type Statement, statement } from "../../rows/steps.ts";
import type { Replicated } from "../connection/address.ts";
import type { ReadPool } from "./read-pool.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** The minimum interval of position queries, in milliseconds. */
const lookEveryMs = 1_000;
const system = "(SELECT system_identifier::text FROM pg_control_system())";
/**
 * The position up to which the log is written, on disk or not. Every acknowledged change precedes
 * it.
 */
const lengthOfLog = statement<readonly [length: string, server: string]>(
  `SELECT pg_current_wal_insert_lsn()::text, ${system}`,
);
const partOfIt = statement<readonly [part: string | null, server: string]>(
  `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END, ${system}`,
);

/** A position of the server's log, and a time at which the log had not passed it. */
interface Mark {
  readonly place: bigint;
  readonly atMs: number;
}

/** Executes reads on the standby while it is fresh enough, and on the server otherwise. */
export class Replica implements Pick<ReadPool, "queryRows" | "ofOneMoment"> {
  readonly #replicated: Replicated;
  readonly #server: ReadPool;
  readonly #readPool: ReadPool;
  readonly #onWarning: (message: string) => void;
  /** Marks that the standby hasn't reached yet, the earliest first. */
  #marks: Mark[] = [];
  /** The standby has everything that was acknowledged by this time. */
  #freshMs = Number.NEGATIVE_INFINITY;
  /** The standby has been polled since this time. */
  #sinceMs = machine.elapsed();
  #isReported = false;
  #polling: Promise<void> | undefined;
  #stopPolling: (() => void) | undefined;

  constructor(
    replicated: Replicated,
    server: ReadPool,
    readPool: ReadPool,
    onWarning: (message: string) => void,
  ) {
    this.#replicated = replicated;
    this.#server = server;
    this.#readPool = readPool;
    this.#onWarning = onWarning;
  }

  /**
   * Starts polling without waiting for it, because a service must be able to start without the
   * standby.
   */
  start(): void {
    const look = () => {
      this.#polling ??= this.#poll().finally(() => {
        this.#polling = undefined;
      });
    };
    look();
    this.#stopPolling = every(Math.min(lookEveryMs, this.#replicated.behindMs / 4), look);
  }

  queryRows<R extends Row>(
    statement: Statement<R>,
    values: readonly SqlValue[],
    isSlow: boolean,
  ): Promise<StatementResult<R>> {
    return this.#execute((readPool) => readPool.queryRows(statement, values, isSlow));
  }

  ofOneMoment<T>(
    work: (
      execute: (statement: Statement, values: readonly SqlValue[]) => Promise<StatementResult>,
    ) => Awaitable<T>,
  ): Promise<T> {
    return this.#execute((readPool) => readPool.ofOneMoment(work));
  }

  async close(): Promise<void> {
    this.#stopPolling?.();
    await this.#readPool.close();
    await this.#polling;
  }

  async #execute<T>(execute: (readPool: ReadPool) => Promise<T>): Promise<T> {
    if (machine.elapsed() - this.#freshMs > this.#replicated.behindMs) return execute(this.#server);
    try {
      return await execute(this.#readPool);
    } catch (error) {
      // The statement would take as long on the server.
      if (error instanceof StatementTimedOut) throw error;
      this.#forget();
      return execute(this.#server);
    }
  }

  /**
   * @param mark the server's current position
   * @param place the position that the standby has replayed
   */
  #learn(mark: Mark, place: bigint): void {
    const { behindMs, host } = this.#replicated;
    this.#marks.push(mark);
    const reached = this.#marks.findLast((candidate) => candidate.place <= place);
    if (reached) this.#freshMs = reached.atMs;
    // Marks older than the allowed delay are irrelevant.
    const oldestMs = Math.max(this.#freshMs, mark.atMs - behindMs);
    this.#marks = this.#marks.filter((candidate) => candidate.atMs > oldestMs);
    if (mark.atMs - Math.max(this.#freshMs, this.#sinceMs) > behindMs) {
      this.#notify(`it is more than ${behindMs / 1000} s behind`);
    } else if (this.#isReported && reached) {
      this.#isReported = false;
      this.#onWarning(`The replica at ${host} is used again.`);
    }
  }

  #forget(): void {
    this.#freshMs = Number.NEGATIVE_INFINITY;
    this.#sinceMs = machine.elapsed();
    this.#marks = [];
  }

  async #poll(): Promise<void> {
    try {
      const atMs = machine.elapsed();
      const { rows: own } = await this.#server.queryRows(lengthOfLog, [], false);
      const { rows } = await this.#readPool.queryRows(partOfIt, [], false);
      invariant(own[0] && rows[0], "a server says how far its log has come");
      const [[length, ofServer], [part, ofReplica]] = [own[0], rows[0]];
      if (ofReplica !== ofServer) return this.#leave("it belongs to another server");
      if (part === null) return this.#leave("it no longer follows a server");
      this.#learn({ place: placeOf(length), atMs }, placeOf(part));
    } catch (error) {
      this.#leave(messageOf(error));
    }
  }

  #leave(why: string): void {
    this.#forget();
    this.#notify(why);
  }

  #notify(why: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#onWarning(
      `The replica at ${this.#replicated.host} isn't used (${why}); the server is read instead.`,
    );
  }
}

/** Converts a log position to a number. It is written as two halves, such as `16/B374D848`. */
function placeOf(text: string): bigint {
  const [high, low] = text.split("/") as [string, string];
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
