/**
 * Columns of a unique index, as it compares them.
 *
 * Equal decimals have several texts (`12.5`, `12.50`), so they are compared without trailing zeros.
 * Identifying decimals are stored normalised, and foreign keys need them unchanged.
 */
import { quoted } from "../../sql/fragment.ts";
import type { Table, UniqueKey } from "../../table.ts";

/** The columns of a key, for `CREATE UNIQUE INDEX` and `GROUP BY`. */
export function uniqueIndexColumns(table: Table, key: UniqueKey): readonly string[] {
  return key.columns.map((name) =>
    !key.identifier && isDecimal(table, name) ? comparedDecimal(quoted(name)) : quoted(name),
  );
}

/**
 * Whether the index is on an expression. SQLite then reports a violation with the index, and not
 * with the columns.
 */
export function isOnExpression(table: Table, key: UniqueKey): boolean {
  return !key.identifier && key.columns.some((name) => isDecimal(table, name));
}

/**
 * Uses only SQLite's own functions, because an index can't use others with `trusted_schema` off.
 */
export function comparedDecimal(column: string): string {
  return `CASE WHEN instr(${column}, '.') THEN rtrim(rtrim(${column}, '0'), '.') ELSE ${column} END`;
}

function isDecimal(table: Table, name: string): boolean {
  return table.columns.some((column) => column.name === name && column.storage === "decimal");
}
