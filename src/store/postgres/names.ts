/** Names as PostgreSQL takes them: at most 63 bytes, and none that it keeps for columns of its own. */
import { createHash } from "node:crypto";
import { quoted, tableName } from "../sql/fragment.ts";

/** PostgreSQL truncates longer names, with only a notice. */
const bytesMax = 63;
/** So much of a longer name stays readable; with `~` and the hash it is as long as it may be. */
const bytesKept = 50;
const hashLength = 12;

/** Every table has these already. */
const systemColumns: ReadonlySet<string> = new Set(["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]);

/** A name within the limit: a longer one becomes its beginning and a hash that distinguishes it. */
export function shortName(name: string): string {
  if (Buffer.byteLength(name) <= bytesMax) return name;
  let kept = "";
  for (const character of name) {
    if (Buffer.byteLength(kept + character) > bytesKept) break;
    kept += character;
  }
  const hash = createHash("sha256").update(name).digest("hex").slice(0, hashLength);
  return `${kept}~${hash}`;
}

/** The table of a resource, as an identifier. */
export function tableIdentifier(resource: string): string {
  return quoted(shortName(tableName(resource)));
}

/** A field's column, as an identifier. */
export function columnIdentifier(name: string): string {
  return quoted(columnName(name));
}

/** The name as the database has it. */
export function columnName(name: string): string {
  return systemColumns.has(name) ? `field ${name}` : shortName(name);
}
