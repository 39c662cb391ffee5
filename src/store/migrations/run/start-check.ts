/**
 * Start check: evaluates the document's start records (`### Records of Currency`) on the migrated
 * tables, before the migration is committed. What they change is rolled back. The service applies
 * them when it starts (`engine/records/start-records.ts`), so a migration whose rows would be
 * refused is refused as a whole.
 */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import { after, type Awaitable } from "../../../support/awaitable.ts";
import { Fault } from "../../../support/invariant.ts";
import { RefusedError } from "../../../support/ninefold-error.ts";
import { BaseStore, type Queries } from "../../base-store.ts";
import { StoreMismatch } from "../../errors.ts";
import type { OwnQuery } from "../../rows/session.ts";
import {
  allRows,
  type BoundStatement,
  change,
  firstRow,
  type Row,
  runLater,
  type StatementResult,
  type Steps,
} from "../../rows/steps.ts";
import { type RunningWrite, RowsTransaction, type StoreTables } from "../../rows/transaction.ts";
import type { SqlValue } from "../../sql/sql-value.ts";
import type { StartCheck } from "../../start-check.ts";
import type { NewEvent, Store } from "../../store.ts";
import { startRows } from "./start-rows.ts";

/** The migrated tables, inside of the migration's transaction. */
export interface UncommittedTables {
  /** The store's name in messages. */
  readonly path: string;
  readonly tables: StoreTables;
  readonly queries: Queries;
  readonly execute: <R extends Row>(bound: BoundStatement<R>) => Awaitable<StatementResult<R>>;
}

/** Whether rows of the document are not applied yet. */
export function* hasNewStartRows({ settings }: StartCheck): Steps<boolean> {
  const applied = new Map((yield* startRows()).map(({ name, text }) => [name, text]));
  return [...settings].some(([name, text]) => applied.get(name) !== text);
}

/** @throws StoreMismatch if a row can't be stored */
export async function checkStart(check: StartCheck, uncommitted: UncommittedTables): Promise<void> {
  const { path, execute, tables, queries } = uncommitted;
  if (!(await runLater(hasNewStartRows(check), execute))) return;
  const transaction = new UncommittedTransaction(tables, new UncommittedWrite(execute));
  const go = async (sql: string) => void (await execute(change({ sql }, [])));
  await go("SAVEPOINT start_check");
  try {
    await check.apply(new UncommittedStore(queries), transaction);
  } catch (error) {
    if (!(error instanceof RefusedError) || error instanceof StoreMismatch) throw error;
    throw new StoreMismatch(path, [], [error.message]);
  } finally {
    await go("ROLLBACK TO start_check");
    await go("RELEASE start_check");
  }
}

const unneeded = (what: string): never => {
  throw new Fault(`a start check needs ${what}, which a migration doesn't have`);
};

/** It prepares queries. Everything else happens in the migration's transaction. */
class UncommittedStore extends BaseStore implements Store {
  get session(): Store["session"] {
    return unneeded("committed data");
  }
  write(): never {
    return unneeded("a transaction of its own");
  }
  fits(): never {
    return unneeded("another document");
  }
  status(): never {
    return unneeded("the store's status");
  }
  isEmpty(): never {
    return unneeded("the number of records");
  }
  async close(): Promise<void> {}
}

/** During a migration, the database doesn't enforce every foreign key. */
class UncommittedTransaction extends RowsTransaction {
  readonly #tables: StoreTables["tables"];
  readonly #write: RunningWrite;

  constructor(tables: StoreTables, write: RunningWrite) {
    super(tables, write);
    this.#tables = tables.tables;
    this.#write = write;
  }

  override insert(resource: string, fields: Readonly<Record<string, Value>>): Awaitable<RecordValue> {
    return after(super.insert(resource, fields), (record) => this.#withReferences(resource, fields, record));
  }

  override update(
    resource: string,
    record: RecordValue,
    changes: Readonly<Record<string, Value>>,
  ): Awaitable<RecordValue> {
    const updated = super.update(resource, record, changes);
    return after(updated, (next) => this.#withReferences(resource, changes, next));
  }

  async #withReferences(
    resource: string,
    fields: Readonly<Record<string, Value>>,
    record: RecordValue,
  ): Promise<RecordValue> {
    const conflict = await this.#write.run(this.#tables.brokenReference(resource, fields, undefined));
    if (conflict.kind === "unknown reference") throw conflict;
    return record;
  }
}

/** A write inside of the migration's transaction. Its events get no numbers. */
class UncommittedWrite implements RunningWrite {
  readonly #execute: UncommittedTables["execute"];

  constructor(execute: UncommittedTables["execute"]) {
    this.#execute = execute;
  }

  execute<T, R extends Row>(bound: BoundStatement<R>, read: (answer: StatementResult<R>) => T): Awaitable<T> {
    return after(this.#execute(bound), read);
  }

  run<T>(steps: Steps<T>): Awaitable<T> {
    return runLater(steps, this.#execute);
  }

  append(events: readonly NewEvent[]): readonly number[] {
    return events.map(() => 0);
  }

  lastAppended(): number {
    return 0;
  }

  queryRows(query: OwnQuery<unknown>, values: () => SqlValue[], first: boolean): Awaitable<readonly Row[]> {
    const bound = first ? firstRow(query, values()) : allRows(query, values());
    return after(this.#execute(bound), ({ rows }) => rows);
  }

  async part<T>(depth: number, work: () => Awaitable<T>): Promise<T> {
    const name = `part_${depth}`;
    const go = async (sql: string) => void (await this.#execute(change({ sql }, [])));
    await go(`SAVEPOINT ${name}`);
    try {
      return await work();
    } catch (error) {
      await go(`ROLLBACK TO ${name}`);
      throw error;
    } finally {
      await go(`RELEASE ${name}`);
    }
  }
}
