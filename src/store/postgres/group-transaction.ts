/**
 * Transactions of write groups on one PostgreSQL connection. They are serializable, so that groups of several
 * instances run concurrently and each has the result that it would have alone. A group shares `ninefold_turn` with
 * all others. One that has conflicted is run again and holds it alone, so that it can't conflict with another group.
 * It uses `LOCK TABLE`, because an advisory lock is requested in a query, whose snapshot precedes the wait.
 */
import type { StoreUnavailable } from "../errors.ts";
import { defaultLimits } from "../group-commit.ts";
import type { GroupTransaction } from "../write-slot.ts";
import { statement } from "../rows/steps.ts";
import type { PostgresAddress } from "./address.ts";
import { PostgresConnection } from "./connection.ts";
import { asCommitFailure, asUnavailable, isConflict, isFatal, isLockTimeout, LogNeeded } from "./failures.ts";
import { RowNumbers } from "./row-numbers.ts";
import { notServing } from "./serving-state.ts";
import { type LogState, SpeculativeBatch } from "./speculative-batch.ts";

/** How long a group may wait, in milliseconds. */
export interface GroupBounds {
  /** The time-out for the write lock. */
  readonly turnMs: number;
  /** For one of its statements. */
  readonly statementMs: number;
  /**
   * For a record that a concurrent group changes. That group's commit would be a conflict, so there is little to wait
   * for; if both wait for each other, the server would find that out after a second.
   */
  readonly recordMs: number;
  /**
   * How long the server lets a group with the lock be idle, which is less than others wait for the
   * lock. Its process is stopped, or its machine failed.
   */
  readonly idleMs: number;
  /** The longest silence of the server beyond a statement's time-out. */
  readonly silenceMs: number;
  /** As `idleMs`, of a group in which something runs that may wait for others: more than one write may take. */
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
  /** Called when a group has its snapshot: what is read afterwards, outside of it, is not older. */
  readonly onStart: () => Promise<void>;
  readonly bounds?: Partial<GroupBounds>;
  /** What the schema was when this instance began: nothing is written into what has become another. */
  readonly generation: string;
  /** Its writes run concurrently with all groups, and delay none of them. */
  readonly isApart: boolean;
}

const generationNow = statement<readonly [generation: string]>(
  "SELECT coalesce((SELECT value FROM ninefold_meta WHERE name = 'generation'), '0')",
);

export class PostgresGroupTransaction implements GroupTransaction {
  readonly #address: PostgresAddress;
  readonly #options: GroupOptions;
  readonly #bounds: GroupBounds;
  #connection: PostgresConnection | undefined;
  #isOpen = false;
  #mayLockLog = false;
  /** Its statements wait briefly for records: see `recordMs`. */
  #isShared = false;
  /** What the log was at the savepoint. */
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

  /** What the open transaction sends without waiting. */
  get speculative(): SpeculativeBatch {
    if (!this.#speculative) throw new Error("connection terminated");
    return this.#speculative;
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#connection?.isThere === true;
  }

  /** Reads are pipelined after the start of the transaction, if there is a connection. */
  get looksAhead(): boolean {
    return this.#connection?.isThere === true;
  }

  /**
   * The start is sent at once if there is a connection, also while the previous transaction is
   * being committed.
   */
  async begin(isAlone: boolean): Promise<void> {
    if (!this.#connection?.isThere) this.#connection = await this.#connect();
    const connection = this.#connection;
    const { isApart, generation, onStart } = this.#options;
    const { turnMs, idleMs, recordMs } = this.#bounds;
    const mode = isApart ? "ACCESS SHARE" : isAlone ? "EXCLUSIVE" : "ROW SHARE";
    const isShared = !isApart && !isAlone;
    const first = `SET LOCAL lock_timeout TO ${turnMs}; ${mayStandStill(idleMs)}; LOCK TABLE ninefold_turn IN ${mode} MODE`;
    this.#isShared = false;
    const started = this.#started(
      connection,
      isShared ? `${first}; SET LOCAL lock_timeout TO ${recordMs}` : first,
    );
    this.#mayLockLog = isAlone || isApart;
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

  async settle(): Promise<boolean> {
    try {
      return await this.speculative.settle();
    } catch (error) {
      if (this.isFatal(error) || !this.isOpen) throw error;
      return false;
    }
  }

  async commit(): Promise<void> {
    this.#isOpen = false;
    const { connection, speculative } = this;
    const warnings = connection.warnings;
    // Sent together: others wait for the lock on the log no longer than the server needs for both.
    speculative.flush();
    const command = await connection.end("COMMIT");
    if (command !== "COMMIT") {
      await speculative.settle();
      throw new TakenBack();
    }
    // A standby that is waited for may be waited for no longer: then what is stored here may be lost with this server.
    if (connection.warnings > warnings) throw new Error("it was stored with a warning of the server");
  }

  /**
   * From here on the numbers of events are known. A group that isn't alone could wait for a row of a group that
   * waits for the log.
   */
  async lockLog(): Promise<void> {
    if (!this.#mayLockLog) throw new LogNeeded();
    await this.speculative.lockLog();
  }

  /** What runs now may wait for others than the database. */
  async mayWait(): Promise<void> {
    await this.connection.command(mayStandStill(this.#bounds.idleOfWaitingMs));
  }

  /** If it can't be sent any more, the server rolls back when the connection ends. */
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

  /** Returns the schema's generation. A connection on which it failed half way is not reused. */
  async #started(connection: PostgresConnection, first: string): Promise<string | undefined> {
    try {
      // Sent together; if the lock is not granted, the statements after it fail too, without a
      // reason.
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
    // While it waits for the lock, it sends nothing for so long.
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
    super("the transaction was taken back");
  }
}

function mayStandStill(ms: number): string {
  return `SET LOCAL idle_in_transaction_session_timeout TO ${ms}`;
}
