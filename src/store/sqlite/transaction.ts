/**
 * Write: runs one write of a SQLite store on its connection. `../group-commit.ts` schedules writes.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { StatementTimedOut } from "../errors.ts";
import { RecordTables } from "../rows/record-tables.ts";
import type { OwnQuery } from "../rows/session.ts";
import {
  type StatementResult,
  type BoundStatement,
  change,
  firstRow,
  isChange,
  ownStatement,
  type Row,
  runNow,
  type Steps,
} from "../rows/steps.ts";
import type { SystemState } from "../rows/system.ts";
import type { StoreTables, RunningWrite } from "../rows/transaction.ts";
import { tableName } from "../sql/fragment.ts";
import { Conflict, type NewEvent } from "../store.ts";
import { jointKeyColumn, type Tables } from "../tables.ts";
import { executeStatement } from "./connection/executor.ts";
import type { Connection } from "./connection/connection.ts";
import { hasForeignKey, uniqueName } from "./statements/ddl.ts";
import { isForeignKeyViolation, isUniqueViolation } from "./connection/failures.ts";
import type { WriteSlot } from "../write-slot.ts";
import { TimeLimitExceeded, withTimeLimit } from "./connection/time-bound.ts";
import { isOnExpression } from "./statements/unique-columns.ts";
import { sqliteRowDialect } from "./statements/row-dialect.ts";
import { messageOf } from "../../support/failure.ts";
import type { Machine } from "../../support/machine.ts";
import { type OwnStatements, ownStatements } from "../rows/own-statements.ts";
import type { Table, UniqueKey } from "../table.ts";
import type { SqlValue } from "../sql/sql-value.ts";

const foreignKeys = {
  deferred: change({ sql: "PRAGMA defer_foreign_keys = ON" }, []),
  atOnce: change({ sql: "PRAGMA defer_foreign_keys = OFF" }, []),
};

const appendEvent = ownStatement(
  "INSERT INTO ninefold_events (id, type, time, resource, row, subject, payload, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
);

/** The engine's statements in SQLite, the same for all stores. */
export const sqliteStatements: OwnStatements = ownStatements(sqliteRowDialect);

/** The tables, statements and unique keys of a SQLite store. */
export class SqliteTables implements StoreTables {
  readonly tables: RecordTables;
  readonly statements = sqliteStatements;
  readonly state: SystemState;
  /** Overwrites deleted content immediately. Otherwise it would stay in its pages. */
  readonly erasing = change({ sql: "PRAGMA secure_delete = ON" }, []);
  /** Unique keys by the text with which SQLite reports their violation. */
  readonly #uniques: ReadonlyMap<string, { readonly table: Table; readonly key: UniqueKey }>;

  constructor(tables: Tables, state: SystemState) {
    this.tables = new RecordTables(tables, sqliteRowDialect, (table, column) =>
      hasForeignKey(column, table, tables),
    );
    this.state = state;
    this.#uniques = new Map(
      tables.tables.flatMap((table) => [
        ...table.uniques.map((key) => [breachOf(table, key), { table, key }] as const),
        ...jointKeyBreach(table),
      ]),
    );
  }

  deferForeignKeys(isDeferred: boolean): BoundStatement {
    return isDeferred ? foreignKeys.deferred : foreignKeys.atOnce;
  }

  *conflictOf(
    error: unknown,
    resource: string,
    fields: Readonly<Record<string, Value>>,
    record: RecordValue | undefined,
  ): Steps<Conflict | undefined> {
    if (isUniqueViolation(error)) {
      const breach = this.#uniques.get(messageOf(error));
      return breach && new Conflict("duplicate", breach.table.name, breach.key.columns);
    }
    return isForeignKeyViolation(error)
      ? yield* this.tables.brokenReference(resource, fields, record)
      : undefined;
  }
}

function breachOf(table: Table, key: UniqueKey): string {
  if (isOnExpression(table, key)) return `UNIQUE constraint failed: index '${uniqueName(table, key)}'`;
  return `UNIQUE constraint failed: ${key.columns.map((column) => `${tableName(table.name)}.${column}`).join(", ")}`;
}

/**
 * If several identifying columns repeat, so does their joint key. SQLite may report either
 * violation first.
 */
function jointKeyBreach(table: Table): readonly (readonly [string, { table: Table; key: UniqueKey }])[] {
  if (!table.key) return [];
  const key = { columns: table.identifier, identifier: true };
  return [[`UNIQUE constraint failed: ${tableName(table.name)}.${jointKeyColumn}`, { table, key }]];
}

export class SqliteWrite implements RunningWrite {
  readonly #connection: Connection;
  readonly #slot: WriteSlot;
  /** The time limit of a single read statement, in milliseconds. */
  readonly #statementMs: number;
  readonly #elapsed: Machine["elapsed"];

  constructor(
    connection: Connection,
    slot: WriteSlot,
    statementMs: number,
    { elapsed }: Pick<Machine, "elapsed">,
  ) {
    this.#connection = connection;
    this.#slot = slot;
    this.#statementMs = statementMs;
    this.#elapsed = elapsed;
  }

  execute<T, R extends Row>(bound: BoundStatement<R>, read: (answer: StatementResult<R>) => T): T {
    return read(this.#answer(bound));
  }

  run<T>(steps: Steps<T>): T {
    return runNow(steps, (bound) => this.#answer(bound));
  }

  append(events: readonly NewEvent[]): readonly number[] {
    return events.map(({ id, type, time, resource, row, subject, payload, record = null }) => {
      const values = [id, type, time, resource, row, subject, payload, record];
      return this.#answer(change(appendEvent, values)).lastRow;
    });
  }

  lastAppended(): number {
    const [row] = this.#answer(firstRow(sqliteStatements.system.lastSequence, [])).rows;
    return row?.[0] ?? 0;
  }

  queryRows(query: OwnQuery<unknown>, values: () => SqlValue[], first: boolean): readonly Row[] {
    this.#slot.check();
    const bound: BoundStatement = { statement: query, values: values(), kind: first ? "first" : "all" };
    const read = () => executeStatement(this.#connection, bound).rows;
    try {
      return query.ticks ? withTimeLimit(this.#statementMs, read, 0, this.#elapsed) : read();
    } catch (error) {
      if (error instanceof TimeLimitExceeded) throw new StatementTimedOut(this.#statementMs);
      this.#slot.failed(error);
      throw error;
    }
  }

  async part<T>(depth: number, work: () => Awaitable<T>): Promise<T> {
    this.#slot.beforeChange();
    const name = `part_${depth}`;
    this.#connection.statement(`SAVEPOINT ${name}`).run([]);
    try {
      const result = await work();
      this.#slot.check();
      return result;
    } catch (error) {
      // A finished write or a failed group is already rolled back.
      this.#slot.check();
      this.#connection.statement(`ROLLBACK TO ${name}`).run([]);
      throw error;
    } finally {
      if (this.#slot.isRunning) this.#connection.statement(`RELEASE ${name}`).run([]);
    }
  }

  #answer<R extends Row>(bound: BoundStatement<R>): StatementResult<R> {
    if (isChange(bound)) this.#slot.beforeChange();
    else this.#slot.beforeRead();
    try {
      return executeStatement(this.#connection, bound);
    } catch (error) {
      this.#slot.failed(error);
      throw error;
    }
  }
}
