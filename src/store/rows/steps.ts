/**
 * Work on stored rows as a series of statements: each is executed once the result of the previous one is available.
 * The runner decides when that is: an embedded database returns at once, a server later. So the rules about records
 * and the engine's own rows are written once for all databases.
 */
import { type Awaitable, withRecovery } from "../../support/awaitable.ts";
import type { NewEvent } from "../store.ts";
import type { SqlValue } from "../sql/sql-value.ts";

/** The columns of a row, in the order in which the statement names them. */
export type Row = readonly unknown[];

/**
 * A statement by its text, with `?` for its values. Each has one object: databases prepare by it and release by it.
 * @typeParam R the rows it returns. The type is declared next to the SQL and trusted there, because no compiler can
 * check what a database returns.
 */
export interface Statement<R extends Row = Row> {
  readonly sql: string;
  /** For the type only. */
  readonly gives?: R;
  /** It is about the engine's own rows alone, and no question of the document is answered by those. */
  readonly isOwn?: true;
}

/** A statement that returns such rows. */
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
  /** Both kinds of `change` modify rows; the caller doesn't read the rows of a plain `change`. */
  readonly kind: "first" | "all" | "change" | "change and return";
  /** What a database may go on with that answers later: it learns before the commit whether the answer is another. */
  readonly expected?: ExpectedResult;
  /**
   * The single thing that it reads or changes, if it is one: nothing else affects its result, and
   * it changes nothing else.
   */
  readonly about?: About;
}

/** They are not read before a write has the lock. */
export const ofDeliveries: About = { of: "ninefold_deliveries" };

export interface ExpectedResult {
  /** How many rows will have changed; undefined where that is all the same. */
  readonly changes?: number;
  /**
   * The same statement with the number of the new row as its last value, for a database that assigns the number
   * itself.
   */
  readonly numbered?: Statement;
}

/** A record by its row (any of the resource without one), or one of the engine's own rows. */
export interface About {
  readonly of: string;
  readonly row?: number | string;
}

export interface Answer<R extends Row = Row> {
  readonly rows: readonly R[];
  /** How many rows were changed. */
  readonly changes: number;
  /** The number that the database has assigned to the inserted row. */
  readonly lastRow: number;
}

/** A series of statements that ends with a `T`. An error of a statement is thrown at its `yield`. */
export type Steps<T> = Generator<BoundStatement, T, Answer>;

/** The first row is wanted. */
export function first<R extends Row>(
  statement: Statement<R>,
  values: readonly SqlValue[],
): BoundStatement<R> {
  return { statement, values, kind: "first" };
}

export function all<R extends Row>(statement: Statement<R>, values: readonly SqlValue[]): BoundStatement<R> {
  return { statement, values, kind: "all" };
}

/** Something is changed, and how much of it is wanted. */
export function change(statement: Statement, values: readonly SqlValue[]): BoundStatement {
  return { statement, values, kind: "change" };
}

/** A change whose result is predictable unless there is an error. */
export function expected(
  statement: Statement,
  values: readonly SqlValue[],
  about: About,
  expected: ExpectedResult = {},
): BoundStatement {
  return { statement, values, kind: "change", expected, about };
}

/** Modifies rows and returns those of `RETURNING`. */
export function changeAndReport<R extends Row>(
  statement: Statement<R>,
  values: readonly SqlValue[],
): BoundStatement<R> {
  return { statement, values, kind: "change and return" };
}

/** Executes the statement and returns its rows. */
export function* rowsOf<R extends Row>(bound: BoundStatement<R>): Steps<readonly R[]> {
  return (yield bound).rows as readonly R[];
}

/** Executes the statement and returns its first row. */
export function* rowOf<R extends Row>(bound: BoundStatement<R>): Steps<R | undefined> {
  return (yield* rowsOf(bound))[0];
}

export function isChange({ kind }: BoundStatement): boolean {
  return kind === "change" || kind === "change and return";
}

/** Executes statements, inside or outside a write. */
export interface Executor {
  /**
   * Records a check of a result that needed no statement: a write may have started before this session gets the write
   * lock.
   */
  recordRead?(isStillValid: () => boolean): void;
  /** One statement, and what is decoded from its result. */
  execute<T, R extends Row>(bound: BoundStatement<R>, read: (answer: Answer<R>) => T): Awaitable<T>;
  run<T>(steps: Steps<T>): Awaitable<T>;
}

/** Executes statements of a write. */
export interface WriteExecutor extends Executor {
  /**
   * Appends events to the log. Their numbers are in the list when the write is stored.
   * @param isNumbered the numbers are in the list at once, which other writes may have to wait for
   */
  append(events: readonly NewEvent[], isNumbered: boolean): Awaitable<readonly number[]>;
  /** The number of the last event so far. */
  lastAppended(): Awaitable<number>;
}

/** Runs steps on a database that answers at once. */
export function runNow<T>(steps: Steps<T>, answer: (bound: BoundStatement) => Answer): T {
  let next = steps.next();
  while (!next.done) {
    let given: Answer;
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

/** Runs steps on a database that answers later; as long as answers are there at once, at once. */
export function runLater<T>(
  steps: Steps<T>,
  answer: (bound: BoundStatement) => Awaitable<Answer>,
): Awaitable<T> {
  let next = steps.next();
  while (!next.done) {
    const given = withRecovery<Answer | Thrown>(() => answer(next.value as BoundStatement), thrown);
    if (given instanceof Promise) return runWaiting(steps, given, answer);
    next = fed(steps, given);
  }
  return next.value;
}

async function runWaiting<T>(
  steps: Steps<T>,
  first: Promise<Answer | Thrown>,
  answer: (bound: BoundStatement) => Awaitable<Answer>,
): Promise<T> {
  let next = fed(steps, await first);
  while (!next.done) {
    const bound = next.value;
    next = fed(steps, await withRecovery<Answer | Thrown>(() => answer(bound), thrown));
  }
  return next.value;
}

/** An error of a statement, to throw at its `yield`. */
class Thrown {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

function thrown(error: unknown): Thrown {
  return new Thrown(error);
}

function fed<T>(steps: Steps<T>, given: Answer | Thrown): IteratorResult<BoundStatement, T> {
  return given instanceof Thrown ? steps.throw(given.error) : steps.next(given);
}
