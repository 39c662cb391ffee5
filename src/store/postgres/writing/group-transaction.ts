/**
 * Group transactions in PostgreSQL: each runs a group of writes on one connection.
 *
 * They are serializable, so that groups of several instances run concurrently, and each has the
 * result that it would have alone. A group locks `ninefold_turn` in a mode that it shares with all
 * others. After a conflict, the group runs again with an exclusive lock, so that it can't conflict
 * with another group. It uses `LOCK TABLE`, because an advisory lock is requested in a query, whose
 * snapshot precedes the wait.
 */
import type { StoreUnavailable } from "../../errors.ts";
import { defaultLimits } from "../../group-commit.ts";
import type { GroupTransaction } from "../../write-slot.ts";
import { statement } from "../../rows/steps.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { PostgresConnection } from "../connection/connection.ts";
import {
  asCommitFailure,
  asUnavailable,
  isConflict,
  isFatal,
  isLockTimeout,
  LogNeeded,
} from "../connection/failures.ts";
import { RowNumbers } from "./row-numbers.ts";
import { notServing } from "../shared/serving-state.ts";
import { type LogState, SpeculativeBatch } from "./speculative-batch.ts";

/** Time limits of a group, in milliseconds. */
export interface GroupBounds {
  /** The timeout for the write lock. */
  readonly turnMs: number;
  /** The timeout of a single statement. */
  readonly statementMs: number;
  /**
   * The timeout for a record that a concurrent group changes. When that group commits, this one
   * conflicts, so a long wait is pointless. If both wait for each other, the server detects the
   * deadlock only after a second.
   */
  readonly recordMs: number;
  /**
   * How long the server lets a group with the lock stay idle, because its process is suspended or
   * its machine failed. It is less than the lock timeout of others.
   */
  readonly idleMs: number;
  /** How long after a statement's timeout the server may stay silent. */
  readonly silenceMs: number;
  /**
   * Like `idleMs`, for a group that may wait for something besides the database. It exceeds the
   * time limit of a write.
   */
  readonly idleOfWaitingMs: number;
}

export const groupBounds: GroupBounds = {
  turnMs: 8_000,
  statementMs: 8_000,
  recordMs: 50,
  idleMs: 5_000,
  silenceMs: 3_000,
  idleOfWaitingMs: defaultLimits.writeMs + 2_000,
};

export interface GroupOptions {
  /**
   * Called when a group has its snapshot. Reads outside of the group that start then aren't older
   * than the snapshot.
   */
  readonly onStart: () => Promise<void>;
  readonly bounds?: Partial<GroupBounds>;
  /**
   * The schema's generation when this instance started. A group of another generation writes
   * nothing.
   */
  readonly generation: string;
  /** Whether its writes run concurrently with all groups, and delay none of them. */
  readonly isConcurrent: boolean;
}

/** The schema's current generation. */
export const generationNow = statement<readonly [generation: string]>(
  "SELECT coalesce((SELECT value FROM ninefold_meta WHERE name = 'generation'), '0')",
);

export class PostgresGroupTransaction implements GroupTransaction {
  readonly #address: PostgresAddress;
  readonly #options: GroupOptions;
  readonly #bounds: GroupBounds;
  #connection: PostgresConnection | undefined;
  #isOpen = false;
  /**
   * Whether other groups run concurrently. Its statements wait only briefly for records (`recordMs`).
   */
  #isShared = false;
  /** The state of the log at the savepoint. */
  #marked: LogState | undefined;
  #speculative: SpeculativeBatch | undefined;
  readonly #rows = new RowNumbers();
  readonly failsWhole = true;

  constructor(address: PostgresAddress, options: GroupOptions) {
    this.#address = address;
    this.#options = options;
    this.#bounds = { ...groupBounds, ...options.bounds };
  }

