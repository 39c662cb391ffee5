/** Query session: runs compiled queries of `../sql/` on any source of rows. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { type Awaitable, after } from "../../support/awaitable.ts";
import { invariant } from "../../support/invariant.ts";
import { StatementTimedOut } from "../errors.ts";
import { postFilterStep, selectedFrame, frameOfStep, type SelectedRow } from "../sql/post-filter.ts";
import type { CompiledQuery } from "../sql/queries.ts";
import type { Query, Session, ShapedRow, ValueCount } from "../store.ts";
import type { Row } from "./steps.ts";
import { machine } from "../../support/machine.ts";
import type { SqlValue } from "../sql/sql-value.ts";

/** A compiled query of a database. */
export type OwnQuery<T> = Query<T> & CompiledQuery<T>;

/**
 * Runs a query, and returns its rows.
 * @param first whether only the first row is needed
 */
export type QueryRows = (
  query: OwnQuery<unknown>,
  values: () => SqlValue[],
  first: boolean,
) => Awaitable<readonly Row[]>;

/** Runs several queries in one snapshot. */
export type QueryTogether = <T>(work: (execute: QueryRows) => Awaitable<T>) => Awaitable<T>;

/** Answers the engine's queries with rows of a database. */
export class QuerySession implements Session {
  readonly #execute: QueryRows;
  readonly #together: QueryTogether;

  /**
   * @param together runs several queries in one snapshot; otherwise, each could see a different
   * state
   */
  constructor(execute: QueryRows, together: QueryTogether = (work) => work(execute)) {
    this.#execute = execute;
    this.#together = together;
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
    const rows = this.#rows(own, frame, false);
    return after(rows, (found) => found.map((row) => own.decode(row, frame)));
  }

  #first<T, N>(query: Query<T>, frame: Frame, none: N): Awaitable<T | N> {
    const own = ownQuery(query);
    const rows = this.#rows(own, frame, true);
    return after(rows, ([row]) => (row === undefined ? none : own.decode(row, frame)));
  }

  #rows(own: OwnQuery<unknown>, frame: Frame, first: boolean): Awaitable<readonly Row[]> {
    const { postFilter } = own;
    if (!postFilter) return this.#execute(own, () => own.bind(frame), first);
    return this.#together(async (execute) => {
      const inner = await postFilterOf(postFilter, frame, execute);
      return execute(own, () => own.bind(inner), first);
    });
  }
}

/**
 * The time limit for selecting the records if the database can't evaluate the condition, in
 * milliseconds.
 */
const postFilterMs = 5_000;

/**
 * The frame of a query with a post-filter (`../sql/post-filter.ts`). It has the records that the
 * functions selected.
 */
export async function postFilterOf(
  query: OwnQuery<SelectedRow | undefined>,
  frame: Frame,
  execute: QueryRows,
): Promise<Frame> {
  const picked: SelectedRow[] = [];
  const until = machine.elapsed() + postFilterMs;
  for (let behind = 0, isOver = false; !isOver; ) {
    if (machine.elapsed() > until) throw new StatementTimedOut(postFilterMs);
    const step = frameOfStep(frame, behind);
    const rows = await execute(query, () => query.bind(step), false);
    for (const row of rows) {
      const selected = query.decode(row, step);
      if (selected) picked.push(selected);
    }
    behind = Number(rows.at(-1)?.[0] ?? behind);
    isOver = rows.length < postFilterStep;
  }
  return selectedFrame(frame, picked);
}

/** A session that answers one query with existing rows. */
export function sessionOfRows(rows: readonly Row[]): QuerySession {
  return new QuerySession(() => rows);
}

function ownQuery<T>(query: Query<T>): OwnQuery<T> {
  invariant("bind" in query, "a query was given to a store that didn't make it");
  return query as OwnQuery<T>;
}
