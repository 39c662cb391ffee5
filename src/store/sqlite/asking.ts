/** Asks one connection, which answers at once. */
import { type Answer, type Asked, type Asking, type Row, runNow, type Steps } from "../rows/steps.ts";
import type { Connection } from "./connection.ts";

export function answerOf<R extends Row>(
  connection: Connection,
  { statement, values, kind }: Asked<R>,
): Answer<R> {
  const prepared = connection.ofQuery(statement);
  if (kind === "change") return { rows: [], ...prepared.run(values) };
  if (kind !== "first") return { rows: prepared.all<R>(values), changes: 0, lastRow: 0 };
  const row = prepared.get<R>(values);
  return { rows: row ? [row] : [], changes: 0, lastRow: 0 };
}

/** Whoever asks outside of a write. */
export class ConnectionAsking implements Asking {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  ask<T, R extends Row>(asked: Asked<R>, read: (answer: Answer<R>) => T): T {
    return read(answerOf(this.#connection, asked));
  }

  run<T>(steps: Steps<T>): T {
    return runNow(steps, (asked) => answerOf(this.#connection, asked));
  }
}
