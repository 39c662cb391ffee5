/**
 * What of a store goes along when it is moved into another one, and how it is asked for: every table a page at a time, in the order of its
 * key, so that whoever was interrupted goes on behind the last row that is there. Nothing here knows a database.
 */
import { createHash } from "node:crypto";
import type { Words } from "../rows/words.ts";
import { quoted, type SqlValue } from "../sql/fragment.ts";
import { jointKeyColumn, type Storage, type Table } from "../tables.ts";

export interface MovedColumn {
  readonly name: string;
  readonly storage: Storage;
}

export interface MovedTable {
  /** The resource, or the engine's own table by its name. */
  readonly name: string;
  /** The engine's own. */
  readonly isOwn: boolean;
  readonly columns: readonly MovedColumn[];
  /** The columns that its rows are told apart and ordered by. */
  readonly key: readonly string[];
  /** The column whose numbers the database gives, none of them twice. */
  readonly counted: string | undefined;
}

/** A value as it stands between two databases: text, number, truth or nothing; moments in the language's form, JSON as its text. */
export type MovedValue = string | number | boolean | null;
export type MovedRow = readonly MovedValue[];

interface OwnMoved extends Pick<MovedTable, "name" | "key" | "counted"> {
  /** Columns that say who is at work on a row just now: nobody, in a copy. */
  readonly left?: readonly string[];
}

/** The engine's own tables that go along. Which documents and tables a store has is written anew. */
export const ownMoved: readonly OwnMoved[] = [
  { name: "ninefold_settings", key: ["name"], counted: undefined },
  { name: "ninefold_sequences", key: ["name", "within"], counted: undefined },
  { name: "ninefold_changes", key: ["place"], counted: "place" },
  { name: "ninefold_events", key: ["sequence"], counted: "sequence" },
  { name: "ninefold_deliveries", key: ["number"], counted: "number", left: ["lease_until", "fence"] },
  { name: "ninefold_attempts", key: ["delivery", "number"], counted: undefined },
  { name: "ninefold_receivers", key: ["channel", "resource", "row"], counted: undefined },
  { name: "ninefold_timers", key: ["resource", "row", "transition", "end"], counted: undefined },
  { name: "ninefold_idempotency", key: ["scope", "key"], counted: undefined },
];

/** A resource's table, with what stands beside its fields. */
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
export type Names = Pick<Words, "table" | "column">;

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

/** A page has at most so many rows, and no further one when its texts have come to so many bytes. */
const pageRowsMax = 2_000;
const pageBytesMax = 4 * 1024 * 1024;

/** The next rows of a table: behind the place whose values are its parameters, or from the first one. */
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

/** What may be of any length. */
const lengths: ReadonlySet<Storage> = new Set(["text", "json", "decimal"]);

/** The place behind which the next page begins. */
export function placeOfRow(table: MovedTable, row: MovedRow): readonly SqlValue[] {
  return table.key.map((name) => row[table.columns.findIndex((column) => column.name === name)] as SqlValue);
}

/** The place of the last row that there is. */
export function lastPlaceStatement(table: MovedTable, names: Names): string {
  const keys = table.key.map((name) => columnIn(name, table, names));
  return `SELECT ${keys.join(", ")} FROM ${tableIn(table, names)} ORDER BY ${keys.map((key) => `${key} DESC`).join(", ")} LIMIT 1`;
}

// ── Comparing ───────────────────────────────────────────────────────────────────────────────────

/** What a table holds, in short: as many rows, with the same values in the same order, give the same. */
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
