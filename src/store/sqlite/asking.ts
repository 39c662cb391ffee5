/** Asks one connection, which answers at once. */
import type { SQLInputValue } from "node:sqlite";
import { type Answer, type Asked, type Asking, runNow, type Steps } from "../rows/steps.ts";
import type { Connection } from "./connection.ts";

export function answerOf(connection: Connection, { statement, values, kind }: Asked): Answer {
  const prepared = connection.ofQuery(statement);
  const given = values as readonly SQLInputValue[];
  if (kind === "change") return { rows: [], ...prepared.run(given) };
  if (kind !== "first") return { rows: prepared.all(given), changes: 0, lastRow: 0 };
  const row = prepared.get(given);
  return { rows: row ? [row] : [], changes: 0, lastRow: 0 };
}

/** Whoever asks outside of a write. */
export class ConnectionAsking implements Asking {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  ask<T>(asked: Asked, read: (answer: Answer) => T): T {
    return read(answerOf(this.#connection, asked));
  }

  run<T>(steps: Steps<T>): T {
    return runNow(steps, (asked) => answerOf(this.#connection, asked));
  }
}
