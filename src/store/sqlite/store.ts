/**
 * SQLite store, in a file or in memory: the file, its tables, reads of committed data, and writes
 * in groups.
 */
import type { Meaning } from "../../expressions/scope.ts";
import type { Model } from "../../model/model.ts";
import { BaseStore } from "../base-store.ts";
import { defaultLimits, GroupCommit, type GroupLimits } from "../group-commit.ts";
import { StoreRefused } from "../errors.ts";
import type { Commit, Store, StoreSnapshot, StoreStatus, Transaction, WriteOptions } from "../store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { SystemState } from "../rows/system.ts";
import { RowsTransaction } from "../rows/transaction.ts";
import { statusOf } from "./file/status.ts";
import type { Tables } from "../tables.ts";
import type { StartCheck } from "../start-check.ts";
import type { SqliteMigrationWatch } from "./apply-migration.ts";
import { bringUpToDate, checkFit, requiredTables } from "./bring-up-to-date.ts";
import { quotedTable } from "../sql/fragment.ts";
import { CommittedSession } from "./committed-session.ts";
import { busyTimeoutMs, type Connection } from "./connection/connection.ts";
import { SqliteGroupTransaction } from "./group-transaction.ts";
import type { OwnerAddress } from "./file/lock.ts";
import { type InitialContent, inMemory, storeErrorOf, type OpenFile, openFile } from "./file/open-file.ts";
import { createQueries } from "./statements/queries.ts";
import { createLogBound } from "./reading/log-bound.ts";
import { readLimits } from "./reading/limits.ts";
import { PatientReads } from "./reading/patient-reads.ts";
import type { ReadSource } from "./reading/thread.ts";
import { SqliteSnapshot } from "./file/snapshot.ts";
import { SqliteTables, SqliteWrite } from "./transaction.ts";
import { every, machine as systemMachine, pause, type Machine } from "../../support/machine.ts";

export interface StoreOptions {
  /** The store's file, which is created if it doesn't exist. `:memory:` is not stored. */
  readonly path: string;
  /** Receives a warning for the operator, as one sentence. */
  readonly onWarning?: (message: string) => void;
  /**
   * Whether data that the document no longer describes may be deleted (see `StoreMismatch.losses`).
   */
  readonly losesData?: boolean;
  /**
   * Whether a file with a missing log is opened as it is. Changes that only the log had are lost.
   */
  readonly acceptsMissingLog?: boolean;
  /**
   * The address for programs of this user that find the store in use. It is recorded in the lock
   * file.
   */
  readonly ownerAddress?: OwnerAddress;
  readonly limits?: Partial<GroupLimits>;
  /** The clock that limits slices and groups of writes; the machine's own if absent. */
  readonly machine?: Machine;
  /**
   * The time limit of a single read statement, in milliseconds. Inside a write, the engine's own
   * limit applies if it is lower.
   */
  readonly statementMs?: number;
  /** Size limit of the write-ahead log during slow reads, in bytes. */
  readonly logBytesMax?: number;
  /**
   * How much of the file is memory-mapped, in bytes. If absent, it depends on the machine
   * (`mapping.ts`).
   */
  readonly mappedBytes?: number;
  /**
   * The initial content that replaces the existing one: none, or a snapshot of the same kind of
   * store.
   */
  readonly initialContent?: "empty" | StoreSnapshot;
  /**
   * Reports the progress of stored changes; for a store that several processes share, also that one
   * is migrating it.
   */
  readonly watch?: Pick<SqliteMigrationWatch, "onPages" | "onRecords"> & {
    readonly onMigrating?: (who: "another" | "this") => void;
  };
  /** Checks start records before a migration is committed. */
  readonly checkStart?: StartCheck | undefined;
}

/**
 * The interval in which a store checks that its file exists, and its size, even without writes; in
 * milliseconds.
 */
const lookEveryMs = 1000;

/**
 * Opens a store, and migrates it if necessary.
 * @throws StoreRefused | StoreMismatch
 */
export async function openSqliteStore(model: Model, meaning: Meaning, options: StoreOptions): Promise<Store> {
  const onWarning = options.onWarning ?? (() => {});
  const tables = requiredTables(model);
  const file = openFile(options.path, {
    onWarning,
    initialContent: prefixFunction(options),
    mappedBytes: options.mappedBytes,
    acceptsMissingLog: options.acceptsMissingLog,
    ownerAddress: options.ownerAddress,
  });
  try {
    await bringUpToDate(file.connection, model, { ...options, onWarning });
    return new SqliteStore(file, tables, model, meaning, { ...options, onWarning });
  } catch (error) {
    file.close();
    throw storeErrorOf(error, options.path);
  }
}

function prefixFunction({ initialContent, path }: StoreOptions): InitialContent {
  if (initialContent === undefined || initialContent === "empty") return initialContent ?? "as it is";
  if (initialContent instanceof SqliteSnapshot) return initialContent;
  throw new StoreRefused(
    `${path} can't be opened with a snapshot of another database.`,
    "Restore it where it was made.",
  );
}

/**
 * The maximum number of attempts while another connection reads, and the pause between them in
 * milliseconds.
 */
