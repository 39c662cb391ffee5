/** A store in a SQLite file, or in memory: the file, its tables, reads of what is committed, and writes in groups. */
import type { Meaning } from "../../expressions/scope.ts";
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import type { Model } from "../../model/model.ts";
import { oncePer } from "../../support/once-per.ts";
import { StoreRefused, type StoreUnavailable } from "../errors.ts";
import { type Migration, planMigration } from "../migrate.ts";
import type {
  Commit,
  DueTimer,
  Query,
  Session,
  ShapedRow,
  Store,
  StoreSnapshot,
  Transaction,
  WriteOptions,
} from "../store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { type Tables, tablesOf } from "../tables.ts";
import { applyMigration, lossesOf } from "./apply-migration.ts";
import { quotedTable } from "../sql/fragment.ts";
import type { CommittedDeliveries } from "../deliveries.ts";
import type { Connection } from "./connection.ts";
import { DeliveryReader } from "./deliveries.ts";
import { defaultLimits, GroupCommit, type GroupLimits } from "./group-commit.ts";
import { type Beginning, inMemory, inWords, type OpenFile, openFile } from "./open-file.ts";
import { createQueries } from "./queries.ts";
import { readLimits } from "./reading/limits.ts";
import { PatientReads } from "./reading/patient-reads.ts";
import type { ReadSource } from "./reading/thread.ts";
import { ownQuery, QuerySession } from "./session.ts";
import { SqliteSnapshot } from "./snapshot.ts";
import { SystemReader, SystemState } from "./system.ts";
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

/** A connection that sees what is committed. */
interface Reader {
  readonly connection: Connection;
  readonly queries: QuerySession;
}

/**
 * Reads what is committed. While no transaction is open, that is what the writing connection sees, whose cache is warm. While
 * one is, which a request only meets when a write waits for something real, another connection reads; in memory there is none,
 * and the read waits.
 */
class CommittedSession implements Session {
  readonly system: Store["session"]["system"];
  readonly #patient: PatientReads;
  readonly #file: OpenFile;
  readonly #groups: GroupCommit;
  readonly #first: Reader;
  #reader: Reader | undefined;

  constructor(file: OpenFile, groups: GroupCommit, state: SystemState, patient: PatientReads) {
    this.#file = file;
    this.#patient = patient;
    this.#groups = groups;
    this.#first = { connection: file.connection, queries: new QuerySession(file.connection) };
    const reading = <T>(read: (system: SystemReader) => T): Awaitable<T> =>
      this.reading((connection) => read(new SystemReader(connection, state)));
    this.system = {
      setting: (name) => this.reading((connection) => new SystemReader(connection, state).setting(name)),
      nextDue: () => this.#between(() => new SystemReader(file.connection, state).learnNextDue()),
      events: () => reading((system) => system.events()),
      eventsAfter: (sequence, limit) => reading((system) => system.eventsAfter(sequence, limit)),
      logSpan: () => reading((system) => system.logSpan()),
      deliveries: this.#deliveries(),
      dueTimers: (now, limit, resource, row): Awaitable<readonly DueTimer[]> =>
        state.mayBeDue(now, resource) ? reading((system) => system.dueTimers(now, limit, resource, row)) : [],
    };
  }

  records(query: Query<RecordValue>, frame: Frame): Awaitable<readonly RecordValue[]> {
    return this.#asking(query, frame, false, (queries) => queries.records(query, frame));
  }

  record(query: Query<RecordValue>, frame: Frame): Awaitable<RecordValue | null> {
    return this.#asking(query, frame, true, (queries) => queries.record(query, frame));
  }

  count(query: Query<number>, frame: Frame): Awaitable<number> {
    return this.#asking(query, frame, true, (queries) => queries.count(query, frame));
  }

  shaped(query: Query<ShapedRow>, frame: Frame): Awaitable<readonly ShapedRow[]> {
    return this.#asking(query, frame, false, (queries) => queries.shaped(query, frame));
  }

  json(query: Query<string>, frame: Frame): Awaitable<string> {
    return this.#asking(query, frame, true, (queries) => queries.json(query, frame));
  }

  value(query: Query<Value>, frame: Frame): Awaitable<Value> {
    return this.#asking(query, frame, true, (queries) => queries.value(query, frame));
  }

  /** Runs a read that isn't a prepared query. */
  reading<T>(read: (connection: Connection) => T): Awaitable<T> {
    if (!this.#groups.isOpen) return read(this.#file.connection);
    const reader = this.#secondReader();
    return reader ? read(reader.connection) : this.#between(() => read(this.#file.connection));
  }

  close(): void {
    this.#reader?.connection.close();
  }

  /** @param first only the first row is wanted */
  #asking<T>(
    query: Query<unknown>,
    frame: Frame,
    first: boolean,
    ask: (queries: QuerySession) => T,
  ): Awaitable<T> {
    const reader = this.#groups.isOpen ? this.#secondReader() : this.#first;
    if (!reader) return this.#groups.betweenGroups().then(() => this.#asking(query, frame, first, ask));
    const here = () => {
      reader.connection.shareSnapshot();
      return ask(reader.queries);
    };
    const own = ownQuery(query);
    return own.ticks ? this.#patient.ask(own, frame, first, ask, here) : here();
  }

  #deliveries(): CommittedDeliveries {
    const reading = <T>(read: (deliveries: DeliveryReader) => T): Awaitable<T> =>
      this.reading((connection) => read(new DeliveryReader(connection)));
    return {
      dueReceivers: (now, isFailing, limit) => reading((all) => all.dueReceivers(now, isFailing, limit)),
      due: (receiver, now, limit) => reading((all) => all.due(receiver, now, limit)),
      nextDue: (now) => reading((all) => all.nextDue(now)),
      list: (filter, limit) => reading((all) => all.list(filter, limit)),
      disabled: () => reading((all) => all.disabled()),
    };
  }

  /** Now, or as soon as no transaction is open. */
  #between<T>(read: () => T): Awaitable<T> {
    return this.#groups.isOpen ? this.#groups.betweenGroups().then(() => this.#between(read)) : read();
  }

  #secondReader(): Reader | undefined {
    if (!this.#reader && this.#file.openReader) {
      const connection = this.#file.openReader();
      this.#reader = { connection, queries: new QuerySession(connection) };
    }
    return this.#reader;
  }
}
