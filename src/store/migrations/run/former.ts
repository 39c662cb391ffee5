/** The records of a table as they were before a stored change, one after another, and what their fields are called and are after it. */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import { recordDecoder } from "../../rows/records.ts";
import { all, type Steps } from "../../rows/steps.ts";
import { recordColumns } from "../../sql/decode.ts";
import { readJson } from "../../sql/form.ts";
import { insideChanged } from "./inside.ts";
import { sliceLength } from "./steps.ts";
import type { Work } from "./work.ts";

export interface Former {
  readonly old: RecordValue;
  /** What the store as it was has answered of it, by question, for each of the table's `For each` one after another. */
  readonly results: readonly (readonly Value[])[];
}

/** What the table, by its identifier, and its columns are called while they are read. */
export interface Called {
  readonly table: string;
  column(name: string): string;
}

export const asBefore = ({ before }: TableChange, { words }: Work): Called => ({
  table: words.table(before.name),
  column: (name) => name,
});

/** What the columns are called afterwards. */
export function columnsAfter({ columns }: TableChange): Called["column"] {
  const called = new Map(columns.map(({ from, to }) => [from, to]));
  return (name) => called.get(name) ?? name;
}

/** In the order in which they were made, read slice by slice. @param answers the table in which what was asked is kept, by its identifier */
export function* eachFormer(
  { before }: TableChange,
  called: Called,
  answers: string | undefined,
  { words, onRecords }: Work,
  visit: (former: Former) => Steps<void>,
): Steps<void> {
  const decode = recordDecoder(before, words);
  const hidden = before.marked ? 3 : 2;
  const names = recordColumns(before).map(
    (column, at) => `t.${words.column(at < hidden ? column : called.column(column))}`,
  );
  const answered = answers === undefined ? "" : ` LEFT JOIN ${answers} AS a ON a.row = t."#row"`;
  const slice = {
    sql: `SELECT ${names.join(", ")}${answers === undefined ? "" : ", a.asked"} FROM ${called.table} AS t${answered} WHERE t."#row" > ? ORDER BY t."#row" LIMIT ${sliceLength}`,
  };
  for (let last = 0; ; ) {
    const { rows } = yield all(slice, [last]);
    for (const row of rows) {
      const text = answers === undefined ? null : (row[names.length] as string | null);
      const results = text === null ? [] : (readJson(text) as Former["results"]);
      const old = decode(row);
      yield* visit({ old, results });
      last = old["#row"];
    }
    if (rows.length > 0) onRecords(rows.length);
    if (rows.length < sliceLength) return;
  }
}

/** The record with the fields that the step leaves it, before effects set any. */
export function fieldsAfter(change: TableChange): (old: RecordValue) => Record<string, Value> {
  const { before, after, inside } = change;
  const column = columnsAfter(change);
  const columns = (after?.columns ?? []).map((one) => ({
    ...one,
    own: inside.filter((change) => (change.kind === "value" ? change.field : change.from)[0] === one.name),
  }));
  const names = before.columns.map(({ name }) => [name, column(name)] as const);
  // What is new has what part 2 gives those who say nothing; what was there and is null stays so.
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
