/**
 * Group transactions in SQLite: each runs a group of writes on one connection. `../group-commit.ts`
 * forms the groups.
 */
import type { StoreUnavailable } from "../errors.ts";
import type { GroupTransaction } from "../write-slot.ts";
import type { Connection } from "./connection/connection.ts";
import { asUnavailable, isFatal } from "./connection/failures.ts";

export class SqliteGroupTransaction implements GroupTransaction {
  readonly #connection: Connection;
  /** A failed statement has no effect, and the transaction continues. */
  readonly failsWhole = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get isOpen(): boolean {
    return this.#connection.isInTransaction;
  }

  begin(): void {
    this.#connection.endSnapshot();
    this.#run("BEGIN IMMEDIATE");
  }

  commit(): void {
    this.#run("COMMIT");
  }

  rollback(): void {
    this.#run("ROLLBACK");
  }

  mark(): void {
    this.#run("SAVEPOINT write");
  }

  takeBack(): void {
    this.#run("ROLLBACK TO write");
  }

  release(): void {
    this.#run("RELEASE write");
  }

  isFatal(error: unknown): boolean {
    return isFatal(error);
  }

  asUnavailable(error: unknown): StoreUnavailable {
    return asUnavailable(error);
  }

  #run(statement: string): void {
    this.#connection.statement(statement).run([]);
  }
}
