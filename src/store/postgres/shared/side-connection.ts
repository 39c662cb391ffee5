/**
 * Side connection: a separate connection for state that instances share.
 *
 * Its statements are short, and wait for no read and no write lock. The caller receives a result or
 * an error within a time limit, even if the server stops responding.
 */
import { StoreUnavailable } from "../../errors.ts";
import type { StatementResult, Row, Statement } from "../../rows/steps.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { PostgresConnection } from "../connection/connection.ts";
import { asUnavailable } from "../connection/failures.ts";
import { sharedLimits } from "./limits.ts";
import { machine } from "../../../support/machine.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

const { answerMs, statementMs } = sharedLimits;

/** A connection that is opened at first use, and reopened after a failure. */
export class SideConnection {
  readonly #address: PostgresAddress;
  #connection: PostgresConnection | undefined;
  #opening: Promise<PostgresConnection> | undefined;
  #isClosed = false;

  constructor(address: PostgresAddress) {
    this.#address = address;
  }

  /**
   * Executes a statement. If the connection was lost, retries once on a new one.
   * @throws StoreUnavailable
   */
  async execute<R extends Row>(
    statement: Statement<R>,
    values: readonly SqlValue[],
  ): Promise<StatementResult<R>> {
    try {
      return await this.#bounded(this.#requested(statement, values, 1));
    } catch (error) {
      throw error instanceof StoreUnavailable ? error : asUnavailable(error);
    }
  }

  /**
   * Runs several statements with exclusive use of the connection. If they fail half way, it is
   * closed.
   * @throws StoreUnavailable
   */
  async alone<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    try {
      return await this.#bounded(this.#connected().then(work));
    } catch (error) {
      this.#leave();
      throw error instanceof StoreUnavailable ? error : asUnavailable(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => {});
    await this.#connection?.close();
  }

  async #requested<R extends Row>(
    statement: Statement<R>,
    values: readonly SqlValue[],
    tries: number,
  ): Promise<StatementResult<R>> {
    const connection = await this.#connected();
    try {
      return await connection.queryRows(statement, values);
    } catch (error) {
      if (tries > 0 && !connection.isThere && !this.#isClosed)
        return this.#requested(statement, values, tries - 1);
      throw error;
    }
  }

  async #connected(): Promise<PostgresConnection> {
    if (this.#isClosed) throw new StoreUnavailable("The store is closed.", { retryable: false });
    if (this.#connection?.isThere) return this.#connection;
    this.#opening ??= PostgresConnection.open(this.#address, { pipelines: true, statementMs }).finally(() => {
      this.#opening = undefined;
    });
    this.#connection = await this.#opening;
    return this.#connection;
  }

  /**
   * Limits the time of a result. The connection to a server that doesn't respond is abandoned, and
   * the next query opens another.
   */
  #bounded<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const silent = () => {
        this.#leave();
        reject(
          new StoreUnavailable(`The database has not responded for ${answerMs / 1000} seconds.`, {
            retryable: true,
          }),
        );
      };
      const over = machine.after(answerMs, silent);
      answer.then(resolve, reject).finally(over);
    });
  }

  #leave(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    void connection?.close();
  }
}
