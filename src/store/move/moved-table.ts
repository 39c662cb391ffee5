/**
 * Moved tables: the tables that a move copies, and how it reads them. Every table is read page by
 * page, in the order of its key, so that an interrupted move resumes after the last copied row. It
 * is independent of the database.
 */
import { createHash } from "node:crypto";
import type { RowDialect } from "../rows/row-dialect.ts";
import { quoted } from "../sql/fragment.ts";
import { jointKeyColumn } from "../tables.ts";
import type { Table, Storage } from "../table.ts";
import type { SqlValue } from "../sql/sql-value.ts";

export interface MovedColumn {
  readonly name: string;
  readonly storage: Storage;
}

export interface MovedTable {
  /** The resource, or the name of the engine's own table. */
  readonly name: string;
  /** Whether it is one of the engine's own. */
  readonly isOwn: boolean;
  readonly columns: readonly MovedColumn[];
  /** The columns that identify and order its rows. */
  readonly key: readonly string[];
  /** The column whose numbers the database assigns, each once. */
  readonly counted: string | undefined;
}

/**
 * A value in transit between two databases: text, number, boolean or null; moments in the
 * notation's form, JSON as its text.
 */
export type MovedValue = string | number | boolean | null;
export type MovedRow = readonly MovedValue[];

interface OwnMoved extends Pick<MovedTable, "name" | "key" | "counted"> {
  /** Columns that name the process at work on a row: null in a copy. */
  readonly left?: readonly string[];
}

/** The engine's own tables that are copied. Which documents and tables a store has is written again. */
export const movedSystemTables: readonly OwnMoved[] = [
  { name: "ninefold_settings", key: ["name"], counted: undefined },
  { name: "ninefold_sequences", key: ["name", "within"], counted: undefined },
  { name: "ninefold_changes", key: ["place"], counted: "place" },
  { name: "ninefold_events", key: ["sequence"], counted: "sequence" },
  {
    name: "ninefold_deliveries",
    key: ["number"],
    counted: "number",
    left: ["lease_until", "fence", "revision"],
  },
  { name: "ninefold_attempts", key: ["delivery", "number"], counted: undefined },
  { name: "ninefold_receivers", key: ["channel", "resource", "row"], counted: undefined },
  { name: "ninefold_timers", key: ["resource", "row", "transition", "end"], counted: undefined },
  { name: "ninefold_idempotency", key: ["scope", "key"], counted: undefined },
];

/** A resource's table, with the columns that accompany its fields. */
export function movedRecords(table: Table): MovedTable {
  const columns: MovedColumn[] = [
    { name: "#row", storage: "integer" },
    ...table.columns.map(({ name, storage }) => ({ name, storage })),
    ...(table.key ? [{ name: jointKeyColumn, storage: "text" } as const] : []),
    { name: "#revision", storage: "integer" },
    ...(table.marked ? [{ name: "#deleted", storage: "boolean" } as const] : []),
  ];
  return { name: table.name, isOwn: false, columns, key: ["#row"], counted: "#row" };
}

/** How a database names tables and columns. */
export type Names = Pick<RowDialect, "table" | "column">;

export function tableIn({ name, isOwn }: MovedTable, names: Names): string {
  return isOwn ? quoted(name) : names.table(name);
}

function columnIn(column: string, { isOwn }: MovedTable, names: Names): string {
  return isOwn ? quoted(column) : names.column(column);
}

export function columnsIn(table: MovedTable, names: Names): readonly string[] {
  return table.columns.map(({ name }) => columnIn(name, table, names));
}

// ── Pages ───────────────────────────────────────────────────────────────────────────────────────

/** A page has at most so many rows, and ends once its texts exceed so many bytes. */
const pageRowsMax = 2_000;
const pageBytesMax = 4 * 1024 * 1024;

/** The next rows of a table: after the position given as parameters, or from the first one. */
export function pageStatement(table: MovedTable, names: Names, isBehind: boolean): string {
  const columns = columnsIn(table, names).join(", ");
  const keys = table.key.map((name) => columnIn(name, table, names));
  const order = keys.join(", ");
  const where = isBehind ? ` WHERE (${order}) > (${keys.map(() => "?").join(", ")})` : "";
  const rows = (more: string) =>
    `SELECT ${columns}${more} FROM ${tableIn(table, names)}${where} ORDER BY ${order} LIMIT ${pageRowsMax}`;
  const texts = table.columns.filter(({ storage }) => lengths.has(storage));
  if (texts.length === 0) return rows("");
  const size = texts
    .map(({ name }) => `coalesce(octet_length(CAST(${columnIn(name, table, names)} AS text)), 0)`)
    .join(" + ");
  const before = `sum("#size") OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "#before"`;
  return `SELECT ${columns} FROM (SELECT ${columns}, ${before} FROM (${rows(`, ${size} AS "#size"`)}) AS page) AS sized
    WHERE coalesce("#before", 0) < ${pageBytesMax} ORDER BY ${order}`;
}

/** Values of any length. */
const lengths: ReadonlySet<Storage> = new Set(["text", "json", "decimal"]);

/** The position after which the next page starts. */
export function rowPosition(table: MovedTable, row: MovedRow): readonly SqlValue[] {
  return table.key.map((name) => row[table.columns.findIndex((column) => column.name === name)] as SqlValue);
}

/** The position of the last row. */
export function lastPositionStatement(table: MovedTable, names: Names): string {
  const keys = table.key.map((name) => columnIn(name, table, names));
  return `SELECT ${keys.join(", ")} FROM ${tableIn(table, names)} ORDER BY ${keys.map((key) => `${key} DESC`).join(", ")} LIMIT 1`;
}

// ── Comparing ───────────────────────────────────────────────────────────────────────────────────

/**
 * A digest of a table: the same number of rows with the same values in the same order give the same
 * digest.
 */
export interface Digest {
  readonly rows: number;
  readonly hash: string;
}

export async function digestOf(pages: AsyncIterable<readonly MovedRow[]>): Promise<Digest> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const page of pages) {
    rows += page.length;
    hash.update(page.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  return { rows, hash: hash.digest("hex") };
}
