/** Runs prepared queries wherever their rows come from. What they say and mean was worked out in `../sql/`; here they only run. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { type Awaitable, after } from "../../support/awaitable.ts";
import { invariant } from "../../support/invariant.ts";
import type { CompiledQuery } from "../sql/queries.ts";
import type { SqlValue } from "../sql/fragment.ts";
import type { Query, Session, ShapedRow, ValueCount } from "../store.ts";
import type { Row } from "./steps.ts";

/** A query as a database runs it. */
export type OwnQuery<T> = Query<T> & CompiledQuery<T>;

/** Asks a database for the rows of a query. @param first only the first row is wanted */
export type AskRows = (
  query: OwnQuery<unknown>,
  values: () => SqlValue[],
  first: boolean,
) => Awaitable<readonly Row[]>;

export class QuerySession implements Session {
  readonly #ask: AskRows;

  constructor(ask: AskRows) {
    this.#ask = ask;
  }

  records(query: Query<RecordValue>, frame: Frame): Awaitable<readonly RecordValue[]> {
    return this.#all(query, frame);
  }

  record(query: Query<RecordValue>, frame: Frame): Awaitable<RecordValue | null> {
    return this.#first(query, frame, null);
  }

  count(query: Query<number>, frame: Frame): Awaitable<number> {
    return this.#first(query, frame, 0);
  }

  counts(query: Query<ValueCount>, frame: Frame): Awaitable<readonly ValueCount[]> {
    return this.#all(query, frame);
  }

  shaped(query: Query<ShapedRow>, frame: Frame): Awaitable<readonly ShapedRow[]> {
    return this.#all(query, frame);
  }

  json(query: Query<string>, frame: Frame): Awaitable<string> {
    return this.#first(query, frame, "null");
  }

  value(query: Query<Value>, frame: Frame): Awaitable<Value> {
    return this.#first(query, frame, null);
  }

  #all<T>(query: Query<T>, frame: Frame): Awaitable<readonly T[]> {
    const own = ownQuery(query);
    const rows = this.#ask(own, () => own.bind(frame), false);
    return after(rows, (found) => found.map((row) => own.decode(row, frame)));
  }

  #first<T, N>(query: Query<T>, frame: Frame, none: N): Awaitable<T | N> {
    const own = ownQuery(query);
    const rows = this.#ask(own, () => own.bind(frame), true);
    return after(rows, ([row]) => (row === undefined ? none : (own.decode(row, frame) ?? none)));
  }
}

/** A session that answers one query with rows that are there already. */
export function sessionOfRows(rows: readonly Row[]): QuerySession {
  return new QuerySession(() => rows);
}

function ownQuery<T>(query: Query<T>): OwnQuery<T> {
  invariant("bind" in query, "a query was given to a store that didn't make it");
  return query as OwnQuery<T>;
}
