/** Statements of changes to a store: many of them are about every record, and nobody asks what came of one. */
import { all, type Asked, change, first, type Row, type Statement, type Steps } from "../rows/steps.ts";
import type { SqlValue } from "../sql/fragment.ts";

/** A statement whose answer nobody needs: what is wrong with it may be thrown at one that comes behind it. */
export interface Told extends Asked {
  readonly isTold: true;
}

export function told(statement: Statement, values: readonly SqlValue[]): Told {
  return { ...change(statement, values), isTold: true };
}

export function isTold(asked: Asked): asked is Told {
  return "isTold" in asked;
}

/** One statement that is run once. */
export function* run(sql: string, values: readonly SqlValue[] = []): Steps<number> {
  return (yield change({ sql }, values)).changes;
}

export function* firstOf(sql: string, values: readonly SqlValue[] = []): Steps<Row | undefined> {
  return (yield first({ sql }, values)).rows[0];
}

export function* allOf(sql: string, values: readonly SqlValue[] = []): Steps<readonly Row[]> {
  return (yield all({ sql }, values)).rows;
}

/** How many rows there are; `from` is what stands behind FROM. */
export function* countOf(from: string): Steps<number> {
  return Number((yield* firstOf(`SELECT count(*) FROM ${from}`))?.[0] ?? 0);
}

/** So many records are read at once, and held in memory. */
export const sliceLength = 1000;

/**
 * A column of JSON with the rows that it stands in, slice by slice, until a visit gives false.
 * @param called the identifiers of the table and the column
 */
export function* eachJson(
  called: { readonly table: string; readonly column: string },
  visit: (row: number, json: string) => Steps<unknown>,
): Steps<void> {
  const { table, column } = called;
  const slice = {
    sql: `SELECT "#row", ${column} FROM ${table} WHERE "#row" > ? AND ${column} IS NOT NULL ORDER BY "#row" LIMIT ${sliceLength}`,
  };
  let last = 0;
  for (;;) {
    const { rows } = yield all(slice, [last]);
    for (const [row, json] of rows as readonly (readonly [number, string])[])
      if ((yield* visit(row, json)) === false) return;
    if (rows.length < sliceLength) return;
    last = rows.at(-1)?.[0] as number;
  }
}
