/** Executor: executes statements on one SQLite connection, synchronously. */
import {
  type StatementResult,
  type BoundStatement,
  type Executor,
  type Row,
  runNow,
  type Steps,
} from "../../rows/steps.ts";
import type { Connection } from "./connection.ts";

/** Executes a statement on a connection. */
export function executeStatement<R extends Row>(
  connection: Connection,
  { statement, values, kind }: BoundStatement<R>,
): StatementResult<R> {
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

  execute<T, R extends Row>(bound: BoundStatement<R>, read: (answer: StatementResult<R>) => T): T {
    return read(executeStatement(this.#connection, bound));
  }

  run<T>(steps: Steps<T>): T {
    return runNow(steps, (bound) => executeStatement(this.#connection, bound));
  }
}
