/** SQLite dialect for migrations. */
import type { MigrationDialect } from "../../migrations/run/migration-dialect.ts";
import { quoted, quotedText } from "../../sql/fragment.ts";
import {
  columnDefinition,
  createIndex,
  createKeyIndex,
  createTable,
  createUnique,
  indexName,
  keyIndexName,
  literal,
  uniqueName,
} from "./ddl.ts";
import { sqliteDialect } from "./dialect.ts";
import { comparedDecimal } from "./unique-columns.ts";
import { sqliteRowDialect } from "./row-dialect.ts";
import type { Column } from "../../table.ts";

export const sqliteMigrationDialect: MigrationDialect = {
  ...sqliteRowDialect,
  dialect: sqliteDialect,
  copiesFirst: true,
  checksLastIndexFirst: true,
  wholeNumber: "INTEGER",
  text: "TEXT",
  named: quoted,
  createTable,
  columnDefinition,
  fillStatement: (table, column) =>
    column.fill === undefined
      ? undefined
      : `UPDATE ${sqliteRowDialect.table(table.name)} SET ${quoted(column.name)} = ${literal(column.fill, column)}`,
  literal,
  uniqueName,
  createUnique,
  indexName,
  createIndex,
  keyIndexName,
  createKeyIndex,
  compared,
  isSame: (column, identifies) => `${compared(column, identifies)} = ?`,
  isOther: (column, value) => `${quoted(column.name)} COLLATE BINARY <> ${literal(value, column)}`,
  isNotEmpty: (column) => `${column} IS NOT NULL AND ${column} NOT IN ('[]', '{}')`,
  renameTable: (from, to) => [`ALTER TABLE ${from} RENAME TO ${to}`],
  renameRates: () => [],
  forgetRates: () => [],
  lastRow: (called) =>
    `SELECT max(last) FROM (SELECT max("#row") AS last FROM ${called} UNION ALL SELECT seq FROM sqlite_sequence WHERE name = ${nameOf(called)})`,
  setLastRow: (called, last) => [
    `DELETE FROM sqlite_sequence WHERE name = ${nameOf(called)}`,
    ...(last > 0 ? [`INSERT INTO sqlite_sequence (name, seq) VALUES (${nameOf(called)}, ${last})`] : []),
  ],
};

function compared({ name, storage, anyCase }: Column, identifies: boolean): string {
  if (storage === "decimal" && !identifies) return comparedDecimal(quoted(name));
  return anyCase ? `${quoted(name)} COLLATE NOCASE` : quoted(name);
}

/** The unquoted name of an identifier. */
function nameOf(identifier: string): string {
  return quotedText(identifier.slice(1, -1).replaceAll('""', '"'));
}
