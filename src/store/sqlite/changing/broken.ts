/** How it is told that a record can't be what a stored change makes of it. */
import type { RecordValue } from "../../../expressions/value.ts";
import { quoted, quotedTable } from "../../sql/fragment.ts";
import type { Table } from "../../tables.ts";
import type { Connection } from "../connection.ts";
import { comparedColumns } from "../unique-columns.ts";

/** So many records that can't be are told. */
export const brokenMax = 5;

export function broken(resource: string, record: string, words: string): string {
  return `${resource} ${record}: ${words}`;
}

export function labelOf(record: RecordValue, { identifier }: Table): string {
  const texts = identifier.map((name) => String(record[name]));
  return texts.length > 0 ? texts.join(", ") : `in row ${record["#row"]}`;
}

/** Values of which there may be only one, and of which several records have the same now. */
export function repeats(table: Table, connection: Connection): readonly string[] {
  return table.uniques.flatMap((key) => {
    const columns = comparedColumns(table, key);
    const labels = table.identifier.length === 1 ? quoted(table.identifier[0] as string) : `"#row"`;
    const isThere = key.columns.map((name) => `${quoted(name)} IS NOT NULL`).join(" AND ");
    return connection
      .prepare(
        `SELECT count(*), group_concat(label, ', '), ${columns.map((_, at) => `c${at}`).join(", ")} FROM (SELECT ${labels} AS label, ${columns.map((column, at) => `${column} AS c${at}`).join(", ")} FROM ${quotedTable(table.name)} WHERE ${isThere} ORDER BY "#row") GROUP BY ${columns.map((_, at) => `c${at}`).join(", ")} HAVING count(*) > 1 LIMIT ${brokenMax}`,
      )
      .all([])
      .map(([, labels, ...values]) =>
        broken(
          table.name,
          String(labels),
          `${key.columns.join(" and ")} must be unique, and would be ${values.map((value) => JSON.stringify(value)).join(" and ")} in all of them`,
        ),
      );
  });
}
