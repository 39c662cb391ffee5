/** A store in a SQLite file, or in memory: the file, its tables, reads of what is committed, and writes in groups. */
import type { Meaning } from "../../expressions/scope.ts";
import type { Model } from "../../model/model.ts";
import { oncePer } from "../../support/once-per.ts";
import { StoreRefused, type StoreUnavailable } from "../errors.ts";
import { type Migration, planMigration } from "../migrate.ts";
import type { Commit, Store, StoreSnapshot, StoreStatus, Transaction, WriteOptions } from "../store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { statusOf } from "./status.ts";
import { type Tables, tablesOf } from "../tables.ts";
import { applyMigration, lossesOf } from "./apply-migration.ts";
import { quotedTable } from "../sql/fragment.ts";
import { CommittedSession } from "./committed-session.ts";
import type { Connection } from "./connection.ts";
import { defaultLimits, GroupCommit, type GroupLimits } from "./group-commit.ts";
import { type Beginning, inMemory, inWords, type OpenFile, openFile } from "./open-file.ts";
import { createQueries } from "./queries.ts";
import { readLimits } from "./reading/limits.ts";
import { PatientReads } from "./reading/patient-reads.ts";
import type { ReadSource } from "./reading/thread.ts";
import { SqliteSnapshot } from "./snapshot.ts";
import { SystemState } from "./system.ts";
import { SqliteTransaction, Writer } from "./transaction.ts";

export interface StoreOptions {
  /** The store's file, made if it isn't there; `:memory:` is kept nowhere. */
  readonly path: string;
  /** Something to tell the operator that stops nothing, one sentence. */
  readonly onWarning?: (message: string) => void;
  /** Data that the document has no place for any more may go (see `StoreMismatch.losses`). */
  readonly losesData?: boolean;
  readonly limits?: Partial<GroupLimits>;
  /** How long one statement may take, in milliseconds; inside of a write no longer than the engine's own bound for that. */
  readonly statementMs?: number;
  /** How much of the file is read as memory, in bytes; without it as much as suits the machine (`mapping.ts`). */
  readonly mappedBytes?: number;
  /** What the store begins with instead of what is there: nothing, or what `Store.snapshot` has made of one of the same kind. */
  readonly begins?: "empty" | StoreSnapshot;
}

/** How often a store that nobody writes to looks whether its file is still there, in milliseconds. */
const lookEveryMs = 1000;

/** A sandbox opens many stores of one model. */
const tablesOfModel = oncePer(tablesOf);

/** @throws StoreRefused | StoreMismatch */
export async function openSqliteStore(model: Model, meaning: Meaning, options: StoreOptions): Promise<Store> {
  const onWarning = options.onWarning ?? (() => {});
  const tables = tablesOfModel(model);
  checkNames(tables);
  const file = openFile(options.path, onWarning, beginningOf(options), options.mappedBytes);
  try {
    bringUpToDate(file.connection, tables, model, { ...options, onWarning });
    return new SqliteStore(file, tables, model, meaning, { ...options, onWarning });
  } catch (error) {
    file.close();
    throw inWords(error, options.path);
  }
}

function beginningOf({ begins, path }: StoreOptions): Beginning {
  if (begins === undefined || begins === "empty") return begins ?? "as it is";
  if (begins instanceof SqliteSnapshot) return begins;
  throw new StoreRefused(
    `${path} can't begin with a snapshot of another database.`,
    "Restore it where it was made.",
  );
}

/** SQLite tells names apart past case only; a document may not, so it is told which two meet. */
function checkNames(tables: Tables): void {
  const check = (names: readonly string[], where: string): void => {
    const seen = new Map<string, string>();
    for (const name of names) {
      const other = seen.get(name.toLowerCase());
      if (other !== undefined) {
        throw new StoreRefused(
          `${where} ${other} and ${name} differ only in case, which SQLite can't tell apart.`,
          "Rename one of them.",
        );
      }
      seen.set(name.toLowerCase(), name);
    }
  };
  check(
    tables.tables.map((table) => table.name),
    "The resources",
  );
  for (const table of tables.tables)
    check(
      table.columns.map((column) => column.name),
      `The fields of ${table.name}`,
    );
}

/** What is to be done for the document; undefined where the tables are as it wants them. @throws StoreRefused */
function migrationTo(
  model: Model,
  tables: Tables,
  connection: Connection,
  path: string,
): Migration | undefined {
  const document = readMeta(connection, "document");
  if (document !== undefined && document !== model.name) {
    throw new StoreRefused(
      `${path} belongs to another document: "${document}", not "${model.name}".`,
      "Give this document a store of its own, or its old name back.",
    );
  }
  const kept = readMeta(connection, "tables");
  if (kept === JSON.stringify(tables)) return undefined;
  const before: Tables = kept === undefined ? { tables: [], references: [] } : JSON.parse(kept);
  return planMigration(before, tables, model);
}

