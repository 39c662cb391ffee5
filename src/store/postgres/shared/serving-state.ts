/**
 * Serving state of an instance.
 *
 * A serving instance shares a lock with all others, and releases it when another instance is about
 * to make an incompatible change to the tables. If that change fails, it resumes; otherwise it is
 * superseded for good.
 */
import { StoreUnavailable } from "../../errors.ts";
import type { PostgresConnection } from "../connection/connection.ts";
import { machine } from "../../../support/machine.ts";
import { invariant } from "../../../support/invariant.ts";

/**
 * `draining`: an instance of another document is changing the tables. `superseded`: it has changed
 * them.
 */
export type ServingState = "serving" | "draining" | "superseded";

export interface ServingOptions {
  /** The schema's generation when this instance started. */
  readonly generation: string;
  /** Accepts no more work. Resolves when all running work is finished. */
  readonly onStop: () => Promise<void>;
  readonly onGoOn: () => void;
}

/** Tracks the serving state of this instance, and holds its share of the serving lock. */
export class InstanceState {
  readonly #options: ServingOptions;
  #now: ServingState = "serving";
  #holds = false;

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  get now(): ServingState {
    return this.#now;
  }

  /** Resets the state for a new connection, which holds no lock yet. */
  begin(): void {
    this.#holds = false;
  }

  /**
   * Polls the schema's generation and locks, and changes the state accordingly.
   * @param connection the connection that holds the lock
   */
  async poll(connection: PostgresConnection): Promise<void> {
    if (this.#now === "superseded") return;
    const [row] = await connection.go<readonly [generation: string]>(
      "SELECT coalesce((SELECT value FROM ninefold_meta WHERE name = 'generation'), '0')",
    );
    invariant(row, "a statement without a table gives one row");
    if (row[0] !== this.#options.generation) return this.#stop(connection, "superseded");
    const isFree = await connection.locks.isFree("superseding");
    if (this.#holds && isFree) return;
    if (!this.#holds && isFree && (await this.#taken(connection))) {
      // The schema may have been changed before the lock was acquired.
      return this.poll(connection);
    }
    if (this.#now === "serving") await this.#stop(connection, "draining");
  }

  async #taken({ locks }: PostgresConnection): Promise<boolean> {
    if (!(await locks.take("serving", "shared"))) return false;
    this.#holds = true;
    if (this.#now === "draining") this.#options.onGoOn();
    this.#now = "serving";
    return true;
  }

  async #stop(connection: PostgresConnection, state: ServingState): Promise<void> {
    this.#now = state;
    await this.#options.onStop();
    // The instance that changes the tables waits for this lock.
    await connection.locks.releaseAll();
    this.#holds = false;
  }
}

/** The error for callers of a store that isn't serving. */
export function notServing(state: ServingState): StoreUnavailable {
  return new StoreUnavailable(
    state === "superseded"
      ? "The tables were changed for another version of the document, or copied to another store: replace this instance."
      : "The tables are being changed for another version of the document.",
    { retryable: true },
  );
}

/** The time limit for running statements to finish, in milliseconds. No statement takes longer. */
const endMs = 20_000;

/** Admits work while the instance serves, and reports when all of it is finished. */
export class ServingGate {
  #inProgress = 0;
  #shut: ServingState | undefined;
  #onEmpty: (() => void) | undefined;

  async enter<T>(work: () => Promise<T>): Promise<T> {
    if (this.#shut) throw notServing(this.#shut);
    this.#inProgress += 1;
    try {
      return await work();
    } finally {
      this.#inProgress -= 1;
      if (this.#inProgress === 0) this.#onEmpty?.();
    }
  }

  shut(state: ServingState): Promise<void> {
    this.#shut = state;
    if (this.#inProgress === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const over = machine.after(endMs, resolve);
      this.#onEmpty = () => {
        over();
        resolve();
      };
    });
  }

  open(): void {
    this.#shut = undefined;
    this.#onEmpty = undefined;
  }
}
