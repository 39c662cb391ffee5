/**
 * PostgreSQL store: a schema that several instances may share. It has the tables, reads of
 * committed data, and writes in groups.
 */
import type { Meaning } from "../../expressions/scope.ts";
import { isTimed } from "../../model/resources/timed-resources.ts";
import type { Model } from "../../model/model.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { BaseStore } from "../base-store.ts";
import type { GroupLimits } from "../group-commit.ts";
import type { StartCheck } from "../start-check.ts";
import { SystemState } from "../rows/system.ts";
import type { Session, Store, StoreStatus, Transaction, WriteOptions } from "../store.ts";
import type { Tables } from "../tables.ts";
import { addressOf, type PostgresAddress } from "./connection/address.ts";
import { bringUpToDate, checkFit, type StartWatch, type UpToDate } from "./bring-up-to-date.ts";
import { committedSession, sessionOf } from "./committed-session.ts";
import { PostgresConnection } from "./connection/connection.ts";
import { type GroupBounds, groupBounds } from "./writing/group-transaction.ts";
import { ReadPool } from "./reading/read-pool.ts";
import { tableIdentifier } from "./statements/names.ts";
import { PeerNotifications } from "./shared/peer-notifications.ts";
import { inspectAddress } from "./connection/pooler.ts";
import { createQueries } from "./statements/queries.ts";
import { Replica } from "./reading/replica.ts";
import { refusalOf, reportedSettings } from "./connection/settings.ts";
import { DatabaseClock } from "./shared/clock.ts";
import { SharedTables } from "./shared/shared.ts";
import { ServingGate } from "./shared/serving-state.ts";
import { PostgresWriter } from "./writing/writer.ts";

export interface PostgresOptions {
  /** `postgres://user@host/database?schema=…` */
  readonly path: string;
  readonly onWarning?: (message: string) => void;
  readonly losesData?: boolean;
  /** Reports the progress of a migration, for the terminal. */
  readonly watch?: StartWatch;
  /** Checks start records before a migration is committed. */
  readonly checkStart?: StartCheck | undefined;
  readonly limits?: Partial<GroupLimits>;
  /** The timeout of a single read statement, in milliseconds. */
  readonly statementMs?: number;
  readonly bounds?: Partial<GroupBounds>;
}

const statementMsUsual = 5_000;
export const storeLimits = {
  /**
   * The maximum number of concurrent writes on one instance that may wait for something besides the
   * database.
   */
  apartMax: 4,
} as const;

/**
 * Opens a store, and migrates its schema if necessary.
 * @throws StoreRefused | StoreMismatch
 */
export async function openPostgresStore(
  model: Model,
  meaning: Meaning,
  options: PostgresOptions,
): Promise<Store> {
  let address = addressOf(options.path);
  let connection: PostgresConnection | undefined;
  try {
    address = await inspectAddress(address);
    connection = await PostgresConnection.open(address, {
      pipelines: false,
      statementMs: statementMsUsual,
      needsSession: true,
    });
    for (const warning of await reportedSettings(connection, address)) options.onWarning?.(warning);
    const given = {
      ...options,
      otherConnection: connection,
      losesData: options.losesData === true,
      onMade: (names: readonly string[]) =>
        options.onWarning?.(
          `${names.length === 1 ? "A stored change was" : "Stored changes were"} applied: ${names.join(", ")}.`,
        ),
    };
    return await bringUpToDate(address, model, given, async (upToDate) => {
      const store = new PostgresStore(address, upToDate, meaning, {
        ...options,
        timed: model.resources.filter(isTimed).map(({ name }) => name),
      });
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
  /**
   * The first writer runs most writes. Each of the others is opened when there is a write for it.
   */
  readonly #writers: PostgresWriter[];
  readonly #newWriter: (isApart: boolean) => PostgresWriter;
  #lastConcurrent = 0;
  readonly shared: SharedTables;
  readonly #peers: PeerNotifications;
  #closing: Promise<void> | undefined;

  constructor(
    address: PostgresAddress,
    { tables, generation }: UpToDate,
    meaning: Meaning,
    options: PostgresOptions & { readonly timed: readonly string[] },
  ) {
    super(createQueries(meaning, tables));
    const { onWarning = () => {}, limits = {}, statementMs = statementMsUsual, bounds = {}, timed } = options;
    this.#address = address;
    this.#tables = tables;
    const silenceMs = bounds.silenceMs ?? groupBounds.silenceMs;
    this.#readPool = new ReadPool(address, statementMs, silenceMs, this.#gate);
    if (address.replica !== undefined) {
      const { replica, schema, shown, quickReaders, slowReaders } = address;
      const own = { way: replica.way, schema, shown, quickReaders, slowReaders };
      const readPool = new ReadPool(own, statementMs, silenceMs, this.#gate, true);
      this.#replica = new Replica(replica, this.#readPool, readPool, onWarning);
      this.lagging = sessionOf(this.#replica);
    }
    this.#newWriter = (isConcurrent) =>
      new PostgresWriter(address, {
        tables,
        timed,
        readPool: this.#readPool,
        limits: isConcurrent ? { ...limits, writesMax: 1 } : limits,
        statementMs,
        bounds,
        generation,
        isConcurrent,
        onUnavailable: (error) => onWarning(error.message),
        onCommit: (commit) => {
          this.notify(commit);
          this.#peers.notify(commit);
        },
      });
    this.#writers = [this.#newWriter(false)];
    const clock = new DatabaseClock(onWarning);
    this.shared = new SharedTables(address, clock, generation);
    this.#peers = new PeerNotifications(address, {
      generation,
      resources: tables.tables.map(({ name }) => name),
      onWarning,
      onStop: () => this.#gate.shut(this.#peers.servingState),
      onGoOn: () => {
        this.#gate.open();
        // Waiters may have missed changes while this instance wasn't serving.
        this.notify({ hasEvents: true, changed: new Map() });
      },
      onCommit: (commit) => this.notify(commit),
      clock,
    });
    // Reads don't know due times in advance, because other instances set timers too.
    this.session = committedSession(
      this.#readPool,
      new SystemState(),
      () => this.#peers.servingState === "serving",
    );
  }

  start(): Promise<void> {
    this.#replica?.start();
    return this.#peers.start();
  }

  write<T>(work: (transaction: Transaction) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    return this.#gate.enter(() => this.#writerOf(options).write(work, options));
  }

  #writerOf({ mayWait = false }: WriteOptions = {}): PostgresWriter {
    this.#lastConcurrent = (this.#lastConcurrent % storeLimits.apartMax) + 1;
    const at = mayWait ? this.#lastConcurrent : 0;
    this.#writers[at] ??= this.#newWriter(mayWait);
    return this.#writers[at];
  }

  fits(model: Model, { losesData }: { readonly path: string; readonly losesData: boolean }): Promise<void> {
    return checkFit(this.#address, model, { losesData });
  }

  status(): StoreStatus {
    const { bytes, obstacle } = this.#peers.status();
    return {
      kind: "PostgreSQL",
      path: this.#address.shown,
      bytes,
      logBytes: 0,
      freeBytes: null,
      obstacle: this.#writers[0]?.obstacle ?? obstacle,
      servingState: this.#peers.servingState,
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
    const all = (work: (writer: PostgresWriter) => Promise<void>) =>
      Promise.all(Object.values(this.#writers).map(work));
    this.#closing ??= all((writer) => writer.finish()).then(async () => {
      await this.shared.close();
      await this.#peers.close();
      await this.#replica?.close();
      await this.#readPool.close();
      await all((writer) => writer.close());
    });
    return this.#closing;
  }
}