/** The tables as the document wants them; what the store is now is kept with it. */
function bringUpToDate(
  connection: Connection,
  tables: Tables,
  model: Model,
  options: StoreOptions & { onWarning: (message: string) => void },
): void {
  const migration = migrationTo(model, tables, connection, options.path);
  if (!migration) return;
  applyMigration(migration, {
    connection,
    path: options.path,
    onWarning: options.onWarning,
    tables,
    losesData: options.losesData === true,
    keep() {
      writeMeta(connection, "document", model.name);
      writeMeta(connection, "tables", JSON.stringify(tables));
    },
  });
}

function readMeta(connection: Connection, name: string): string | undefined {
  return connection.statement("SELECT value FROM ninefold_meta WHERE name = ?").get([name])?.[0] as
    | string
    | undefined;
}

function writeMeta(connection: Connection, name: string, value: string): void {
  connection.statement("INSERT OR REPLACE INTO ninefold_meta (name, value) VALUES (?, ?)").run([name, value]);
}

class SqliteStore implements Store {
  readonly prepareRecords: Store["prepareRecords"];
  readonly prepareCount: Store["prepareCount"];
  readonly prepareCounts: Store["prepareCounts"];
  readonly prepareShaped: Store["prepareShaped"];
  readonly prepareValue: Store["prepareValue"];
  readonly prepareJson: Store["prepareJson"];
  readonly session: CommittedSession;
  readonly #file: OpenFile;
  readonly #tables: Tables;
  readonly #groups: GroupCommit;
  readonly #writer: Writer;
  readonly #patient: PatientReads;
  readonly #listeners = new Set<(commit: Commit) => void>();
  /** How many commits have changed something. */
  #commits = 0;
  readonly #looking: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(
    file: OpenFile,
    tables: Tables,
    model: Model,
    meaning: Meaning,
    options: StoreOptions & { onWarning: (message: string) => void },
  ) {
    const { onWarning, statementMs = readLimits.statementMs } = options;
    const queries = createQueries(meaning, tables);
    this.prepareRecords = queries.prepareRecords;
    this.prepareCount = queries.prepareCount;
    this.prepareCounts = queries.prepareCounts;
    this.prepareShaped = queries.prepareShaped;
    this.prepareValue = queries.prepareValue;
    this.prepareJson = queries.prepareJson;
    this.#file = file;
    this.#tables = tables;
    const state = new SystemState();
    this.#groups = new GroupCommit(
      file.connection,
      { ...defaultLimits, ...options.limits },
      (error: StoreUnavailable) => onWarning(error.message),
      (hasChanges) => this.#tellCommit(state, hasChanges),
      file.trouble,
    );
    this.#looking = setInterval(() => this.#groups.look(), lookEveryMs).unref();
    const inWriteMs = Math.min(statementMs, readLimits.statementInWriteMs);
    this.#writer = new Writer(file.connection, tables, state, inWriteMs);
    this.#patient = new PatientReads(this.#readSource(model), statementMs);
    this.session = new CommittedSession(file, this.#groups, state, this.#patient);
    this.session.system.nextDue();
  }

  write<T>(work: (transaction: Transaction) => Awaitable<T>, options?: WriteOptions): Promise<T> {
    return this.#groups.write((hold) => work(new SqliteTransaction(this.#writer, hold)), options);
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tellCommit(state: SystemState, hasChanges: boolean): void {
    const commit: Commit = { hasEvents: state.hasNewEvents, changed: state.takeChanged() };
    state.hasNewEvents = false;
    if (hasChanges) this.#commits += 1;
    if (hasChanges) for (const listener of this.#listeners) listener(commit);
  }

  async fits(model: Model, { path, losesData }: Pick<StoreOptions, "path" | "losesData">): Promise<void> {
    const tables = tablesOfModel(model);
    checkNames(tables);
    while (this.#groups.isOpen) await this.#groups.betweenGroups();
    const { connection } = this.#file;
    const migration = migrationTo(model, tables, connection, path);
    if (migration) lossesOf(migration, { connection, path, losesData: losesData === true });
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
    return statusOf(this.#file, this.#groups.trouble);
  }

  async snapshot(): Promise<SqliteSnapshot> {
    // Between groups, for what stands in an open one may still be taken back.
    while (this.#groups.isOpen) await this.#groups.betweenGroups();
    return new SqliteSnapshot(this.#file.connection.serialize());
  }

  /** The store, as other threads read it. */
  #readSource(model: Model): ReadSource {
    const { place, trouble } = this.#file;
    const version = () => this.#commits;
    if (place !== undefined) return { model, path: place, version, trouble };
    const content = async () => {
      const { content } = await this.snapshot();
      return { version: this.#commits, content };
    };
    return { model, path: inMemory, version, trouble, content };
  }

  close(): Promise<void> {
    clearInterval(this.#looking);
    this.#closing ??= this.#groups.close().then(async () => {
      await this.#patient.close();
      this.session.close();
      this.#file.close();
    });
    return this.#closing;
  }
}
