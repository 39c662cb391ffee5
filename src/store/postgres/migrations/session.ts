/**
 * Migration session: one connection that migrates a store.
 *
 * Statements whose result isn't needed are pipelined, and the next awaited statement throws their
 * errors. A statement is prepared on its second use, because most are used once.
 */
import { isReported } from "../../migrations/run/steps.ts";
import type { StatementResult, BoundStatement, Row, Statement, Steps } from "../../rows/steps.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { PostgresConnection } from "../connection/connection.ts";
import { isBehindFailure } from "../connection/failures.ts";

/** Maximum number of pipelined statements. */
const pendingMax = 2_000;
const nothing: StatementResult = { rows: [], changes: 0, lastRow: 0 };

/** A connection for migrations, with a queue of pipelined statements. */
export class MigrationSession {
  readonly connection: PostgresConnection;
  readonly #names = new WeakMap<Statement, string | undefined>();
  #named = 0;
  #pending = 0;
  #failure: unknown;

  private constructor(connection: PostgresConnection) {
    this.connection = connection;
  }

  /**
   * Opens a connection without a statement timeout.
   * @throws the error of the driver or the server
   */
  static async open(address: PostgresAddress): Promise<MigrationSession> {
    return new MigrationSession(
      await PostgresConnection.open(address, { pipelines: true, statementMs: 0, needsSession: true }),
    );
  }

  async run<T>(steps: Steps<T>): Promise<T> {
    let next = steps.next();
    while (!next.done) {
      let given: StatementResult;
      try {
        given = await this.#answer(next.value);
      } catch (error) {
        next = steps.throw(error);
        continue;
      }
      next = steps.next(given);
    }
    return next.value;
  }

  /** Executes one statement, and awaits its result. */
  execute<R extends Row>(bound: BoundStatement<R>): Promise<StatementResult<R>> {
    return this.#waited(this.connection.executeAs(bound, this.#nameOf(bound.statement)));
  }

  /**
   * Runs several statements without parameters. Returns the rows of the last one that returns any.
   */
  async go<R extends Row>(sql: string): Promise<readonly R[]> {
    return this.#waited(this.connection.go(sql));
  }

  /**
   * Runs the work in a transaction: all of its statements take effect, or none.
   * @param begin statements at the start of the transaction
   */
  async transaction<T>(begin: string, work: () => Promise<T>): Promise<T> {
    await this.go(`BEGIN${begin === "" ? "" : `; ${begin}`}`);
    try {
      const result = await work();
      const command = await this.#waited(this.connection.command("COMMIT"));
      if (command !== "COMMIT") throw new Error("the transaction was rolled back");
      return result;
    } catch (error) {
      if (this.connection.isThere) await this.connection.command("ROLLBACK").catch(() => {});
      this.#failure = undefined;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #answer(bound: BoundStatement): Promise<StatementResult> {
    const answer = this.connection.executeAs(bound, this.#nameOf(bound.statement));
    if (!isReported(bound)) return this.#waited(answer);
    this.#pending += 1;
    const ended = answer
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#pending -= 1;
      });
    if (this.#pending >= pendingMax) await ended;
    if (this.#failure !== undefined) throw this.#failure;
    return nothing;
  }

  /**
   * Awaits a result. Results arrive in the order of their statements, so all earlier ones are
   * finished then.
   */
  async #waited<T>(answer: Promise<T>): Promise<T> {
    let result: T;
    try {
      result = await answer;
    } catch (error) {
      throw isBehindFailure(error) ? (this.#failure ?? error) : error;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return result;
  }

  #nameOf(statement: Statement): string | undefined {
    if (!this.#names.has(statement)) {
      this.#names.set(statement, undefined);
      return undefined;
    }
    const known = this.#names.get(statement);
    if (known !== undefined) return known;
    this.#named += 1;
    const name = `c${this.#named}`;
    this.#names.set(statement, name);
    return name;
  }
}
