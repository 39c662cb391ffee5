/**
 * Moving stores from and to SQLite files. The open source or target holds the store's lock, so no
 * process serves the store meanwhile.
 */
import { existsSync } from "node:fs";
import { StoreRefused } from "../errors.ts";
import {
  lastPositionStatement,
  pageStatement,
  tableIn,
  columnsIn,
  type MovedColumn,
  type MovedRow,
  type MovedTable,
  type MovedValue,
} from "../move/moved-table.ts";
import type {
  StartedMove,
  MoveEnd,
  MoveSource,
  MoveTarget,
  StoreDescription,
} from "../move/source-and-target.ts";
import { unfinishedMoveKey, refuseUnfinished } from "../move/unfinished-move.ts";
import { quoted, tableName } from "../sql/fragment.ts";
import type { Tables } from "../tables.ts";
import { checkNames, readMeta, writeMeta } from "./bring-up-to-date.ts";
import type { Connection } from "./connection/connection.ts";
import { createIndex, createKeyIndex, createTable, createUnique } from "./statements/ddl.ts";
import { inMemory, storeErrorOf, type OpenFile, openFile } from "./file/open-file.ts";
import { sqliteRowDialect } from "./statements/row-dialect.ts";
import type { SqlValue } from "../sql/sql-value.ts";
import type { Storage } from "../table.ts";

class SqliteEnd implements MoveEnd {
  readonly shown: string;
  readonly connection: Connection;
  readonly #file: OpenFile;

  constructor(path: string, file: OpenFile) {
    this.shown = path;
    this.#file = file;
    this.connection = file.connection;
  }

  ownTables(): readonly string[] {
    const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'ninefold\\_%' ESCAPE '\\' ORDER BY name`;
    return this.connection
      .prepare(sql)
      .all<readonly [name: string]>([])
      .map(([name]) => name);
  }

  ownColumns(name: string): readonly MovedColumn[] {
    return this.connection
      .prepare(`SELECT name, type FROM pragma_table_info('${name}')`)
      .all<readonly [name: string, type: string]>([])
      .map(([name, type]) => ({ name, storage: type === "TEXT" ? "text" : "integer" }));
  }

  count(table: MovedTable): number {
    const counting = this.connection.prepare(`SELECT count(*) FROM ${tableIn(table, sqliteRowDialect)}`);
    return counting.get<readonly [number]>([])?.[0] ?? 0;
  }

  page(table: MovedTable, behind: readonly SqlValue[] | undefined): readonly MovedRow[] {
    const statement = this.connection.statement(pageStatement(table, sqliteRowDialect, behind !== undefined));
    const readers = table.columns.map(({ storage }) => readerOf(storage));
    return statement
      .all([...(behind ?? [])])
      .map((row) => row.map((value, at) => (readers[at] as (stored: unknown) => MovedValue)(value)));
  }

  lastGiven(table: MovedTable): number {
    const [kept] =
      this.connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get([ownName(table)]) ?? [];
    const counted = quoted(table.counted as string);
    const [last] =
      this.connection.prepare(`SELECT max(${counted}) FROM ${tableIn(table, sqliteRowDialect)}`).get([]) ??
      [];
    return Math.max(Number(kept ?? 0), Number(last ?? 0));
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  /** Runs the work in a transaction: all of it is stored, or nothing. */
  protected atOnce(work: () => void): void {
    this.connection.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.connection.exec("COMMIT");
    } catch (error) {
      if (this.connection.isInTransaction) this.connection.exec("ROLLBACK");
      throw storeErrorOf(error, this.shown);
    }
  }
}

class SqliteTarget extends SqliteEnd implements MoveTarget {
  started(): StartedMove | undefined {
    const found = readMeta(this.connection, unfinishedMoveKey);
    return found === undefined ? undefined : JSON.parse(found);
  }

  begin(started: StartedMove, tables: Tables): void {
    checkNames(tables);
    this.atOnce(() => {
      for (const table of tables.tables) this.connection.exec(createTable(table, tables));
      writeMeta(this.connection, unfinishedMoveKey, JSON.stringify(started));
    });
  }

  lastPlace(table: MovedTable): readonly SqlValue[] | undefined {
    return this.connection
      .prepare(lastPositionStatement(table, sqliteRowDialect))
      .get<readonly SqlValue[]>([]);
  }

  add(table: MovedTable, rows: readonly MovedRow[]): void {
    const columns = columnsIn(table, sqliteRowDialect);
    const places = columns.map(() => "?").join(", ");
    const insert = this.connection.statement(
      `INSERT INTO ${tableIn(table, sqliteRowDialect)} (${columns.join(", ")}) VALUES (${places})`,
    );
    this.atOnce(() => {
      for (const row of rows) insert.run(row.map(asStored));
    });
  }

  finish(
    { document, tables: described }: StoreDescription,
    { tables }: Tables,
    given: ReadonlyMap<MovedTable, number>,
  ): void {
    this.atOnce(() => {
      for (const table of tables) {
        if (table.key) this.connection.exec(createKeyIndex(table));
        // SQLite checks the last index first. Reversed, so that the first violated key is reported.
        for (const key of table.uniques.toReversed()) this.connection.exec(createUnique(table, key));
        for (const index of table.indexes) this.connection.exec(createIndex(table, index));
      }
      refuseDangling(this.connection, this.shown);
      for (const [table, number] of given) this.#advancePast(table, number);
      writeMeta(this.connection, "document", document);
      writeMeta(this.connection, "tables", described);
      this.connection.prepare("DELETE FROM ninefold_meta WHERE name = ?").run([unfinishedMoveKey]);
    });
  }

  #advancePast(table: MovedTable, number: number): void {
    // The numbers of stored changes continue after the greatest one.
    if (table.name === "ninefold_changes" || number === 0) return;
    const name = ownName(table);
    this.connection.statement("DELETE FROM sqlite_sequence WHERE name = ?").run([name]);
    this.connection.statement("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run([name, number]);
  }
}

/** The name of a table in the file. */
function ownName({ name, isOwn }: MovedTable): string {
  return isOwn ? name : tableName(name);
}

function readerOf(storage: Storage): (stored: unknown) => MovedValue {
  if (storage !== "boolean") return (stored) => stored as MovedValue;
  return (stored) => (stored === null ? null : stored === 1);
}

function asStored(value: MovedValue): SqlValue {
  return typeof value === "boolean" ? Number(value) : value;
}

/**
 * Checks that every reference leads to a record.
 * @throws StoreRefused
 */
function refuseDangling(connection: Connection, shown: string): void {
  const astray = connection.prepare("PRAGMA foreign_key_check").get([]);
  if (!astray) return;
  throw new StoreRefused(
    `In ${shown}, a record of ${String(astray[0])} (row ${String(astray[1])}) refers to a ${String(astray[2])} that doesn't exist.`,
    "The store that was copied is damaged: restore its last backup.",
  );
}

