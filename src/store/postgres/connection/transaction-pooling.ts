/**
 * Transaction pooling: a connection on which each transaction may run in another server session
 * (PgBouncer in transaction mode).
 *
 * No session state is reliable, so each transaction first applies the settings of a session.
 * Statements outside a transaction are combined into one transaction per tick of the event loop.
 */
import { isBehindFailure, StandbyAnswers } from "./failures.ts";
import { codeOf } from "../../../support/failure.ts";

/**
 * The maximum number of attempts of a statement. A failed statement also fails those after it in
 * its transaction.
 */
const triesMax = 5;

/** Wraps the statements of a tick in one transaction with a session's settings. */
export class TickTransactions {
  readonly #send: (sql: string) => Promise<unknown>;
  readonly #begin: string;
  #current: { failure: unknown } | undefined;

  /** @param settings statements that apply settings until the transaction's end */
  constructor(send: (sql: string) => Promise<unknown>, settings: string) {
    this.#send = send;
    // A read-only server rejects this, such as a standby behind the same address.
    this.#begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${settings}`;
  }

  async within<T>(execute: () => Promise<T>, tries = 1): Promise<T> {
    const transaction = this.#openTransaction();
    try {
      return await execute();
    } catch (error) {
      if (!isBehindFailure(error)) throw error;
      if (transaction.failure !== undefined || tries >= triesMax) throw transaction.failure ?? error;
      return this.within(execute, tries + 1);
    }
  }

  /** The transaction that ends with this tick. */
  #openTransaction(): { failure: unknown } {
    if (this.#current) return this.#current;
    const transaction: { failure: unknown } = { failure: undefined };
    this.#current = transaction;
    this.#send(this.#begin).catch((error: unknown) => {
      transaction.failure = isOfStandby(error) ? new StandbyAnswers() : error;
    });
    process.nextTick(() => {
      this.#current = undefined;
      // It has only read, so its error doesn't matter.
      this.#send("COMMIT").catch(() => {});
    });
    return transaction;
  }
}

function isOfStandby(error: unknown): boolean {
  return codeOf(error) === "0A000";
}
