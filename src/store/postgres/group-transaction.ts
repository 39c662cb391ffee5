/**
 * The transactions of groups of writes on one connection to PostgreSQL. Groups of all instances run one after another: each begins by taking
 * the turn, a lock that no reader waits for, and so sees all that was committed before it. `LOCK TABLE`, not an advisory lock, for that is
 * asked for in a query, which takes its snapshot before it waits.
 */
import type { StoreUnavailable } from "../errors.ts";
import type { GroupTransaction } from "../group-commit.ts";
import { quotedText } from "../sql/fragment.ts";
import type { PostgresAddress } from "./address.ts";
import { PostgresConnection } from "./connection.ts";
import { asUnavailable, isFatal } from "./failures.ts";

/** How long a group waits for its turn, and how long one of its statements may take, in milliseconds. */
export const turnMs = 8_000;
const statementMs = 8_000;

export interface GroupWishes {
  /** The resources that time touches. */
  readonly resources: readonly string[];
  /** What is due first of each, as it is when a group has its turn: nobody else changes it then. */
  readonly onTurn: (earliestDue: Map<string, number>) => void;
}

export class PostgresGroupTransaction implements GroupTransaction {
  readonly #address: PostgresAddress;
  readonly #begin: string;
  readonly #onTurn: GroupWishes["onTurn"];
  #connection: PostgresConnection | undefined;
  #isOpen = false;
  readonly failsWhole = true;

  constructor(address: PostgresAddress, { resources, onTurn }: GroupWishes) {
    this.#address = address;
    this.#onTurn = onTurn;
    this.#begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout TO ${turnMs}; LOCK TABLE ninefold_turn IN EXCLUSIVE MODE${earliestDue(resources)}`;
  }

  /** The connection of the open transaction. */
  get connection(): PostgresConnection {
    if (!this.#connection) throw new Error("connection terminated");
    return this.#connection;
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#connection?.isThere === true;
  }

  async begin(): Promise<void> {
    if (!this.#connection?.isThere) this.#connection = await this.#connect();
    const rows = await this.#begun(this.#connection);
    this.#onTurn(new Map(rows.filter(([, dueAt]) => dueAt !== null) as [string, number][]));
    this.#isOpen = true;
  }

  async commit(): Promise<void> {
    this.#isOpen = false;
    const command = await this.connection.command("COMMIT");
    if (command !== "COMMIT") throw new Error("the transaction was taken back");
  }

  /** Where that can't be said any more, the server does it itself as the connection ends. */
  async rollback(): Promise<void> {
    this.#isOpen = false;
    try {
      await this.#connection?.command("ROLLBACK");
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

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** A connection on which it has failed half way is of no more use. */
  async #begun(connection: PostgresConnection): ReturnType<PostgresConnection["go"]> {
    try {
      return await connection.go(this.#begin);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #connect(): Promise<PostgresConnection> {
    await this.#connection?.close();
    return PostgresConnection.open(this.#address, { pipelines: false, statementMs });
  }
}

/** A question for what is due first of each resource, each answered by an index. */
function earliestDue(resources: readonly string[]): string {
  if (resources.length === 0) return "";
  const names = resources.map((name) => `(${quotedText(name)})`).join(", ");
  return `; SELECT name, (SELECT min(due_at) FROM ninefold_timers WHERE resource = name AND held = 0) FROM (VALUES ${names}) AS timed (name)`;
}
