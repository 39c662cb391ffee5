/**
 * Writer: runs the writes of one PostgreSQL connection, in groups.
 *
 * A store has one writer for most writes. Others run the writes that may wait for something besides
 * the database; each of these has a transaction of its own.
 */
import type { Awaitable } from "../../../support/awaitable.ts";
import { type GroupCallbacks, defaultLimits, GroupCommit, type GroupLimits } from "../../group-commit.ts";
import type { Statement } from "../../rows/steps.ts";
import { SystemState } from "../../rows/system.ts";
import { RowsTransaction } from "../../rows/transaction.ts";
import { quotedText } from "../../sql/fragment.ts";
import type { Transaction, WriteOptions } from "../../store.ts";
import type { Tables } from "../../tables.ts";
import type { WriteSlot } from "../../write-slot.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { type GroupOptions, PostgresGroupTransaction } from "./group-transaction.ts";
import type { ReadPool } from "../reading/read-pool.ts";
import { PostgresTables } from "./transaction.ts";
import { PostgresWrite } from "./write.ts";

export interface WriterOptions
  extends Pick<GroupOptions, "bounds" | "generation" | "isConcurrent">,
    Pick<GroupCallbacks, "onUnavailable" | "onCommit"> {
  readonly tables: Tables;
  /** The resources with timed transitions or a retention time. */
  readonly timed: readonly string[];
  readonly readPool: ReadPool;
  readonly limits: Partial<GroupLimits>;
  readonly statementMs: number;
}

/** Runs writes in groups, on a connection of its own. */
export class PostgresWriter {
  readonly #transaction: PostgresGroupTransaction;
  readonly #groups: GroupCommit;
  readonly #tables: PostgresTables;
  readonly #options: WriterOptions;

  constructor(address: PostgresAddress, options: WriterOptions) {
    const { tables, timed, readPool, limits, onUnavailable, onCommit } = options;
    const state = new SystemState();
    this.#options = options;
    this.#tables = new PostgresTables(tables, state);
    const dueTimes = earliestDue(timed);
    // Read outside the group's transaction. In it, any other group that sets a timer would
    // conflict.
    const onStart = async (): Promise<void> => {
      if (timed.length === 0) return state.learn(new Map());
      const { rows } = await readPool.queryRows(dueTimes, [], false);
      state.learn(new Map(rows.flatMap(([resource, dueAt]) => (dueAt === null ? [] : [[resource, dueAt]]))));
    };
    this.#transaction = new PostgresGroupTransaction(address, { ...options, onStart });
    this.#groups = new GroupCommit(
      this.#transaction,
      { ...defaultLimits, ...limits },
      { onUnavailable, onCommit, takeChanges: () => state.takeChanges(), obstacle: () => undefined },
    );
  }

  get obstacle(): string | undefined {
    return this.#groups.obstacle?.message;
  }

  write<T>(work: (transaction: Transaction) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    const attempt = (slot: WriteSlot): Awaitable<T> => {
      const write = new PostgresWrite({
        group: this.#transaction,
        slot,
        tables: this.#tables,
        statementMs: this.#options.statementMs,
        isCautious: options?.repeatable !== true,
      });
      const run = () => work(new RowsTransaction(this.#tables, write));
      // An author's handler may wait for anything.
      return options?.repeatable === true ? run() : write.mayWait().then(run);
    };
    return this.#groups.write(attempt, options);
  }

  /** Resolves when all queued writes are finished. */
  async finish(): Promise<void> {
    await this.#groups.close();
  }

  async close(): Promise<void> {
    await this.#transaction.close();
  }
}

/** The earliest due time of each resource, each found by an index. */
function earliestDue(
  resources: readonly string[],
): Statement<readonly [resource: string, dueAt: number | null]> {
  const names = resources.map((name) => `(${quotedText(name)})`).join(", ");
  return {
    sql: `SELECT name, (SELECT min(due_at) FROM ninefold_timers WHERE resource = name AND held = 0) FROM (VALUES ${names}) AS timed (name)`,
  };
}
