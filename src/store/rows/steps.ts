/**
 * Work on stored rows as a series of statements, each asked when the answer of the one before is there. Who runs it decides when that is:
 * an embedded database answers at once, a server later. So the rules about records and about the engine's own rows stand once, whichever
 * database keeps them.
 */
import type { Awaitable } from "../../support/awaitable.ts";
import type { SqlValue } from "../sql/fragment.ts";

/** The columns of a row, in the order in which the statement names them. */
export type Row = readonly unknown[];

/** A statement by its text, with `?` where its values go. One object for each: databases prepare by it, and let go with it. */
export interface Statement {
  readonly sql: string;
}

export interface Asked {
  readonly statement: Statement;
  readonly values: readonly SqlValue[];
  /** It changes something; nobody asks for the rows of a plain `change`. */
  readonly kind: "first" | "all" | "change" | "change and tell";
}

export interface Answer {
  readonly rows: readonly Row[];
  /** How many rows were changed. */
  readonly changes: number;
  /** The number that the database has given to the row that was inserted. */
  readonly lastRow: number;
}

/** A series of statements that ends with a `T`. What a statement throws is thrown where it was asked. */
export type Steps<T> = Generator<Asked, T, Answer>;

/** The first row is wanted. */
export function first(statement: Statement, values: readonly SqlValue[]): Asked {
  return { statement, values, kind: "first" };
}

export function all(statement: Statement, values: readonly SqlValue[]): Asked {
  return { statement, values, kind: "all" };
}

/** Something is changed, and how much of it is wanted. */
export function change(statement: Statement, values: readonly SqlValue[]): Asked {
  return { statement, values, kind: "change" };
}

/** Something is changed, and what it `RETURNING` tells is wanted. */
export function changeAndTell(statement: Statement, values: readonly SqlValue[]): Asked {
  return { statement, values, kind: "change and tell" };
}

export function isChange({ kind }: Asked): boolean {
  return kind === "change" || kind === "change and tell";
}

/** Whoever asks a database, inside of a write or outside. */
export interface Asking {
  /** One statement, and what is read from its answer. */
  ask<T>(asked: Asked, read: (answer: Answer) => T): Awaitable<T>;
  run<T>(steps: Steps<T>): Awaitable<T>;
}

/** Runs steps on a database that answers at once. */
export function runNow<T>(steps: Steps<T>, answer: (asked: Asked) => Answer): T {
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

/** Runs steps on a database that answers later. */
export async function runLater<T>(steps: Steps<T>, answer: (asked: Asked) => Promise<Answer>): Promise<T> {
  let next = steps.next();
  while (!next.done) {
    let given: Answer;
    try {
      given = await answer(next.value);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next(given);
  }
  return next.value;
}
