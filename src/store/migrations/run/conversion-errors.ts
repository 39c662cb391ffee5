/** Messages for records that a stored change can't convert. */
import type { RecordValue } from "../../../expressions/value.ts";
import type { Steps } from "../../rows/steps.ts";
import { allOf } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import type { Column, Table, UniqueKey } from "../../table.ts";

/** The maximum number of listed records. */
export const brokenMax = 5;

export function violationText(resource: string, record: string, words: string): string {
  return `${resource} ${record}: ${words}`;
}

export function labelOf(record: RecordValue, { identifier }: Table): string {
  const texts = identifier.map((name) => String(record[name]));
  return texts.length > 0 ? texts.join(", ") : `in row ${record["#row"]}`;
}

/** Unique values that several records now share. */
export function* duplicateValues(
  table: Table,
  keys: readonly UniqueKey[],
  words: MigrationDialect,
): Steps<readonly string[]> {
  const reported: string[] = [];
  for (const key of keys) reported.push(...(yield* repeatsOf(table, key, words)));
  return reported;
}

function* repeatsOf(table: Table, key: UniqueKey, words: MigrationDialect): Steps<readonly string[]> {
  const columns = key.columns.map((name) => table.columns.find((column) => column.name === name) as Column);
  const [identifier] = table.identifier;
  const label =
    table.identifier.length === 1 && identifier !== undefined ? words.column(identifier) : `"#row"`;
  const isThere = key.columns.map((name) => `${words.column(name)} IS NOT NULL`).join(" AND ");
  const compared = columns.map((column) => words.compared(column, key.identifier));
  const labels = `string_agg(CAST(${label} AS TEXT), ', ' ORDER BY "#row")`;
  const rows = yield* allOf(
    `SELECT ${labels}, ${compared.join(", ")} FROM ${words.table(table.name)} WHERE ${isThere} GROUP BY ${compared.join(", ")} HAVING count(*) > 1 LIMIT ${brokenMax}`,
  );
  const decoders = columns.map(({ storage }) => words.decoderOf(storage));
  return rows.map(([labels, ...values]) => {
    const shown = values.map((value, at) => JSON.stringify(decoders[at]?.(value as never) ?? null));
    return violationText(
      table.name,
      String(labels),
      `${key.columns.join(" and ")} must be unique, and would be ${shown.join(" and ")} in all of them`,
    );
  });
}
