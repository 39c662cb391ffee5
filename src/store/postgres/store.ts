/** A store in a schema of PostgreSQL, which several instances may share: its tables, reads of what is committed, and writes in groups. */
import type { Meaning } from "../../expressions/scope.ts";
import type { Model } from "../../model/model.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { BaseStore } from "../base-store.ts";
import { defaultLimits, GroupCommit, type GroupLimits } from "../group-commit.ts";
import type { WriteSlot } from "../write-slot.ts";
import { SystemState } from "../rows/system.ts";
import { RowsTransaction } from "../rows/transaction.ts";
import type { Session, Store, StoreStatus, Transaction, WriteOptions } from "../store.ts";
import type { Tables } from "../tables.ts";
import { addressOf, type PostgresAddress } from "./address.ts";
import { bringUpToDate, checkFit, type StartWatch, type UpToDate } from "./bring-up-to-date.ts";
import { committedSession, sessionOf } from "./committed-session.ts";
import { PostgresConnection } from "./connection.ts";
import { type GroupBounds, groupBounds, PostgresGroupTransaction } from "./group-transaction.ts";
import { ReadPool } from "./read-pool.ts";
import { tableIdentifier } from "./names.ts";
import { PeerNotifications } from "./peer-notifications.ts";
import { lookedAt } from "./pooler.ts";
import { createQueries } from "./queries.ts";
import { Replica } from "./replica.ts";
import { refusalOf, reportedSettings } from "./settings.ts";
import { DatabaseClock } from "./shared/clock.ts";
import { SharedTables } from "./shared/shared.ts";
import { ServingGate } from "./serving-state.ts";
import { PostgresGround } from "./transaction.ts";
import { PostgresWrite } from "./write.ts";

export interface PostgresOptions {
  /** `postgres://user@host/database?schema=…` */
  readonly path: string;
  readonly onWarning?: (message: string) => void;
  readonly losesData?: boolean;
  /** Progress of changing tables, for the terminal. */
  readonly watch?: StartWatch;
  readonly limits?: Partial<GroupLimits>;
  /** How long one statement that reads may take, in milliseconds. */
  readonly statementMs?: number;
  readonly bounds?: Partial<GroupBounds>;
}

const statementMsUsual = 5_000;

/** @throws StoreRefused | StoreMismatch */
export async function openPostgresStore(
  model: Model,
  meaning: Meaning,
  options: PostgresOptions,
): Promise<Store> {
  let address = addressOf(options.path);
  let connection: PostgresConnection | undefined;
  try {
    address = await lookedAt(address);
    connection = await PostgresConnection.open(address, {
      pipelines: false,
      statementMs: statementMsUsual,
      needsSession: true,
    });
    for (const warning of await reportedSettings(connection, address)) options.onWarning?.(warning);
    const given = {
      ...options,
      losesData: options.losesData === true,
      onMade: (names: readonly string[]) =>
        options.onWarning?.(
          `${names.length === 1 ? "A stored change was" : "Stored changes were"} made: ${names.join(", ")}.`,
        ),
    };
    return await bringUpToDate(address, model, given, async (upToDate) => {
      const store = new PostgresStore(address, upToDate, meaning, options);
      try {
        await store.start();
      } catch (error) {
        await store.close();
        throw error;
      }
      return store;
    });
  } catch (error) {
    throw refusalOf(error, address);
  } finally {
    await connection?.close();
  }
}

class PostgresStore extends BaseStore implements Store {
  readonly session: Store["session"];
  readonly lagging?: Session;
  readonly #address: PostgresAddress;
  readonly #tables: Tables;
  readonly #gate = new ServingGate();
  readonly #readPool: ReadPool;
  readonly #replica: Replica | undefined;
  readonly #transaction: PostgresGroupTransaction;
  readonly #groups: GroupCommit;
  readonly #ground: PostgresGround;
  readonly shared: SharedTables;
  readonly #peers: PeerNotifications;
  readonly #statementMs: number;
  #closing: Promise<void> | undefined;