/**
 * Opens a store as the source of a copy.
 * @throws StoreRefused
 */
export function openSource(path: string): MoveSource {
  if (path === inMemory || !existsSync(path))
    throw new StoreRefused(`There is no store at ${path}.`, "Name a store's file, or a database.");
  // Each page of the file is read once or twice, so no cache is needed.
  const file = openFile(path, { mappedBytes: 0 });
  try {
    refuseUnfinished(readMeta(file.connection, unfinishedMoveKey), path);
    const document = readMeta(file.connection, "document");
    const tables = readMeta(file.connection, "tables");
    if (document === undefined || tables === undefined)
      throw new StoreRefused(`${path} is empty.`, "There is nothing to copy.");
    return Object.assign(new SqliteEnd(path, file), { is: { document, tables } });
  } catch (error) {
    file.close();
    throw storeErrorOf(error, path);
  }
}

/**
 * Opens a file as the target of a copy. It doesn't exist yet, is empty, or has an unfinished copy.
 * @throws StoreRefused
 */
export function openTarget(path: string): MoveTarget {
  if (path === inMemory)
    throw new StoreRefused("A store in memory ends with the command.", "Name a file, or a database.");
  const file = openFile(path, { mappedBytes: 0 });
  try {
    const document = readMeta(file.connection, "document");
    if (document !== undefined)
      throw new StoreRefused(
        `${path} is a store already, of "${document}".`,
        "Name one that doesn't exist, or delete this one first.",
      );
    // References may lead to rows that are copied later. They are checked at the end.
    file.connection.exec("PRAGMA foreign_keys = OFF");
    return new SqliteTarget(path, file);
  } catch (error) {
    file.close();
    throw storeErrorOf(error, path);
  }
}
