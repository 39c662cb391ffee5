/** The SQL of PostgreSQL for changes of tables. */
import { run } from "../../migrations/run/steps.ts";
import type { MigrationDialect, Rebuilt } from "../../migrations/run/migration-dialect.ts";
import type { Steps } from "../../rows/steps.ts";
import { quoted, quotedText } from "../../sql/fragment.ts";
import { type Column, jointKeyColumn, type Storage } from "../../tables.ts";
import { columnType } from "../columns.ts";
import {
  columnDefinition,
  createIndex,
  createKeyIndex,
  createTable,
  createUnique,
  indexName,
  keyDefinition,
  keyIndexName,
  literal,
  markColumn,
  uniqueName,
} from "../ddl.ts";
import { postgresDialect } from "../dialect.ts";
import { codePoints } from "../forms.ts";
import { columnIdentifier, shortName, tableIdentifier } from "../names.ts";
import { postgresRowDialect } from "../row-dialect.ts";

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
  keyDefinition,
  // Records that are there have the default of a new column.
  filling: () => undefined,
  literal,
  uniqueName,
  createUnique,
  indexName,
  createIndex,
  keyIndexName,
  createKeyIndex,
  compared(column, identifies) {
    const name = columnIdentifier(column.name);
    if (column.storage === "json") return `((${name})::text)`;
    if (column.anyCase) return `lower(${name} ${codePoints})`;
    return column.storage === "decimal" && !identifies ? `((${name})::numeric)` : name;
  },
  isSame(column) {
    const name = columnIdentifier(column.name);
    if (column.storage === "json") return `(${name})::text = ?::text`;
    return column.anyCase ? `lower(${name} ${codePoints}) = lower(?::text ${codePoints})` : `${name} = ?`;
  },
  isOther: (column, value) => `${asText(column)} <> ${literal(value, column)}`,
  becameOther,
  keepOutside: (from, kept, columns) => [
    `CREATE TABLE ${kept} AS SELECT ${[`"#row"`, ...columns].join(", ")} FROM ${from}`,
    `ALTER TABLE ${kept} ADD PRIMARY KEY ("#row")`,
    `ANALYZE ${kept}`,
  ],
  holdsSomething: (column) => `${column} IS NOT NULL AND (${column})::text NOT IN ('[]', '{}')`,
  lastRow: (called) =>
    `SELECT max(last) FROM (SELECT max("#row") AS last FROM ${called} UNION ALL SELECT pg_sequence_last_value(pg_get_serial_sequence(${quotedText(called)}, '#row')::regclass)) AS numbers`,
  setLastRow: (called, last) => [`ALTER TABLE ${called} ALTER COLUMN "#row" RESTART WITH ${last + 1}`],
  rebuild,
};

function asText({ name, storage }: Column): string {
  return storage === "json" ? `(${columnIdentifier(name)})::text` : columnIdentifier(name);
}

const numbers: ReadonlySet<Storage> = new Set(["integer", "number", "duration", "boolean"]);

function becameOther(was: string, column: Column, now: string, became: Column): string {
  const before = `${was}.${columnIdentifier(column.name)}`;
  const after = `${now}.${columnIdentifier(became.name)}`;
  if (numbers.has(column.storage) !== numbers.has(became.storage))
    return `(${before} IS NOT NULL OR ${after} IS NOT NULL)`;
  if (column.storage !== "json" && columnType(column.storage) === columnType(became.storage))
    return `${before} IS DISTINCT FROM ${after}`;
  return `${converted(before, column.storage, "text")} IS DISTINCT FROM ${converted(after, became.storage, "text")}`;
}

/** All that is to be done to the columns in one go: where their form changes, the table is written once. */
function* rebuild({ before, table, kept, wasMarked }: Rebuilt): Steps<void> {
  const actions: string[] = [];
  const stays = (name: string): boolean =>
    kept.includes(name) && table.columns.some((one) => one.name === name);
  for (const column of before.columns) {
    const name = columnIdentifier(column.name);
    const now = table.columns.find((one) => one.name === column.name);
    if (!now || !stays(column.name)) actions.push(`DROP COLUMN ${name}`);
    else if (columnType(now.storage) !== columnType(column.storage))
      actions.push(
        `ALTER COLUMN ${name} TYPE ${columnType(now.storage)} USING ${converted(name, column.storage, now.storage)}`,
      );
  }
  for (const column of table.columns)
    if (!stays(column.name) || !before.columns.some(({ name }) => name === column.name))
      actions.push(`ADD COLUMN ${columnDefinition(column)}`);
  if (before.key && !table.key) actions.push(`DROP COLUMN ${columnIdentifier(jointKeyColumn)}`);
  if (!before.key && table.key) actions.push(`ADD COLUMN ${keyDefinition}`);
  if (wasMarked && !table.marked) actions.push(`DROP COLUMN "#deleted"`);
  if (!wasMarked && table.marked) actions.push(`ADD COLUMN ${markColumn}`);
  if (actions.length > 0) yield* run(`ALTER TABLE ${tableIdentifier(table.name)} ${actions.join(", ")}`);
}

/** Values that were stored in another form, in the notation's form. */
function converted(name: string, from: Storage, to: Storage): string {
  if (to === "text" && from === "timestamp")
    return `to_char(${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  if (to === "text" && from === "date") return `to_char(${name}, 'YYYY-MM-DD')`;
  return `(${name})::${columnType(to)}`;
}