const foldTriesMax = 50;
const foldWaitMs = 100;

/**
 * Copies the log into the file and truncates it, when there are no readers. Returns whether it
 * succeeded.
 */
async function foldLog(connection: Connection, groups: GroupCommit): Promise<boolean> {
  for (let tries = 0; tries < foldTriesMax; tries += 1) {
    while (groups.isOpen) await groups.betweenGroups();
    connection.endSnapshot();
    // Must not wait for readers, because some of them may wait for this thread.
    connection.exec("PRAGMA busy_timeout = 0");
    const [isBusy] = connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get([]) ?? [1];
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    if (isBusy === 0) return true;
    await pause(foldWaitMs);
  }
  return false;
}

class SqliteStore extends BaseStore implements Store {
  readonly session: CommittedSession;
  readonly #file: OpenFile;
  readonly #tables: Tables;
  readonly #groups: GroupCommit;
  readonly #storeTables: SqliteTables;
  readonly #inWriteMs: number;
  readonly #machine: Machine;
  readonly #patient: PatientReads;
  /** The number of commits that have changed something. */
  #commits = 0;
  readonly #stopChecking: () => void;
  #closing: Promise<void> | undefined;

  constructor(
    file: OpenFile,
    tables: Tables,
    model: Model,
    meaning: Meaning,
    options: StoreOptions & { onWarning: (message: string) => void },
  ) {
    const { onWarning, statementMs = readLimits.statementMs, machine = systemMachine } = options;
    super(createQueries(meaning, tables));
    this.#file = file;
    this.#tables = tables;
    const state = new SystemState();
    this.#groups = new GroupCommit(
      new SqliteGroupTransaction(file.connection),
      { ...defaultLimits, ...options.limits },
      {
        onUnavailable: (error) => onWarning(error.message),
        takeChanges: () => state.takeChanges(),
        onCommit: (commit) => this.notify(commit),
        obstacle: file.obstacle,
        machine,
      },
    );
    this.#stopChecking = every(
      lookEveryMs,
      () => {
        this.#groups.reportFailure();
        file.mapGrowth();
      },
      machine,
    );
    this.#machine = machine;
    this.#inWriteMs = Math.min(statementMs, readLimits.statementInWriteMs);
    this.#storeTables = new SqliteTables(tables, state);
    this.#patient = new PatientReads(this.#readSource(model, options.logBytesMax), statementMs, machine);
    this.session = new CommittedSession(file, this.#groups, state, this.#patient);
    this.session.system.nextDue();
  }

  write<T>(work: (transaction: Transaction) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    const { connection } = this.#file;
    return this.#groups.write((slot) => {
      const write = new SqliteWrite(connection, slot, this.#inWriteMs, this.#machine);
      return work(new RowsTransaction(this.#storeTables, write));
    }, options);
  }

  protected override notify(commit: Commit): void {
    this.#commits += 1;
    super.notify(commit);
  }

  async fits(model: Model, { path, losesData }: Pick<StoreOptions, "path" | "losesData">): Promise<void> {
    while (this.#groups.isOpen) await this.#groups.betweenGroups();
    await checkFit(this.#file.connection, model, { path, losesData: losesData === true, isDryRun: true });
  }

  isEmpty(): Awaitable<boolean> {
    return this.session.reading((connection) =>
      this.#tables.tables.every(
        (table) =>
          connection.statement(`SELECT 1 FROM ${quotedTable(table.name)} LIMIT 1`).get([]) === undefined,
      ),
    );
  }

  status(): StoreStatus {
    return statusOf(this.#file, this.#groups.obstacle);
  }

  async snapshot(): Promise<SqliteSnapshot> {
    // Taken between groups, because the content of an open group may still be rolled back.
    while (this.#groups.isOpen) await this.#groups.betweenGroups();
    return new SqliteSnapshot(this.#file.connection.serialize());
  }

  async scrub(): Promise<boolean> {
    while (this.#groups.isOpen) await this.#groups.betweenGroups();
    const { connection, place } = this.#file;
    connection.endSnapshot();
    if (place === undefined) return true;
    // The temporary copy that VACUUM creates may be as large as the store.
    connection.exec("PRAGMA secure_delete = ON; PRAGMA temp_store = FILE");
    connection.exec("VACUUM");
    connection.exec("PRAGMA temp_store = MEMORY");
    return foldLog(connection, this.#groups);
  }

  /** The store, as reader threads need it. */
  #readSource(model: Model, logBytesMax: number = readLimits.logBytesMax): ReadSource {
    const { connection, place, obstacle } = this.#file;
    const version = () => this.#commits;
    if (place !== undefined) {
      const log = createLogBound(place, connection, logBytesMax);
      return { model, path: place, version, obstacle, log };
    }
    const content = async () => {
      const { content } = await this.snapshot();
      return { version: this.#commits, content };
    };
    return { model, path: inMemory, version, obstacle, content };
  }

  close(): Promise<void> {
    this.#stopChecking();
    this.#closing ??= this.#groups.close().then(async () => {
      await this.#patient.close();
      this.session.close();
      this.#file.close();
    });
    return this.#closing;
  }
}
