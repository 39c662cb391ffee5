/**
 * Transactions of write groups on one PostgreSQL connection. Groups of all instances run one after another. Each
 * first takes the write lock, which blocks no reader, and so sees everything committed before it. It uses `LOCK
 * TABLE`, because an advisory lock is requested in a query, whose snapshot precedes the wait.
 */
import type { StoreUnavailable } from "../errors.ts";
import { defaultLimits } from "../group-commit.ts";
import type { GroupTransaction } from "../write-slot.ts";
import type { Statement } from "../rows/steps.ts";
import { quotedText } from "../sql/fragment.ts";
import type { PostgresAddress } from "./address.ts";
import { PostgresConnection } from "./connection.ts";
import { asCommitFailure, asUnavailable, isFatal } from "./failures.ts";
import { SpeculativeBatch, type LastNumbers, Sequences } from "./speculative-batch.ts";
import { notServing } from "./serving-state.ts";

/** How long a group may wait, in milliseconds. */
export interface GroupBounds {
  /** The time-out for the write lock. */
  readonly turnMs: number;
  /** For one of its statements. */
  readonly statementMs: number;
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
  idleMs: 5_000,
  silenceMs: 3_000,
  idleOfWaitingMs: defaultLimits.writeMs + 2_000,
};

export interface GroupOptions {
  /** The resources that time touches. */
  readonly resources: readonly string[];
  /** The earliest due times per resource, read when a group has the write lock: no other instance changes them then. */
  readonly onTurn: (earliestDue: Map<string, number>) => void;
  readonly bounds?: Partial<GroupBounds>;
  /** What the schema was when this instance began: nothing is written into what has become another. */
  readonly generation: string;
}

export class PostgresGroupTransaction implements GroupTransaction {
  readonly #address: PostgresAddress;
  readonly #begin: string;
  readonly #earliestDue: Statement<Due>;
  readonly #bounds: GroupBounds;
  readonly #onTurn: GroupOptions["onTurn"];
  readonly #generation: string;
  #connection: PostgresConnection | undefined;
  #isOpen = false;
  #speculative: SpeculativeBatch | undefined;
  readonly #sequences = new Sequences();
  readonly failsWhole = true;

  constructor(address: PostgresAddress, { resources, onTurn, generation, bounds }: GroupOptions) {
    this.#address = address;
    this.#onTurn = onTurn;
    this.#generation = generation;
    this.#bounds = { ...groupBounds, ...bounds };
    const { turnMs, idleMs } = this.#bounds;
    this.#begin = `SET LOCAL lock_timeout TO ${turnMs}; ${mayStandStill(idleMs)}; LOCK TABLE ninefold_turn IN EXCLUSIVE MODE`;
    this.#earliestDue = earliestDue(resources);
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
  async begin(): Promise<void> {
    if (!this.#connection?.isThere) this.#connection = await this.#connect();
    const connection = this.#connection;
    const started = this.#started(connection);
    this.#speculative = new SpeculativeBatch(
      connection,
      this.#sequences,
      started.then(([, last]) => last),
    );
    this.#isOpen = true;
    const [rows] = await started;
    if (String(rows.at(-1)?.[1] ?? 0) !== this.#generation) {
      await this.rollback();
      throw notServing("superseded");
    }
    const due = new Map<string, number>();
    for (const [resource, dueAt] of rows) if (resource !== null && dueAt !== null) due.set(resource, dueAt);
    this.#onTurn(due);
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
    const { connection } = this;
    const warnings = connection.warnings;
    const command = await connection.end("COMMIT");
    if (command !== "COMMIT") throw new TakenBack();
    // A standby that is waited for may be waited for no longer: then what is stored here may be lost with this server.
    if (connection.warnings > warnings) throw new Error("it was stored with a warning of the server");
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
    await this.connection.command("SAVEPOINT write");
  }

  async takeBack(): Promise<void> {
    await this.connection.command("ROLLBACK TO write");
  }

  async release(): Promise<void> {
    await this.connection.command("RELEASE write");
  }

  isFatal(error: unknown): boolean {
    return isFatal(error);
  }

  asUnavailable(error: unknown): StoreUnavailable {
    return asUnavailable(error);
  }

  asCommitFailure(error: unknown): StoreUnavailable {
    return error instanceof TakenBack ? asUnavailable(error) : asCommitFailure(error);
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** A connection on which it failed half way is not reused. */
  async #started(connection: PostgresConnection): Promise<readonly [due: readonly Due[], last: LastNumbers]> {
    try {
      // Sent together; if the lock is not granted, the statements after it fail too, without a
      // reason.
      const started = connection.begin(this.#begin);
      const behind = Promise.all([
        connection.queryRows(this.#earliestDue, []),
        connection.queryRows(this.#sequences.statement, []),
      ]);
      behind.catch(() => {});
      await started;
      const [due, last] = await behind;
      return [due.rows, last.rows[0] ?? []];
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

/** Of the last one, which names no resource, the generation. */
type Due = readonly [resource: string | null, dueAt: number | null];

/** What is due first of each resource, each answered by an index; and, last, which generation of tables there is. */
function earliestDue(resources: readonly string[]): Statement<Due> {
  const generation = `SELECT NULL, (SELECT value::bigint FROM ninefold_meta WHERE name = 'generation')`;
  if (resources.length === 0) return { sql: generation };
  const names = resources.map((name) => `(${quotedText(name)})`).join(", ");
  return {
    sql: `SELECT name, (SELECT min(due_at) FROM ninefold_timers WHERE resource = name AND held = 0) FROM (VALUES ${names}) AS timed (name) UNION ALL ${generation}`,
  };
}