  /** The connection of the open transaction. */
  get connection(): PostgresConnection {
    if (!this.#connection) throw new Error("connection terminated");
    return this.#connection;
  }

  /** The speculative batch of the open transaction. */
  get speculative(): SpeculativeBatch {
    if (!this.#speculative) throw new Error("connection terminated");
    return this.#speculative;
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#connection?.isThere === true;
  }

  /**
   * Whether reads may be pipelined behind the start of the transaction, which requires an open
   * connection.
   */
  get pipelinesWrites(): boolean {
    return this.#connection?.isThere === true;
  }

  /**
   * Starts a transaction. With an open connection, its start is sent at once, even while the
   * previous transaction is being committed.
   * @param isAlone whether the group excludes all others
   */
  async begin(isAlone: boolean): Promise<void> {
    if (!this.#connection?.isThere) this.#connection = await this.#connect();
    const connection = this.#connection;
    const { isConcurrent, generation, onStart } = this.#options;
    const { turnMs, idleMs, recordMs } = this.#bounds;
    const mode = isConcurrent ? "ACCESS SHARE" : isAlone ? "EXCLUSIVE" : "ROW SHARE";
    const isShared = !isConcurrent && !isAlone;
    const first = `SET LOCAL lock_timeout TO ${turnMs}; ${setIdleTimeout(idleMs)}; LOCK TABLE ninefold_turn IN ${mode} MODE`;
    this.#isShared = false;
    const started = this.#started(
      connection,
      isShared ? `${first}; SET LOCAL lock_timeout TO ${recordMs}` : first,
    );
    this.#speculative = new SpeculativeBatch(
      connection,
      this.#rows,
      started.then(() => {}),
    );
    this.#isOpen = true;
    if ((await started) !== generation) {
      await this.rollback();
      throw notServing("superseded");
    }
    this.#isShared = isShared;
    await onStart();
  }

  async awaitResults(): Promise<boolean> {
    try {
      return await this.speculative.awaitResults();
    } catch (error) {
      if (this.isFatal(error) || !this.isOpen) throw error;
      return false;
    }
  }

  async commit(): Promise<void> {
    this.#isOpen = false;
    const { connection, speculative } = this;
    const warnings = connection.warnings;
    // Both are sent together, so that others wait only briefly for the lock on the log.
    speculative.flush();
    const command = await connection.end("COMMIT");
    if (command !== "COMMIT") {
      await speculative.awaitResults();
      throw new TakenBack();
    }
    // The warning may mean that the server no longer waits for its standby. If this server were
    // lost then, so would be the change.
    if (connection.warnings > warnings) throw new Error("it was stored with a warning of the server");
  }

  /**
   * Locks the log: from here on, the numbers of events are known. A concurrent group must not lock
   * it here, because it could wait for a row of a group that waits for the log.
   */
  async lockLog(): Promise<void> {
    if (this.#isShared) throw new LogNeeded();
    await this.speculative.lockLog();
  }

  /**
   * Extends the idle timeout, because what runs now may wait for something besides the database.
   */
  async mayWait(): Promise<void> {
    await this.connection.command(setIdleTimeout(this.#bounds.idleOfWaitingMs));
  }

  /** Rolls back. If that can't be sent any more, the server rolls back when the connection ends. */
  async rollback(): Promise<void> {
    this.#isOpen = false;
    try {
      await this.#connection?.end("ROLLBACK");
    } catch {
      await this.#connection?.close();
    }
  }

  async mark(): Promise<void> {
    this.#marked = this.speculative.log;
    await this.connection.command("SAVEPOINT write");
  }

  async takeBack(): Promise<void> {
    await this.connection.command("ROLLBACK TO write");
    if (this.#marked) this.speculative.restoreLog(this.#marked);
  }

  async release(): Promise<void> {
    await this.connection.command("RELEASE write");
  }

  isFatal(error: unknown): boolean {
    return isFatal(error);
  }

  isConflict(error: unknown): boolean {
    return isConflict(error) || (this.#isShared && isLockTimeout(error));
  }

  asUnavailable(error: unknown): StoreUnavailable {
    return asUnavailable(error);
  }

  asCommitFailure(error: unknown): StoreUnavailable {
    return error instanceof TakenBack || isConflict(error) ? asUnavailable(error) : asCommitFailure(error);
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /**
   * Awaits the start, and returns the schema's generation. A connection whose start failed half way
   * is not reused.
   */
  async #started(connection: PostgresConnection, first: string): Promise<string | undefined> {
    try {
      // All are sent together. If the lock isn't granted, the statements after it fail too, with an
      // uninformative error.
      const started = connection.begin(first, "SERIALIZABLE");
      const behind = Promise.all([connection.queryRows(generationNow, []), this.#rows.reserve(connection)]);
      behind.catch(() => {});
      await started;
      const [{ rows }] = await behind;
      return rows[0]?.[0];
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #connect(): Promise<PostgresConnection> {
    await this.#connection?.close();
    // While the server waits for the lock, it sends nothing.
    const { turnMs, statementMs, silenceMs } = this.#bounds;
    return PostgresConnection.open(this.#address, {
      pipelines: true,
      statementMs,
      silenceMs: silenceMs + Math.max(0, turnMs - statementMs),
    });
  }
}

class TakenBack extends Error {
  constructor() {
    super("the transaction was rolled back");
  }
}

function setIdleTimeout(ms: number): string {
  return `SET LOCAL idle_in_transaction_session_timeout TO ${ms}`;
}
