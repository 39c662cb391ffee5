/**
 * Iterates the records of a table as they were before a stored change, with the names of their
 * fields at the time of reading and after the step.
 */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import { recordDecoder } from "../../rows/records.ts";
import { all, type Steps } from "../../rows/steps.ts";
import { recordColumns } from "../../sql/decode.ts";
import { readJson } from "../../sql/form.ts";
import { insideChanged } from "./inside.ts";
import { sliceLength } from "./steps.ts";
import type { Work } from "./work.ts";

export interface OldRecord {
  readonly old: RecordValue;
  /** The results of the subqueries, by number, for each of the table's `For each` in order. */
  readonly results: readonly (readonly Value[])[];
}

/** The names of the table (as an identifier) and of its columns at the time of reading. */
export interface CurrentNames {
  readonly table: string;
  column(name: string): string;
}

export const asBefore = ({ before }: TableChange, { words }: Work): CurrentNames => ({
  table: words.table(before.name),
  column: (name) => name,
});

/** The names of the columns after the step. */
export function columnsAfter({ columns }: TableChange): CurrentNames["column"] {
  const called = new Map(columns.map(({ from, to }) => [from, to]));
  return (name) => called.get(name) ?? name;
}

/**
 * In the order of creation, read slice by slice.
 * @param answers the temporary table with the query results, as an identifier
 */
export function* eachOldRecord(
  { before }: TableChange,
  called: CurrentNames,
  answers: string | undefined,
  { words, onRecords }: Work,
  visit: (former: OldRecord) => Steps<void>,
): Steps<void> {
  const decode = recordDecoder(before, words);
  const hidden = before.marked ? 3 : 2;
  const names = recordColumns(before).map(
    (column, at) => `t.${words.column(at < hidden ? column : called.column(column))}`,
  );
  const answered = answers === undefined ? "" : ` LEFT JOIN ${answers} AS a ON a.row = t."#row"`;
  const slice = {
    sql: `SELECT ${names.join(", ")}${answers === undefined ? "" : ", a.results"} FROM ${called.table} AS t${answered} WHERE t."#row" > ? ORDER BY t."#row" LIMIT ${sliceLength}`,
  };
  for (let last = 0; ; ) {
    const { rows } = yield all(slice, [last]);
    for (const row of rows) {
      const text = answers === undefined ? null : (row[names.length] as string | null);
      const results = text === null ? [] : (readJson(text) as OldRecord["results"]);
      const old = decode(row);
      yield* visit({ old, results });
      last = old["#row"];
    }
    if (rows.length > 0) onRecords(rows.length);
    if (rows.length < sliceLength) return;
  }
}

/** The record with the fields that the step keeps, before effects set any. */
export function fieldsAfter(change: TableChange): (old: RecordValue) => Record<string, Value> {
  const { before, after, inside } = change;
  const column = columnsAfter(change);
  const columns = (after?.columns ?? []).map((one) => ({
    ...one,
    own: inside.filter((change) => (change.kind === "value" ? change.field : change.from)[0] === one.name),
  }));
  const names = before.columns.map(({ name }) => [name, column(name)] as const);
  // A new field gets the default of part 2. An existing field that is null stays null.
  const there = new Set(names.map(([, to]) => to));
  const filled = columns.filter(({ name, fill }) => fill !== undefined && !there.has(name));
  return (old) => {
    const fields: Record<string, Value> = {};
    for (const [from, to] of names) fields[to] = old[from] ?? null;
    for (const { name, own } of columns)
      if (own.length > 0) fields[name] = insideChanged(fields[name] ?? null, own);
    for (const { name, fill } of filled) fields[name] = fill as Value;
    return fields;
  };
}
