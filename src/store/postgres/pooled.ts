/**
 * Transaction pooling: a connection on which each transaction may run in another server session (PgBouncer in
 * transaction mode). No session state is reliable, so each transaction first applies the settings of a session.
 * Statements outside a transaction are combined into one per tick of the event loop.
 */
import { isBehindFailure, StandbyAnswers } from "./failures.ts";
import { codeOf } from "../../support/failure.ts";

/** A failed statement also fails those after it: they are retried up to this many times. */
const triesMax = 5;

export class TurnTransactions {
  readonly #send: (sql: string) => Promise<unknown>;
  readonly #begin: string;
  #current: { failure: unknown } | undefined;

  /** @param settings statements with settings until the transaction's end */
  constructor(send: (sql: string) => Promise<unknown>, settings: string) {
    this.#send = send;
    // A read-only server refuses this: a standby that has replaced the server.
    this.#begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${settings}`;
  }

  async within<T>(execute: () => Promise<T>, tries = 1): Promise<T> {
    const transaction = this.#there();
    try {
      return await execute();
    } catch (error) {
      if (!isBehindFailure(error)) throw error;
      if (transaction.failure !== undefined || tries >= triesMax) throw transaction.failure ?? error;
      return this.within(execute, tries + 1);
    }
  }

  /** The one that ends with this tick. */
  #there(): { failure: unknown } {
    if (this.#current) return this.#current;
    const transaction: { failure: unknown } = { failure: undefined };
    this.#current = transaction;
    this.#send(this.#begin).catch((error: unknown) => {
      transaction.failure = isOfStandby(error) ? new StandbyAnswers() : error;
    });
    process.nextTick(() => {
      this.#current = undefined;
      // Nothing was changed by it.
      this.#send("COMMIT").catch(() => {});
    });
    return transaction;
  }
}

function isOfStandby(error: unknown): boolean {
  return codeOf(error) === "0A000";
}
