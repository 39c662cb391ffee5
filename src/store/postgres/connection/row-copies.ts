/**
 * COPY format: rows as the text of PostgreSQL's COPY. A row is a line, tabs separate values, and
 * `\N` is null.
 */
import { StoreRefused } from "../../errors.ts";
import type { MovedRow, MovedTable, MovedValue } from "../../move/moved-table.ts";

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Formats rows for COPY.
 * @throws StoreRefused if a text contains a character that PostgreSQL can't store
 */
export function copiedRows(table: MovedTable, rows: readonly MovedRow[]): string {
  return rows.map((row) => `${row.map((value, at) => copied(value, table, row, at)).join("\t")}\n`).join("");
}

function copied(value: MovedValue, table: MovedTable, row: MovedRow, at: number): string {
  if (value === null) return "\\N";
  if (typeof value === "boolean") return value ? "t" : "f";
  if (typeof value === "number") return String(value);
  if (value.includes("\0")) throw withNothing(table, row, at);
  return /[\\\n\r\t]/.test(value) ? value.replace(/[\\\n\r\t]/g, (found) => escapes[found] as string) : value;
}

function withNothing({ name, columns, key }: MovedTable, row: MovedRow, at: number): StoreRefused {
  const place = key.map((text) => row[columns.findIndex((column) => column.name === text)]).join(", ");
  return new StoreRefused(
    `${name}.${columns[at]?.name} in row ${place} has the character U+0000, which PostgreSQL can't store.`,
    "Change that record first (ninefold data edit), then run the same command again.",
  );
}