  constructor(
    address: PostgresAddress,
    { tables, generation }: UpToDate,
    meaning: Meaning,
    { onWarning = () => {}, limits, statementMs = statementMsUsual, bounds = {} }: PostgresOptions,
  ) {
    super(createQueries(meaning, tables));
    this.#address = address;
    this.#tables = tables;
    this.#statementMs = statementMs;
    const state = new SystemState();
    this.#ground = new PostgresGround(tables, state);
    const silenceMs = bounds.silenceMs ?? groupBounds.silenceMs;
    this.#readPool = new ReadPool(address, statementMs, silenceMs, this.#gate);
    if (address.replica !== undefined) {
      const { replica, schema, shown, quickReaders, slowReaders } = address;
      const own = { way: replica.way, schema, shown, quickReaders, slowReaders };
      const readPool = new ReadPool(own, statementMs, silenceMs, this.#gate, true);
      this.#replica = new Replica(replica, this.#readPool, readPool, onWarning);
      this.lagging = sessionOf(this.#replica);
    }
    this.#transaction = new PostgresGroupTransaction(address, {
      resources: tables.tables.map(({ name }) => name),
      onTurn: (earliest) => state.learn(earliest),
      bounds,
      generation,
    });
    this.#groups = new GroupCommit(
      this.#transaction,
      { ...defaultLimits, ...limits },
      {
        onUnavailable: (error) => onWarning(error.message),
        takeChanges: () => state.takeChanges(),
        onCommit: (commit) => {
          this.notify(commit);
          this.#peers.notify(commit);
        },
        trouble: () => undefined,
      },
    );
    const clock = new DatabaseClock(onWarning);
    this.shared = new SharedTables(address, clock);
    this.#peers = new PeerNotifications(address, {
      generation,
      onStop: () => this.#gate.shut(this.#peers.standing),
      onGoOn: () => {
        this.#gate.open();
        // The planned check was rejected meanwhile.
        this.notify({ hasEvents: true, changed: new Map() });
      },
      onCommit: (commit) => this.notify(commit),
      clock,
    });
    // Reads don't know due times in advance, because other instances set timers too.
    this.session = committedSession(
      this.#readPool,
      new SystemState(),
      () => this.#peers.standing === "serving",
    );
  }

  start(): Promise<void> {
    this.#replica?.start();
    return this.#peers.start();
  }

  write<T>(work: (transaction: Transaction) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    const one = (slot: WriteSlot): Awaitable<T> => {
      const write = new PostgresWrite({
        group: this.#transaction,
        slot,
        ground: this.#ground,
        statementMs: this.#statementMs,
        isCautious: options?.repeatable !== true,
      });
      const run = () => work(new RowsTransaction(this.#ground, write));
      // What the author's handlers wait for is unknown.
      return options?.repeatable === true ? run() : write.mayWait().then(run);
    };
    return this.#gate.enter(() => this.#groups.write(one, options));
  }

  fits(model: Model, { losesData }: { readonly path: string; readonly losesData: boolean }): Promise<void> {
    return checkFit(this.#address, model, { losesData });
  }

  status(): StoreStatus {
    const { bytes, trouble } = this.#peers.status();
    return {
      kind: "PostgreSQL",
      path: this.#address.shown,
      bytes,
      logBytes: 0,
      freeBytes: null,
      trouble: this.#groups.trouble?.message ?? trouble,
      standing: this.#peers.standing,
    };
  }

  async isEmpty(): Promise<boolean> {
    for (const { name } of this.#tables.tables) {
      const statement = { sql: `SELECT 1 FROM ${tableIdentifier(name)} LIMIT 1` };
      const { rows } = await this.#readPool.queryRows(statement, [], false);
      if (rows.length > 0) return false;
    }
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#groups.close().then(async () => {
      await this.shared.close();
      await this.#peers.close();
      await this.#replica?.close();
      await this.#readPool.close();
      await this.#transaction.close();
    });
    return this.#closing;
  }
}
