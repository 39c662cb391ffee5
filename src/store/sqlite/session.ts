/** Runs prepared queries on one connection. What they say and mean was worked out in `../sql/`; here they only run. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { invariant } from "../../support/invariant.ts";
import type { Query, Session, ShapedRow, ValueCount } from "../store.ts";
import type { Row, Statement } from "./connection.ts";
import type { SqliteQuery } from "./queries.ts";

/** What runs the statements of queries: a connection, or rows that have come already. */
export interface StatementSource {
  ofQuery(query: { readonly sql: string }): Pick<Statement, "get" | "all">;
}

export class QuerySession implements Session {
  readonly #source: StatementSource;

  constructor(source: StatementSource) {
    this.#source = source;
  }

  records(query: Query<RecordValue>, frame: Frame): readonly RecordValue[] {
    return this.#all(query, frame);
  }

  record(query: Query<RecordValue>, frame: Frame): RecordValue | null {
    return this.#first(query, frame) ?? null;
  }

  count(query: Query<number>, frame: Frame): number {
    return this.#first(query, frame) ?? 0;
  }

  counts(query: Query<ValueCount>, frame: Frame): readonly ValueCount[] {
    return this.#all(query, frame);
  }

  shaped(query: Query<ShapedRow>, frame: Frame): readonly ShapedRow[] {
    return this.#all(query, frame);
  }

  json(query: Query<string>, frame: Frame): string {
    return this.#first(query, frame) ?? "null";
  }

  value(query: Query<Value>, frame: Frame): Value {
    return this.#first(query, frame) ?? null;
  }

  #all<T>(query: Query<T>, frame: Frame): readonly T[] {
    const own = ownQuery(query);
    const rows = this.#source.ofQuery(query).all(own.bind(frame));
    const answers: T[] = [];
    for (const row of rows) answers.push(own.decode(row, frame));
    return answers;
  }

  #first<T>(query: Query<T>, frame: Frame): T | undefined {
    const own = ownQuery(query);
    const row = this.#source.ofQuery(query).get(own.bind(frame));
    return row && own.decode(row, frame);
  }
}

/** A session that answers one query with rows that another thread has read. */
export function sessionOfRows(rows: readonly Row[]): QuerySession {
  return new QuerySession({ ofQuery: () => ({ get: () => rows[0], all: () => rows }) });
}

export function ownQuery<T>(query: Query<T>): SqliteQuery<T> {
  invariant("question" in query, "a query was given to a store that didn't make it");
  return query as SqliteQuery<T>;
}
