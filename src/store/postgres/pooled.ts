/**
 * A way to the server by which each transaction may reach another session of it (PgBouncer in transaction mode). Nothing of a session is there
 * to be relied on: so each transaction begins with the settings that a session would have, and what one turn of the event loop asks that is in
 * none becomes one.
 */
import { isBehindFailure, StandbyAnswers } from "./failures.ts";
import { codeOf } from "../../support/failure.ts";

/** One that has failed takes those behind it along: they are asked again, so often at the most. */
const triesMax = 5;

export class TurnTransactions {
  readonly #send: (sql: string) => Promise<unknown>;
  readonly #begin: string;
  #current: { failure: unknown } | undefined;

  /** @param settings statements that set what holds until the transaction's end */
  constructor(send: (sql: string) => Promise<unknown>, settings: string) {
    this.#send = send;
    // Whoever may only be read refuses that: a standby that has come to stand there.
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

  /** The one that ends with this turn. */
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
