/**
 * DDL of SQLite: the statements that create tables, columns and indexes. This file doesn't run
 * them.
 */
import type { Json } from "../../../support/json.ts";
import { mayDangle } from "../../rows/unenforced-references.ts";
import { jointKeyColumn, keyColumn, type Tables } from "../../tables.ts";
import {
  attemptsTable,
  changesTable,
  type ColumnWords,
  createOrderedIndex,
  deliveryTables,
  ownTables,
  timersByResource,
} from "../../rows/own-tables.ts";
import { uniqueIndexColumns } from "./unique-columns.ts";
import { quoted, quotedTable, tableName } from "../../sql/fragment.ts";
import type { Column, Index, Table, Storage, UniqueKey } from "../../table.ts";

/** @param called the identifier of the new table, if it differs from the table's own */
export function createTable(table: Table, tables: Tables, called: string = quotedTable(table.name)): string {
  const lines = [
    // AUTOINCREMENT: the number of a deleted record is never used again, because numbers are in
    // order of creation.
    `"#row" INTEGER PRIMARY KEY AUTOINCREMENT`,
    ...table.columns.map((column) => columnDefinition(column, table, tables)),
    ...(table.key ? [keyDefinition] : []),
    `"#revision" INTEGER NOT NULL DEFAULT 1`,
    ...(table.marked ? [`"#deleted" INTEGER NOT NULL DEFAULT 0`] : []),
  ];
  return `CREATE TABLE ${called} (\n  ${lines.join(",\n  ")}\n) STRICT`;
}

/** The definition of the joint key column, which combines several identifying columns. */
const keyDefinition = `${quoted(jointKeyColumn)} TEXT`;

/** The type of a column of a STRICT table. */
function columnType(storage: Storage): "TEXT" | "INTEGER" | "REAL" {
  switch (storage) {
    case "integer":
    case "boolean":
    case "duration":
      return "INTEGER";
    case "number":
      return "REAL";
    default:
      return "TEXT";
  }
}

/** The definition of a column for `CREATE TABLE` and `ALTER TABLE … ADD COLUMN`. */
export function columnDefinition(column: Column, table: Table, tables: Tables): string {
  const words = [quoted(column.name), columnType(column.storage)];
  if (column.storage === "boolean") words.push(`CHECK (${quoted(column.name)} IN (0, 1))`);
  if (column.anyCase) words.push("COLLATE NOCASE");
  if (hasForeignKey(column, table, tables)) {
    words.push(
      `REFERENCES ${quotedTable(column.refersTo?.resource as string)} (${quoted(column.refersTo?.field as string)})`,
    );
  }
  return words.join(" ");
}

/**
 * Whether a foreign key enforces the reference.
 *
 * Foreign keys are checked immediately, and not at the commit, which belongs to other requests as
 * well. A record that is only marked as deleted keeps its reference when the target is deleted, so
 * the reference dangles.
 */
export function hasForeignKey(column: Column, table: Table, tables: Tables): boolean {
  const target = tables.tables.find((candidate) => candidate.name === column.refersTo?.resource);
  if (!target || !isStored(target, column.refersTo?.field)) return false;
  return !mayDangle(table, column, tables);
}

function isStored(table: Table, field: string | undefined): boolean {
  return table.key ? field === keyColumn(table) : table.columns.some((column) => column.name === field);
}

/** The name of a unique index. */
export function uniqueName(table: Table, key: UniqueKey): string {
  return `${tableName(table.name)} unique ${key.columns.join(", ")}`;
}

/** The statement that creates the unique index of a key. */
export function createUnique(table: Table, key: UniqueKey): string {
  const columns = uniqueIndexColumns(table, key).join(", ");
  return `CREATE UNIQUE INDEX ${quoted(uniqueName(table, key))} ON ${quotedTable(table.name)} (${columns})`;
}

export function keyIndexName(table: Table): string {
  return `${tableName(table.name)} key`;
}

/**
 * The unique index of the joint key, which foreign keys require. It is needed for several
 * identifying columns.
 */
export function createKeyIndex(table: Table): string {
  return `CREATE UNIQUE INDEX ${quoted(keyIndexName(table))} ON ${quotedTable(table.name)} (${quoted(jointKeyColumn)})`;
}

/** The name of an index, which contains its columns and their directions. */
export function indexName(table: Table, index: Index): string {
  return `${tableName(table.name)} by ${index.columns.map((column) => (column.descending ? `${column.name} down` : column.name)).join(", ")}`;
}

/** The statement that creates an index. */
export function createIndex(table: Table, index: Index): string {
  const columns = index.columns.map((column) =>
    column.descending ? `${quoted(column.name)} DESC` : quoted(column.name),
  );
  return `CREATE INDEX ${quoted(indexName(table, index))} ON ${quotedTable(table.name)} (${columns.join(", ")})`;
}

/** A plain value as an SQL literal. */
export function literal(value: Json, column: Column): string {
  if (value === null) return "NULL";
  if (column.storage === "json") return text(JSON.stringify(value));
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "number") return String(value);
  return text(typeof value === "string" ? value : JSON.stringify(value));
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

const columnWords: ColumnWords = {
  counted: "INTEGER PRIMARY KEY AUTOINCREMENT",
  key: "INTEGER PRIMARY KEY",
  integer: "INTEGER",
  text: "TEXT",
  plain: " STRICT",
  keyed: " STRICT, WITHOUT ROWID",
  indexesHaveKey: true,
};

/**
 * Upgrades of the engine's own tables from a format to the next one, by the number of the older
 * format.
 */
export const systemUpgrades: Readonly<Record<number, readonly string[]>> = {
  1: [
    ...deliveryTables(columnWords),
    createOrderedIndex(timersByResource, columnWords),
    "ALTER TABLE ninefold_events ADD COLUMN record TEXT",
  ],
  2: [attemptsTable(columnWords)],
  3: [changesTable(columnWords)],
};

/** The engine's own tables. */
export const systemTables: readonly string[] = ownTables(columnWords);
