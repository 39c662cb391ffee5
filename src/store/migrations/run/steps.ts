/** Statements of migrations. Many concern every record, and their single results are not needed. */
import {
  all,
  type BoundStatement,
  change,
  first,
  type Row,
  rowOf,
  rowsOf,
  type Statement,
  statement,
  type Steps,
} from "../../rows/steps.ts";
import type { SqlValue } from "../../sql/fragment.ts";

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
  return rowOf(first(statement<R>(sql), values));
}

export function allOf<R extends Row>(sql: string, values: readonly SqlValue[] = []): Steps<readonly R[]> {
  return rowsOf(all(statement<R>(sql), values));
}

/** The number of rows; `from` is the text after FROM. */
export function* countOf(from: string): Steps<number> {
  return Number((yield* firstOf<readonly [number]>(`SELECT count(*) FROM ${from}`))?.[0] ?? 0);
}

/** The number of records that are read at once and held in memory. */
export const sliceLength = 1000;

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
    const rows = yield* rowsOf(all(slice, [last]));
    for (const [row, json] of rows) {
      if ((yield* visit(row, json)) === false) return;
      last = row;
    }
    if (rows.length < sliceLength) return;
  }
}
