/** Statements of migrations. Many concern every record, and their single results are not needed. */
import {
  allRows,
  type BoundStatement,
  change,
  firstRow,
  type Row,
  rowOf,
  rowsOf,
  type Statement,
  statement,
  type Steps,
} from "../../rows/steps.ts";
import type { RecordValue } from "../../../expressions/value.ts";
import { recordDecoder } from "../../rows/records.ts";
import type { RowDialect } from "../../rows/row-dialect.ts";
import { recordColumns } from "../../sql/decode.ts";
import type { Table } from "../../table.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** A statement without a result. Its error may be thrown at a later statement of the pipeline. */
export interface ReportedStatement extends BoundStatement {
  readonly isReported: true;
}

export function reported(statement: Statement, values: readonly SqlValue[]): ReportedStatement {
  return { ...change(statement, values), isReported: true };
}

export function isReported(results: BoundStatement): results is ReportedStatement {
  return "isReported" in results;
}

/** A statement that runs once. */
export function* run(sql: string, values: readonly SqlValue[] = []): Steps<number> {
  return (yield change({ sql }, values)).changes;
}

export function firstOf<R extends Row>(sql: string, values: readonly SqlValue[] = []): Steps<R | undefined> {
  return rowOf(firstRow(statement<R>(sql), values));
}

export function allOf<R extends Row>(sql: string, values: readonly SqlValue[] = []): Steps<readonly R[]> {
  return rowsOf(allRows(statement<R>(sql), values));
}

/** The number of rows; `from` is the text after FROM. */
export function* countOf(from: string): Steps<number> {
  return Number((yield* firstOf<readonly [number]>(`SELECT count(*) FROM ${from}`))?.[0] ?? 0);
}

/** The number of records that are read at once and held in memory. */
const sliceLength = 1000;

/** A selection of rows: without `called`, of the table itself; without `where`, all rows. */
export interface Selected {
  /** The table's identifier. */
  readonly called?: string;
  /** A condition over its rows. */
  readonly where?: string;
}

/** Reads the records of a table in the order of creation, slice by slice. */
export function* eachSlice(
  table: Table,
  words: RowDialect,
  { called = words.table(table.name), where = "TRUE" }: Selected,
  visit: (records: readonly RecordValue[]) => Steps<unknown> | undefined,
): Steps<void> {
  const decode = recordDecoder(table, words);
  const columns = recordColumns(table).map(words.column).join(", ");
  const slice = {
    sql: `SELECT ${columns} FROM ${called} WHERE "#row" > ? AND ${where} ORDER BY "#row" LIMIT ${sliceLength}`,
  };
  for (let last = 0; ; ) {
    const records = (yield allRows(slice, [last])).rows.map(decode);
    const work = visit(records);
    if (work) yield* work;
    last = records.at(-1)?.["#row"] ?? last;
    if (records.length < sliceLength) return;
  }
}

/**
 * Visits a JSON column with its row numbers, slice by slice, until the visit returns false.
 * @param called the identifiers of the table and the column
 */
export function* eachJson(
  called: { readonly table: string; readonly column: string },
  visit: (row: number, json: string) => Steps<unknown>,
): Steps<void> {
  const { table, column } = called;
  const slice = statement<readonly [row: number, json: string]>(
    `SELECT "#row", ${column} FROM ${table} WHERE "#row" > ? AND ${column} IS NOT NULL ORDER BY "#row" LIMIT ${sliceLength}`,
  );
  for (let last = 0; ; ) {
    const rows = yield* rowsOf(allRows(slice, [last]));
    for (const [row, json] of rows) {
      if ((yield* visit(row, json)) === false) return;
      last = row;
    }
    if (rows.length < sliceLength) return;
  }
}
