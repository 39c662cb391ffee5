/** A store in a schema of PostgreSQL, which several instances may share: its tables, reads of what is committed, and writes in groups. */
import type { Meaning } from "../../expressions/scope.ts";
import type { Model } from "../../model/model.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { BaseStore } from "../base-store.ts";
import { defaultLimits, GroupCommit, type GroupLimits } from "../group-commit.ts";
import type { Hold } from "../hold.ts";
import { SystemState } from "../rows/system.ts";
import { RowsTransaction } from "../rows/transaction.ts";
import type { Session, Store, StoreStatus, Transaction, WriteOptions } from "../store.ts";
import type { Tables } from "../tables.ts";
import { addressOf, type PostgresAddress } from "./address.ts";
import { bringUpToDate, checkFit, type StartWatch, type UpToDate } from "./bring-up-to-date.ts";
import { committedSession, sessionOf } from "./committed-session.ts";
import { PostgresConnection } from "./connection.ts";
import { type GroupBounds, groupBounds, PostgresGroupTransaction } from "./group-transaction.ts";
import { Lanes } from "./lanes.ts";
import { tableIdentifier } from "./names.ts";
import { Neighbours } from "./neighbours.ts";
import { lookedAt } from "./pooler.ts";
import { createQueries } from "./queries.ts";
import { Replica } from "./replica.ts";
import { refusalOf, reportedSettings } from "./settings.ts";
import { DatabaseClock } from "./shared/clock.ts";
import { SharedTables } from "./shared/shared.ts";
import { Entrance } from "./standing.ts";
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
  readonly #entrance = new Entrance();
  readonly #lanes: Lanes;
  readonly #replica: Replica | undefined;
  readonly #transaction: PostgresGroupTransaction;
  readonly #groups: GroupCommit;
  readonly #ground: PostgresGround;
  readonly shared: SharedTables;
  readonly #neighbours: Neighbours;
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
    this.#lanes = new Lanes(address, statementMs, silenceMs, this.#entrance);
    if (address.replica !== undefined) {
      const { replica, schema, shown, quickReaders, slowReaders } = address;
      const own = { way: replica.way, schema, shown, quickReaders, slowReaders };
      const lanes = new Lanes(own, statementMs, silenceMs, this.#entrance, true);
      this.#replica = new Replica(replica, this.#lanes, lanes, onWarning);
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
          this.#neighbours.notify(commit);
        },
        trouble: () => undefined,
      },
    );
    const clock = new DatabaseClock(onWarning);
    this.shared = new SharedTables(address, clock);
    this.#neighbours = new Neighbours(address, {
      generation,
      onStop: () => this.#entrance.shut(this.#neighbours.standing),
      onGoOn: () => {
        this.#entrance.open();
        // The planned check was rejected meanwhile.
        this.notify({ hasEvents: true, changed: new Map() });
      },
      onCommit: (commit) => this.notify(commit),
      clock,
    });
    // Reads don't know due times in advance, because other instances set timers too.
    this.session = committedSession(
      this.#lanes,
      new SystemState(),
      () => this.#neighbours.standing === "serving",
    );
  }

  start(): Promise<void> {
    this.#replica?.start();
    return this.#neighbours.start();
  }

  write<T>(work: (transaction: Transaction) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    const one = (hold: Hold): Awaitable<T> => {
      const write = new PostgresWrite({
        group: this.#transaction,
        hold,
        ground: this.#ground,
        statementMs: this.#statementMs,
        isCautious: options?.repeatable !== true,
      });
      const run = () => work(new RowsTransaction(this.#ground, write));
      // What the author's handlers wait for is unknown.
      return options?.repeatable === true ? run() : write.mayWait().then(run);
    };
    return this.#entrance.enter(() => this.#groups.write(one, options));
  }

  fits(model: Model, { losesData }: { readonly path: string; readonly losesData: boolean }): Promise<void> {
    return checkFit(this.#address, model, { losesData });
  }

  status(): StoreStatus {
    const { bytes, trouble } = this.#neighbours.status();
    return {
      kind: "PostgreSQL",
      path: this.#address.shown,
      bytes,
      logBytes: 0,
      freeBytes: null,
      trouble: this.#groups.trouble?.message ?? trouble,
      standing: this.#neighbours.standing,
    };
  }

  async isEmpty(): Promise<boolean> {
    for (const { name } of this.#tables.tables) {
      const statement = { sql: `SELECT 1 FROM ${tableIdentifier(name)} LIMIT 1` };
      const { rows } = await this.#lanes.queryRows(statement, [], false);
      if (rows.length > 0) return false;
    }
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#groups.close().then(async () => {
      await this.shared.close();
      await this.#neighbours.close();
      await this.#replica?.close();
      await this.#lanes.close();
      await this.#transaction.close();
    });
    return this.#closing;
  }
}
