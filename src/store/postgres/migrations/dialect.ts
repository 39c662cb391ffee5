/** PostgreSQL dialect for migrations. */
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
} from "../statements/ddl.ts";
import { postgresDialect } from "../statements/dialect.ts";
import { codePoints } from "../statements/forms.ts";
import { columnIdentifier, shortName } from "../statements/names.ts";
import { postgresRowDialect } from "../statements/row-dialect.ts";
import type { Column } from "../../table.ts";

export const postgresMigrationDialect: MigrationDialect = {
  ...postgresRowDialect,
  dialect: postgresDialect,
  copiesFirst: false,
  checksLastIndexFirst: false,
  wholeNumber: "bigint",
  text: `text ${codePoints}`,
  named: (name) => quoted(shortName(name)),
  createTable: (table, _, called) => createTable(table, called),
  columnDefinition,
  // A new column's default value applies to existing records, too.
  fillStatement: () => undefined,
  literal,
  uniqueName,
  createUnique,
  indexName,
  createIndex,
  keyIndexName,
  createKeyIndex,
  compared: (column, identifies) => compared(columnIdentifier(column.name), column, identifies),
  isSame(column, identifies) {
    const value = column.storage === "json" || column.anyCase ? "?::text" : "?";
    return `${compared(columnIdentifier(column.name), column, identifies)} = ${compared(value, column, identifies)}`;
  },
  isOther: (column, value) => `${asText(column)} <> ${literal(value, column)}`,
  isNotEmpty: (column) => `${column} IS NOT NULL AND (${column})::text NOT IN ('[]', '{}')`,
  renameTable: (from, to) => [
    `ALTER TABLE ${from} RENAME TO ${to}`,
    `ALTER INDEX IF EXISTS ${rowIndex(from)} RENAME TO ${rowIndex(to)}`,
  ],
  renameRates: (from, to) => [
    `UPDATE ninefold_rates SET key = regexp_replace(key, ${ratesOf(from)}, ${quotedText(` c${to} \\1`)}) WHERE key ~ ${ratesOf(from)}`,
  ],
  forgetRates: (resource) => [`DELETE FROM ninefold_rates WHERE key ~ ${ratesOf(resource)}`],
  lastRow: (called) =>
    `SELECT max(last) FROM (SELECT max("#row") AS last FROM ${called} UNION ALL SELECT pg_sequence_last_value(pg_get_serial_sequence(${quotedText(called)}, '#row')::regclass)) AS numbers`,
  setLastRow: (called, last) => [`ALTER TABLE ${called} ALTER COLUMN "#row" RESTART WITH ${last + 1}`],
};

/** A pattern of the keys of a resource's records (`engine/steps/limit.ts`): `all 9/1000/window cUser 1`. */
function ratesOf(resource: string): string {
  return quotedText(` c${resource} (\\d+)$`);
}

function compared(text: string, { storage, anyCase }: Column, identifies: boolean): string {
  if (storage === "json") return `((${text})::text)`;
  if (anyCase) return `lower(${text} ${codePoints})`;
  return storage === "decimal" && !identifies ? `((${text})::numeric)` : text;
}

/** The index of the row numbers, which PostgreSQL names after the table. */
function rowIndex(table: string): string {
  return quoted(shortName(`${table.slice(1, -1).replaceAll('""', '"')}_pkey`));
}

function asText({ name, storage }: Column): string {
  return storage === "json" ? `(${columnIdentifier(name)})::text` : columnIdentifier(name);
}
