/**
 * SQLite connection: its settings, and its prepared statements.
 *
 * No other file opens databases, because `node:sqlite` may still change its names. It has no
 * knowledge of resources, and builds no SQL.
 */
import { nonNull } from "../../../support/non-null.ts";
import {
  backup,
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from "node:sqlite";
import { StoreRefused } from "../../errors.ts";
import type { Row as OwnRow } from "../../rows/steps.ts";
import { registerFunctions } from "../statements/functions.ts";

/** The first version in which a reset of the write-ahead log can't corrupt the file. */
const versionMin = [3, 51, 3] as const;
/**
 * The number of log frames after which the log is copied into the file: 16 MiB. More would make the
 * log long; fewer would copy frequently changed pages more often.
 */
const checkpointPages = 4000;
/** The size to which the log file is truncated, in bytes. */
const journalBytesMax = 64 * 1024 * 1024;
/**
 * The page cache of a connection, in bytes, in addition to the system's file cache. A larger cache
 * makes commits that split an index page slower, because SQLite then scans the whole cache to
 * renumber pages. With 64 MiB, that was a twentieth of a create.
 */
export const cacheBytes = 16 * 1024 * 1024;
/** How long a statement waits for another process that locks the file, in milliseconds. */
export const busyTimeoutMs = 5000;

/** The number of pages that a copy copies at a time. */
const copiedPages = 1000;

export type Row = readonly SQLOutputValue[];

/**
 * A prepared statement of one connection. Rows are arrays of columns. The author of the statement
 * declares their types.
 */
export interface Statement {
  /** The first row, or undefined. */
  get<R extends OwnRow = Row>(values: readonly SQLInputValue[]): R | undefined;
  all<R extends OwnRow = Row>(values: readonly SQLInputValue[]): readonly R[];
  /** Returns the number of changed rows, and the last row number that was assigned. */
  run(values: readonly SQLInputValue[]): { readonly changes: number; readonly lastRow: number };
}

/** An open connection, with a cache of prepared statements. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Statement>();
  readonly #ofQuery = new WeakMap<object, Statement>();
  #isReading = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The prepared statement of a text. It is cached, so the number of texts must be bounded. */
  statement(sql: string): Statement {
    let found = this.#statements.get(sql);
    if (!found) {
      found = prepared(this.#database.prepare(sql));
      this.#statements.set(sql, found);
    }
    return found;
  }

  /** The statement of a query, prepared once for this connection. */
  ofQuery(query: { readonly sql: string }): Statement {
    let found = this.#ofQuery.get(query);
    if (!found) {
      found = this.prepare(query.sql);
      this.#ofQuery.set(query, found);
    }
    return found;
  }

  /**
   * Lets the reads of one tick of the event loop share a snapshot, because acquiring and releasing
   * it costs as much as a small read. It ends after all work of this tick, or before a transaction
   * starts.
   */
  shareSnapshot(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.statement("BEGIN").run([]);
    process.nextTick(() => this.endSnapshot());
  }

  endSnapshot(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    if (this.#database.isOpen && this.#database.isTransaction) this.statement("COMMIT").run([]);
  }

  /**
   * Prepares a statement without caching it, for an unbounded number of texts. The caller bounds
   * them.
   */
  prepare(sql: string): Statement {
    return prepared(this.#database.prepare(sql));
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Memory-maps this many bytes of the file from now on (`mapping.ts`). */
  map(bytes: number): void {
    this.exec(`PRAGMA mmap_size = ${bytes}`);
  }

  /** Copies all pages of the database, as this connection sees it. */
  serialize(): Uint8Array {
    this.endSnapshot();
    return this.#database.serialize();
  }

  /** Copies all pages, as this connection sees them, into another file in batches. */
  async copyTo(path: string, onPages: (done: number, all: number) => void = () => {}): Promise<void> {
    await backup(this.#database, path, {
      rate: copiedPages,
      progress: ({ totalPages, remainingPages }) => onPages(totalPages - remainingPages, totalPages),
    });
  }

  /**
   * Copies the log into the file and truncates it, without waiting for readers. Returns whether it
   * succeeded.
   */
  foldLog(): boolean {
    this.endSnapshot();
    if (this.isInTransaction) return false;
    this.exec("PRAGMA busy_timeout = 0");
    try {
      return this.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get([])?.[0] === 0;
    } finally {
      this.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.endSnapshot();
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }
}

/** A statement that returns rows as arrays. `node:sqlite` has no types for it. */
interface InArrays {
  get<R extends OwnRow>(...values: readonly SQLInputValue[]): R | undefined;
  all<R extends OwnRow>(...values: readonly SQLInputValue[]): R[];
}

function prepared(statement: StatementSync): Statement {
  statement.setReturnArrays(true);
  const rows = statement as unknown as InArrays;
  return {
    get: (values) => rows.get(...values),
    all: (values) => rows.all(...values),
    run(values) {
      const { changes, lastInsertRowid } = statement.run(...values);
      return { changes: Number(changes), lastRow: Number(lastInsertRowid) };
    },
  };
}

/**
 * Opens a file, or `:memory:`. Settings that durability depends on are read back; the file is
 * rejected if they have no effect.
 * @param options.content the initial content of a database in memory
 */
export function openConnection(
  path: string,
  options: { readonly readOnly?: boolean; readonly content?: Uint8Array } = {},
): Connection {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    checkVersion(read(database, "SELECT sqlite_version()"));
    if (options.content) database.deserialize(options.content);
    database.exec(`
      PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA mmap_size = 0;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${cacheBytes / 1024};
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = ${journalBytesMax};
      PRAGMA wal_autocheckpoint = ${checkpointPages};
    `);
    // On macOS, fsync returns before the bytes are on the disk; these two pragmas flush the disk
    // itself. On other systems they have no effect.
    database.exec("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;");
    expectSetting(database, path, "synchronous", 2);
    expectSetting(database, path, "foreign_keys", 1);
    expectSetting(database, path, "journal_mode", path === ":memory:" ? "memory" : "wal");
    registerFunctions(database);
    if (options.readOnly) database.exec("PRAGMA query_only = ON");
    return new Connection(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens a file read-only, with its log. Only SQLite's own files next to it may change. It isn't
 * opened as immutable, because SQLite would then ignore the log.
 */
export function openReadOnly(path: string): Connection {
  return setUpSibling(new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs }));
}

/** Opens a file that no other process uses yet: an unfinished copy, a single file without a log. */
export function openCopy(path: string): Connection {
  const connection = setUpSibling(new DatabaseSync(path, { timeout: busyTimeoutMs }));
  connection.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
  return connection;
}

function setUpSibling(database: DatabaseSync): Connection {
  try {
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY");
    registerFunctions(database);
    return new Connection(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function read(database: DatabaseSync, sql: string): SQLOutputValue {
  const row = database.prepare(sql).get();
  return row ? nonNull(Object.values(row)[0]) : null;
}

function expectSetting(database: DatabaseSync, path: string, name: string, expected: SQLOutputValue): void {
  const found = read(database, `PRAGMA ${name}`);
  if (found === expected) return;
  throw new StoreRefused(
    `${path} can't be used: SQLite has ${name} = ${found} where ${expected} is needed for changes to last.`,
    "Put the store on a local disk that SQLite can lock and sync.",
  );
}

function checkVersion(version: SQLOutputValue): void {
  const parts = String(version).split(".").map(Number);
  for (const [index, least] of versionMin.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part < least) {
      throw new StoreRefused(
        `SQLite ${version} can damage files; ${versionMin.join(".")} or newer is needed.`,
        "Use a newer Node.js.",
      );
    }
  }
}
