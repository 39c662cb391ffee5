/**
 * Steps: work on stored rows as a series of statements. Each is executed after the result of the
 * previous one.
 *
 * The runner decides when that is: an embedded database returns at once, a server later. So the
 * rules about records and the engine's own rows are written once for all databases.
 */
import { type Awaitable, withRecovery } from "../../support/awaitable.ts";
import type { NewDelivery } from "../deliveries.ts";
import type { NewEvent } from "../store.ts";
import type { SqlValue } from "../sql/sql-value.ts";

/** The columns of a row, in the order of the statement. */
export type Row = readonly unknown[];

/**
 * A statement with `?` for its values. A statement has a single object, by which databases cache
 * it.
 * @typeParam R the rows it returns. The type is declared next to the SQL and trusted there, because
 * no compiler can check what a database returns.
 */
export interface Statement<R extends Row = Row> {
  readonly sql: string;
  /** Only for the type. */
  readonly gives?: R;
  /** It concerns only the engine's own rows, which no query of the document reads. */
  readonly isOwn?: true;
  /** Requests compose its text, so there may be any number of them. */
  readonly isComposed?: boolean;
}

/** A statement that returns rows of a type. */
export function statement<R extends Row>(sql: string): Statement<R> {
  return { sql };
}

/** A statement over the engine's own rows only. */
export function ownStatement<R extends Row = readonly []>(sql: string): Statement<R> {
  return { sql, isOwn: true };
}

export interface BoundStatement<R extends Row = Row> {
  readonly statement: Statement<R>;
  readonly values: readonly SqlValue[];
  /** Both kinds of `change` modify rows. The caller doesn't read the rows of a plain `change`. */
  readonly kind: "first" | "all" | "change" | "change and return";
  /**
   * The expected result, with which the caller continues on a slow database. The database compares
   * it with the result before the commit.
   */
  readonly expected?: ExpectedResult;
  /**
   * The single thing that it reads or changes, if there is only one. Nothing else affects its
   * result, and it changes nothing else.
   */
  readonly about?: StatementSubject;
}

/** No write reads deliveries before it has the lock. */
export const aboutDeliveries: StatementSubject = { of: "ninefold_deliveries" };

export interface ExpectedResult {
  /** The number of changed rows; undefined if it doesn't matter. */
  readonly changes?: number;
  /**
   * The same statement with the number of the new row as its last value, for a store that assigns
   * the number itself.
   */
  readonly numbered?: Statement;
}

/** A record by its row, all records of a resource without a row, or rows of the engine's own. */
export interface StatementSubject {
  readonly of: string;
  readonly row?: number | string;
}

export interface StatementResult<R extends Row = Row> {
  readonly rows: readonly R[];
  /** The number of changed rows. */
  readonly changes: number;
  /** The row number that the database has assigned to the inserted row. */
  readonly lastRow: number;
}

/** A series of statements with a result. An error of a statement is thrown at its `yield`. */
export type Steps<T> = Generator<BoundStatement, T, StatementResult>;

/** Binds a statement of which the first row is needed. */
export function firstRow<R extends Row>(
  statement: Statement<R>,
  values: readonly SqlValue[],
): BoundStatement<R> {
  return { statement, values, kind: "first" };
}

/** Binds a statement of which all rows are needed. */
export function allRows<R extends Row>(
  statement: Statement<R>,
  values: readonly SqlValue[],
): BoundStatement<R> {
  return { statement, values, kind: "all" };
}

/** Binds a change of which only the number of rows is needed. */
export function change(statement: Statement, values: readonly SqlValue[]): BoundStatement {
  return { statement, values, kind: "change" };
}

/** Binds a change with an expected result, which is right unless an error occurs. */
export function expected(
  statement: Statement,
  values: readonly SqlValue[],
  about: StatementSubject,
  expected: ExpectedResult = {},
): BoundStatement {
  return { statement, values, kind: "change", expected, about };
}

/** Binds a change that returns the rows of its `RETURNING`. */
export function changeAndReport<R extends Row>(
  statement: Statement<R>,
  values: readonly SqlValue[],
): BoundStatement<R> {
  return { statement, values, kind: "change and return" };
}

/** Executes a statement, and returns its rows. */
export function* rowsOf<R extends Row>(bound: BoundStatement<R>): Steps<readonly R[]> {
  return (yield bound).rows as readonly R[];
}

/** Executes a statement, and returns its first row. */
export function* rowOf<R extends Row>(bound: BoundStatement<R>): Steps<R | undefined> {
  return (yield* rowsOf(bound))[0];
}

/** Whether a statement modifies rows. */
export function isChange({ kind }: BoundStatement): boolean {
  return kind === "change" || kind === "change and return";
}

/** Executes statements, inside or outside a write. */
export interface Executor {
  /**
   * Records a check of a result that needed no statement, because a write may start before this
   * session gets the write lock.
   */
  recordRead?(isStillValid: () => boolean): void;
  /** Executes a statement, and decodes its result. */
  execute<T, R extends Row>(bound: BoundStatement<R>, read: (answer: StatementResult<R>) => T): Awaitable<T>;
  run<T>(steps: Steps<T>): Awaitable<T>;
}

/** Executes statements of a write. */
export interface WriteExecutor extends Executor {
  /** Appends events to the log. The returned list has their numbers when the write is stored. */
  append(events: readonly NewEvent[]): readonly number[];
  /** The number of the last event so far. */
  lastAppended(): Awaitable<number>;
  /**
   * Adds deliveries together with their events, if these aren't numbered yet. Returns false, and
   * adds nothing, if they are. Absent if events are always numbered.
   */
  attach?(deliveries: readonly NewDelivery[]): boolean;
}

/** Runs steps on a database that returns at once. */
export function runNow<T>(steps: Steps<T>, answer: (bound: BoundStatement) => StatementResult): T {
  let next = steps.next();
  while (!next.done) {
    let given: StatementResult;
    try {
      given = answer(next.value);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next(given);
  }
  return next.value;
}

/**
 * Runs steps on a database that may return later. Results that are available at once are used at
 * once.
 */
export function runLater<T>(
  steps: Steps<T>,
  answer: (bound: BoundStatement) => Awaitable<StatementResult>,
): Awaitable<T> {
  let next = steps.next();
  while (!next.done) {
    const given = withRecovery<StatementResult | Thrown>(() => answer(next.value as BoundStatement), thrown);
    if (given instanceof Promise) return runWaiting(steps, given, answer);
    next = fed(steps, given);
  }
  return next.value;
}

async function runWaiting<T>(
  steps: Steps<T>,
  first: Promise<StatementResult | Thrown>,
  answer: (bound: BoundStatement) => Awaitable<StatementResult>,
): Promise<T> {
  let next = fed(steps, await first);
  while (!next.done) {
    const bound = next.value;
    next = fed(steps, await withRecovery<StatementResult | Thrown>(() => answer(bound), thrown));
  }
  return next.value;
}

/** An error of a statement, which is thrown at its `yield`. */
class Thrown {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

function thrown(error: unknown): Thrown {
  return new Thrown(error);
}

function fed<T>(steps: Steps<T>, given: StatementResult | Thrown): IteratorResult<BoundStatement, T> {
  return given instanceof Thrown ? steps.throw(given.error) : steps.next(given);
}
