/** Executor: executes statements on one SQLite connection, synchronously. */
import {
  type Answer,
  type BoundStatement,
  type Executor,
  type Row,
  runNow,
  type Steps,
} from "../rows/steps.ts";
import type { Connection } from "./connection.ts";

/** Executes a statement on a connection. */
export function answerOf<R extends Row>(
  connection: Connection,
  { statement, values, kind }: BoundStatement<R>,
): Answer<R> {
  const prepared = connection.ofQuery(statement);
  if (kind === "change") return { rows: [], ...prepared.run(values) };
  if (kind !== "first") return { rows: prepared.all<R>(values), changes: 0, lastRow: 0 };
  const row = prepared.get<R>(values);
  return { rows: row ? [row] : [], changes: 0, lastRow: 0 };
}

/** Executes statements outside a write. */
export class ConnectionExecutor implements Executor {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  execute<T, R extends Row>(bound: BoundStatement<R>, read: (answer: Answer<R>) => T): T {
    return read(answerOf(this.#connection, bound));
  }

  run<T>(steps: Steps<T>): T {
    return runNow(steps, (bound) => answerOf(this.#connection, bound));
  }
}
