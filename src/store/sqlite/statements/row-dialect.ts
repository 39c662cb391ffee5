/** SQLite dialect for the statements of `../rows/`. */
import { quoted, quotedTable, quotedText } from "../../sql/fragment.ts";
import type { RowDialect } from "../../rows/row-dialect.ts";
import { boundLimit } from "./bound-limit.ts";
import { decoderOf, encoderOf } from "./columns.ts";
import { tickFunction } from "../connection/time-bound.ts";

export const sqliteRowDialect: RowDialect = {
  encoderOf,
  decoderOf,
  table: quotedTable,
  column: quoted,
  limit: boundLimit,
  // SQLite returns the row number without a query.
  reportsRow: "",
  deleteEventsPrefix: "",
  lastSequence: `SELECT seq FROM sqlite_sequence WHERE name = 'ninefold_events'`,
  tick: `${tickFunction}(1)`,
  updatesBy: "row",
  texts: (list) => `SELECT value FROM json_each(${list})`,
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  items: (json, path, alias) => `json_each(${json}, ${pathText(path)}) AS ${alias}`,
  // Columns have their own collation.
  refersTo: (column) => `${quoted(column.name)} = ?`,
  isAt: (json, path) => (path.length === 0 ? `${json} = ?` : `json_extract(${json}, ${pathText(path)}) = ?`),
};

function pathText(path: readonly string[]): string {
  return quotedText(`$${path.map((name) => `.${JSON.stringify(name)}`).join("")}`);
}
