/** Runs prepared queries on one connection. What they say and mean was worked out in `../sql/`; here they only run. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { invariant } from "../../support/invariant.ts";
import type { CompiledQuery } from "../sql/queries.ts";
import type { Query, Session, ShapedRow } from "../store.ts";
import type { Connection } from "./connection.ts";

/** A query as SQLite runs it. */
export type SqliteQuery<T> = Query<T> & CompiledQuery<T>;

export class QuerySession implements Session {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
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
    const rows = this.#connection.ofQuery(query).all(own.bind(frame));
    const answers: T[] = [];
    for (const row of rows) answers.push(own.decode(row, frame));
    return answers;
  }

  #first<T>(query: Query<T>, frame: Frame): T | undefined {
    const own = ownQuery(query);
    const row = this.#connection.ofQuery(query).get(own.bind(frame));
    return row && own.decode(row, frame);
  }
}

function ownQuery<T>(query: Query<T>): SqliteQuery<T> {
  invariant("bind" in query, "a query was given to a store that didn't make it");
  return query as SqliteQuery<T>;
}
