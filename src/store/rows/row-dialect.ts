/** Row dialect: what differs between databases in the SQL of this folder's statements. */
import type { Decode, Encode } from "../sql/form.ts";
import type { KeyOf } from "./keys.ts";
import type { Column, Storage } from "../table.ts";

export interface RowDialect {
  /** Encodes the values of a column, with references as keys, and decodes them. */
  encoderOf(column: Column, keyOf: KeyOf): Encode;
  decoderOf(storage: Storage): Decode;
  /** The identifiers of a resource's table, and of the column of a field or a hidden value. */
  table(resource: string): string;
  column(name: string): string;
  /** A `LIMIT` with the next `?`. */
  readonly limit: string;
  /** The end of an `INSERT` of a record that returns its row number (`Answer.lastRow`). */
  readonly reportsRow: string;
  /** The start of the statement that deletes events up to the number in its second `?`. */
  readonly deleteEventsPrefix: string;
  /**
   * A query for the number of the last event, even if it was deleted. No row, or 0, before the
   * first event.
   */
  readonly lastSequence: string;
  /** A condition that is always true, and lets the caller interrupt the statement. */
  readonly tick: string;
  /**
   * The index by which an update finds its record. Two serializable transactions of PostgreSQL
   * conflict if both read by an index and change neighbouring entries of it: row numbers of new
   * records are neighbours, most identifiers aren't.
   */
  readonly updatesBy: "row" | "identifier";
  /** A query for the texts of a JSON list, in the column `value`. */
  texts(list: string): string;
  /** A condition: the text contains the part. */
  contains(text: string, part: string): string;
  /**
   * An item of a FROM that iterates over a list or the values of a map, in `alias.value`.
   * @param path the keys of the objects that lead to the list or map
   */
  items(json: string, path: readonly string[], alias: string): string;
  /** A condition: a reference column equals the key in the next `?`. */
  refersTo(column: Column): string;
  /** A condition: the JSON at a path equals the key in the next `?`. */
  isAt(json: string, path: readonly string[]): string;
}
