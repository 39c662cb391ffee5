/** PostgreSQL dialect for the statements of `../rows/`. */
import type { RowDialect } from "../../rows/row-dialect.ts";
import { quotedText } from "../../sql/fragment.ts";
import { decoderOf, encoderOf } from "./columns.ts";
import { deleteEventsPrefix, lastSequence } from "./event-log.ts";
import { codePoints } from "./forms.ts";
import { columnIdentifier, tableIdentifier } from "./names.ts";

export const postgresRowDialect: RowDialect = {
  table: tableIdentifier,
  column: columnIdentifier,
  encoderOf,
  decoderOf,
  limit: "LIMIT ?",
  reportsRow: ` RETURNING "#row"`,
  deleteEventsPrefix,
  lastSequence,
  // The server limits the time of statements itself.
  tick: "TRUE",
  updatesBy: "identifier",
  texts: (list) => `SELECT value FROM json_array_elements_text(${list}::json) AS listed (value)`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  items(json, path, alias) {
    const at = inside(json, path);
    const elements = `json_array_elements(CASE WHEN json_typeof(${at}) = 'array' THEN ${at} ELSE '[]' END)`;
    const values = `json_each(CASE WHEN json_typeof(${at}) = 'object' THEN ${at} ELSE '{}' END)`;
    return `LATERAL (SELECT value FROM ${elements} UNION ALL SELECT value FROM ${values}) AS ${alias}`;
  },
  refersTo({ name, storage, anyCase }) {
    const column = columnIdentifier(name);
    if (storage === "json") return `${column} #>> '{}' = ?::text`;
    return anyCase ? `lower(${column} ${codePoints}) = lower(?::text ${codePoints})` : `${column} = ?`;
  },
  isAt: (json, path) => `${json} #>> ${pathText(path)} = ?::text`,
};

function inside(json: string, path: readonly string[]): string {
  return path.length === 0 ? json : `(${json} #> ${pathText(path)})`;
}

function pathText(path: readonly string[]): string {
  const keys = path.map((key) => `"${key.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
  return quotedText(`{${keys.join(",")}}`);
}
