/**
 * Read pool: connections that read committed data.
 *
 * Quick reads are pipelined on a few connections. Reads that may scan many records have separate
 * connections, because each blocks the statements after it. A lost connection is reopened on the
 * next read, and its open statements are sent again once.
 */
import type { Awaitable } from "../../../support/awaitable.ts";
import { StoreUnavailable } from "../../errors.ts";
import {
  type StatementResult,
  type BoundStatement,
  type Executor,
  type Row,
  runLater,
  type Statement,
  type Steps,
} from "../../rows/steps.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { PostgresConnection } from "../connection/connection.ts";
import { asReadFailure, ConnectionTimeout } from "../connection/failures.ts";
import type { ServingGate } from "../shared/serving-state.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** A connection that is opened when it is first needed. */
class PooledReader {
  readonly #open: () => Promise<PostgresConnection>;
  #connection: PostgresConnection | undefined;
  #opening: Promise<PostgresConnection> | undefined;
  #isClosed = false;

  constructor(open: () => Promise<PostgresConnection>) {
    this.#open = open;
  }

  /**
   * The open connection.
   * @throws StoreUnavailable after close, because no one would close a new connection, and the
   * process would stay alive
   */
  async connection(): Promise<PostgresConnection> {
    if (this.#isClosed) throw new StoreUnavailable("The store is closed.", { retryable: false });
    if (this.#connection?.isThere) return this.#connection;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    this.#connection = await this.#opening;
    return this.#connection;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => {});
    await this.#connection?.close();
  }
}

/** Executes reads of committed data on quick and slow connections. */
export class ReadPool implements Executor {
  readonly #statementMs: number;
  readonly #gate: ServingGate;
  readonly #quick: readonly PooledReader[];
  readonly #slow: readonly PooledReader[];
  /** Free connections for slow reads, and the reads that wait for one. */
  readonly #free: PooledReader[];
  readonly #waiting: ((reader: PooledReader) => void)[] = [];
  #turn = 0;

  /**
   * @param silenceMs how long after a statement's timeout the server may stay silent
   * @param gate admits reads while the instance serves
   * @param acceptsStandby whether the server may be a standby
   */
  constructor(
    address: PostgresAddress,
    statementMs: number,
    silenceMs: number,
    gate: ServingGate,
    acceptsStandby = false,
  ) {
    this.#statementMs = statementMs;
    this.#gate = gate;
    const readPool = (count: number, isQuick: boolean) =>
      Array.from({ length: count }, () => {
        const options = { pipelines: isQuick, isAutocommit: true, statementMs, silenceMs, acceptsStandby };
        return new PooledReader(() => PostgresConnection.open(address, options));
      });
    this.#quick = readPool(address.quickReaders, true);
    this.#slow = readPool(address.slowReaders, false);
    this.#free = [...this.#slow];
  }

  async execute<T, R extends Row>(
    bound: BoundStatement<R>,
    read: (answer: StatementResult<R>) => T,
  ): Promise<T> {
    return read(await this.#onQuick((connection) => connection.execute(bound)));
  }

  run<T>(steps: Steps<T>): Awaitable<T> {
    return runLater(steps, (bound) => this.#onQuick((connection) => connection.execute(bound)));
  }

  /**
   * Executes a statement with PostgreSQL's own parameter syntax.
   * @param isSlow whether it may scan many records
   */
  queryRows<R extends Row>(
    statement: Statement<R>,
    values: readonly SqlValue[],
    isSlow: boolean,
  ): Promise<StatementResult<R>> {
    const execute = (connection: PostgresConnection) => connection.queryRows(statement, values);
    return isSlow ? this.#onSlow(execute) : this.#onQuick(execute);
  }

  /** Runs several statements with the same snapshot of the store. */
  ofOneMoment<T>(
    work: (
      execute: (statement: Statement, values: readonly SqlValue[]) => Promise<StatementResult>,
    ) => Awaitable<T>,
  ): Promise<T> {
    return this.#onSlow(async (connection) => {
      await connection.begin("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      try {
        const done = await work((statement, values) => connection.queryRows(statement, values));
        await connection.end("COMMIT");
        return done;
      } catch (error) {
        if (connection.isThere) await connection.end("ROLLBACK");
        throw error;
      }
    });
  }

  /** Executes a statement of `../rows/` that may scan many records. */
  slowly<R extends Row>(bound: BoundStatement<R>): Promise<StatementResult<R>> {
    return this.#onSlow((connection) => connection.execute(bound));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#quick, ...this.#slow].map((reader) => reader.close()));
  }

  #onQuick<T>(execute: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    this.#turn = (this.#turn + 1) % this.#quick.length;
    return this.#on(this.#quick[this.#turn] as PooledReader, execute);
  }

  async #onSlow<T>(execute: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const reader =
      this.#free.pop() ?? (await new Promise<PooledReader>((resolve) => this.#waiting.push(resolve)));
    try {
      return await this.#on(reader, execute);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(reader);
      else this.#free.push(reader);
    }
  }

  #on<T>(reader: PooledReader, execute: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return this.#gate.enter(() => this.#tried(reader, execute));
  }

  async #tried<T>(
    reader: PooledReader,
    execute: (connection: PostgresConnection) => Promise<T>,
    tries = 1,
  ): Promise<T> {
    let connection: PostgresConnection | undefined;
    try {
      connection = await reader.connection();
      return await execute(connection);
    } catch (error) {
      // The statement changed nothing, and the next connection may reach another server. After a
      // silence timeout, its time is used up.
      const isSilent = error instanceof ConnectionTimeout;
      if (tries > 0 && connection && !connection.isThere && !isSilent)
        return this.#tried(reader, execute, tries - 1);
      throw asReadFailure(error, this.#statementMs);
    }
  }
}
