/** Identifiers in PostgreSQL: at most 63 bytes, and different from the system columns. */
import { createHash } from "node:crypto";
import { quoted, tableName } from "../../sql/fragment.ts";

/** PostgreSQL truncates longer names with only a notice. */
const bytesMax = 63;
/**
 * The number of bytes of a longer name that are kept. With `~` and the hash, it has the maximum
 * length.
 */
const bytesKept = 50;
const hashLength = 12;

/** Columns that PostgreSQL adds to every table. */
const systemColumns: ReadonlySet<string> = new Set(["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]);

/**
 * Shortens a name to the limit: a longer one becomes its beginning and a hash, which distinguishes
 * it.
 */
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

/** The identifier of a resource's table. */
export function tableIdentifier(resource: string): string {
  return quoted(shortName(tableName(resource)));
}

/** The identifier of a field's column. */
export function columnIdentifier(name: string): string {
  return quoted(columnName(name));
}

/** The unquoted name of a field's column. */
export function columnName(name: string): string {
  return systemColumns.has(name) ? `field ${name}` : shortName(name);
}
