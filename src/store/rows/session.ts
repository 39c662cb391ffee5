/** Runs prepared queries wherever their rows come from. What they say and mean was worked out in `../sql/`; here they only run. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { type Awaitable, after } from "../../support/awaitable.ts";
import { invariant } from "../../support/invariant.ts";
import { StatementTimedOut } from "../errors.ts";
import { besideStep, frameOfPicked, frameOfStep, type Picked } from "../sql/beside.ts";
import type { CompiledQuery } from "../sql/queries.ts";
import type { SqlValue } from "../sql/fragment.ts";
import type { Query, Session, ShapedRow, ValueCount } from "../store.ts";
import type { Row } from "./steps.ts";
import { machine } from "../../support/machine.ts";

/** A query as a database runs it. */
export type OwnQuery<T> = Query<T> & CompiledQuery<T>;

/** Asks a database for the rows of a query. @param first only the first row is wanted */
export type AskRows = (
  query: OwnQuery<unknown>,
  values: () => SqlValue[],
  first: boolean,
) => Awaitable<readonly Row[]>;

/** Asks several statements of one moment. */
export type AskTogether = <T>(work: (ask: AskRows) => Awaitable<T>) => Awaitable<T>;

export class QuerySession implements Session {
  readonly #ask: AskRows;
  readonly #together: AskTogether;

  /** @param together where what is asked in several statements could be of several moments */
  constructor(ask: AskRows, together: AskTogether = (work) => work(ask)) {
    this.#ask = ask;
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
    const { beside } = own;
    if (!beside) return this.#ask(own, () => own.bind(frame), first);
    return this.#together(async (ask) => {
      const inner = await besideOf(beside, frame, ask);
      return ask(own, () => own.bind(inner), first);
    });
  }
}

/** How long it may take to find out what is meant, where the database can't say it. */
const besideMs = 5_000;

/**
 * The frame in which a question is asked that has parts which are worked out beside the database (`../sql/beside.ts`): with the records that
 * are meant.
 */
export async function besideOf(
  query: OwnQuery<Picked | undefined>,
  frame: Frame,
  ask: AskRows,
): Promise<Frame> {
  const picked: Picked[] = [];
  const until = machine.elapsed() + besideMs;
  for (let behind = 0, isOver = false; !isOver; ) {
    if (machine.elapsed() > until) throw new StatementTimedOut(besideMs);
    const step = frameOfStep(frame, behind);
    const rows = await ask(query, () => query.bind(step), false);
    for (const row of rows) {
      const one = query.decode(row, step);
      if (one) picked.push(one);
    }
    behind = Number(rows.at(-1)?.[0] ?? behind);
    isOver = rows.length < besideStep;
  }
  return frameOfPicked(frame, picked);
}

/** A session that answers one query with rows that are there already. */
export function sessionOfRows(rows: readonly Row[]): QuerySession {
  return new QuerySession(() => rows);
}

function ownQuery<T>(query: Query<T>): OwnQuery<T> {
  invariant("bind" in query, "a query was given to a store that didn't make it");
  return query as OwnQuery<T>;
}
