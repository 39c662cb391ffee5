/** Record decoding: whole records from rows. */
import type { Vocabulary } from "../../expressions/scope.ts";
import { types } from "../../expressions/type.ts";
import type { RecordDraft, RecordValue, Value } from "../../expressions/value.ts";
import { type ValueCodec, decoderOf } from "./form.ts";
import type { Table } from "../table.ts";

/** The columns of a record, in the order in which `recordDecoder` reads them. */
export function recordColumns(table: Table): readonly string[] {
  const hidden = table.marked ? ["#row", "#revision", "#deleted"] : ["#row", "#revision"];
  return [...hidden, ...table.columns.map((column) => column.name)];
}

/** The decoder of a record from a row with the columns of `recordColumns`. */
export function recordDecoder(
  table: Table,
  words: Vocabulary,
  dialect: ValueCodec,
): (row: readonly unknown[]) => RecordValue {
  const fields = words.resource(table.name)?.fields;
  const columns = recordColumns(table);
  const decoders = columns.map((name) => {
    if (name === "#row" || name === "#revision") return decoderOf(types.integer, words, dialect);
    const type = name === "#deleted" ? types.boolean : (fields?.get(name)?.type ?? types.any);
    return decoderOf(type, words, dialect);
  });
  return (row) => {
    const record: RecordDraft = { "#row": 0, "#revision": 0 };
    for (let at = 0; at < columns.length; at += 1) {
      record[columns[at] as string] = (decoders[at] as (stored: unknown) => Value)(row[at]);
    }
    return record;
  };
}
