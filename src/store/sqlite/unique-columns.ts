/**
 * What a unique index compares. Equal decimals have several texts (`12.5`, `12.50`), so they are
 * compared without trailing zeros. Identifying decimals are stored normalised, and foreign keys
 * need them as they are.
 */
import { quoted } from "../sql/fragment.ts";
import type { Table, UniqueKey } from "../table.ts";

/** The columns of a key, as they stand in `CREATE UNIQUE INDEX` and `GROUP BY`. */
export function comparedColumns(table: Table, key: UniqueKey): readonly string[] {
  return key.columns.map((name) =>
    !key.identifier && isDecimal(table, name) ? comparedDecimal(quoted(name)) : quoted(name),
  );
}

/** Whether the index is on an expression: SQLite then names the index, not the columns, when it is breached. */
export function isOnExpression(table: Table, key: UniqueKey): boolean {
  return !key.identifier && key.columns.some((name) => isDecimal(table, name));
}

/** By functions of SQLite's own: with `trusted_schema` off, an index can't be made of others. */
export function comparedDecimal(column: string): string {
  return `CASE WHEN instr(${column}, '.') THEN rtrim(rtrim(${column}, '0'), '.') ELSE ${column} END`;
}

function isDecimal(table: Table, name: string): boolean {
  return table.columns.some((column) => column.name === name && column.storage === "decimal");
}
