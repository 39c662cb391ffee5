/**
 * The SQL of this folder's statements that differs between databases. All other statements are
 * common to all.
 */
import type { Decode, Encode } from "../sql/form.ts";
import type { KeyOf } from "./keys.ts";
import type { Column, Storage } from "../table.ts";

export interface RowDialect {
  /** How the values of a column are written, with references as keys, and how they are read. */
  encoderOf(column: Column, keyOf: KeyOf): Encode;
  decoderOf(storage: Storage): Decode;
  /** The table of a resource, and the column of a field or of a value that the store adds, as identifiers. */
  table(resource: string): string;
  column(name: string): string;
  /** A `LIMIT` whose number is the next `?`. */
  readonly limit: string;
  /** The text after the `INSERT` of a record that returns its row number (`Answer.lastRow`). */
  readonly reportsRow: string;
  /** What a statement begins with that deletes events up to the number in its second `?`. */
  readonly forgetsEvents: string;
  /** A query for the number of the last event that was ever appended; no row, or 0, before the first. */
  readonly lastSequence: string;
  /** A condition that is always true and lets a statement be ended on its way. */
  readonly tick: string;
  /** A query for the texts of a JSON list, as `value`. */
  texts(list: string): string;
  /** A condition: the text contains the part. */
  contains(text: string, part: string): string;
  /** An item of a FROM: what stands in a list or under the keys of a map, as `alias.value`. `path` leads to it through objects. */
  items(json: string, path: readonly string[], alias: string): string;
  /** Whether a column that refers to records says the next `?`, the value of a key. */
  refersTo(column: Column): string;
  /** Whether what `path` leads to in JSON is the next `?`, the value of a key. */
  isAt(json: string, path: readonly string[]): string;
}
