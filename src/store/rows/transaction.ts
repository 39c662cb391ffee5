/**
 * Rows transaction: one write's view of a store, with statements that change it, and queries that
 * see the changes.
 *
 * Each database starts, rolls back and ends it differently.
 */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import { type Awaitable, after, withRecovery } from "../../support/awaitable.ts";
import { invariant } from "../../support/invariant.ts";
import type {
  Conflict,
  DeletedRecord,
  Query,
  Restricted,
  ShapedRow,
  Transaction,
  ValueCount,
} from "../store.ts";
import { type Deletion, deleteRecord, eraseRecord } from "./deletion.ts";
import type { RecordTables } from "./record-tables.ts";
import { QuerySession, type QueryRows } from "./session.ts";
import type { BoundStatement, Steps, WriteExecutor } from "./steps.ts";
import { type SystemState, SystemWriter } from "./system.ts";
import type { OwnStatements } from "./own-statements.ts";

/** The tables and statements that all writes of a store share. */
export interface StoreTables {
  readonly tables: RecordTables;
  readonly statements: OwnStatements;
  readonly state: SystemState;
  /** Foreign keys are checked immediately, except between these two calls. */
  deferForeignKeys(isDeferred: boolean): BoundStatement;
  /** Executed before an erasure, if the database would otherwise leave deleted content readable. */
  readonly erasing?: BoundStatement;
  /**
   * The unique key or reference that a failed statement violated; undefined for another error.
   * @param record the record before the change; undefined if it is new
   */
  conflictOf(
    error: unknown,
    resource: string,
    fields: Readonly<Record<string, Value>>,
    record: RecordValue | undefined,
  ): Steps<Conflict | undefined>;
}

/** A running write of a database. */
export interface RunningWrite extends WriteExecutor {
  queryRows: QueryRows;
  /**
   * Runs `work` in a savepoint.
   * @param depth the number of enclosing savepoints
   */
  part<T>(depth: number, work: () => Awaitable<T>): Promise<T>;
}

/** The maximum number of nested parts of a write. */
const partDepthMax = 32;

/** A write's view of a store, over a running write of any database. */
export class RowsTransaction implements Transaction {
  readonly #tables: StoreTables;
  readonly #write: RunningWrite;
  readonly #session: QuerySession;
  #system: SystemWriter | undefined;
  #depth = 0;
  /** The resources of which this write has removed records. */
  readonly #removed = new Set<string>();

  constructor(ground: StoreTables, write: RunningWrite) {
    this.#tables = ground;
    this.#write = write;
    this.#session = new QuerySession((query, values, first) => write.queryRows(query, values, first));
  }

  get system(): SystemWriter {
    const { state, statements } = this.#tables;
    this.#system ??= new SystemWriter(this.#write, state, statements);
    return this.#system;
  }

  insert(resource: string, fields: Readonly<Record<string, Value>>): Awaitable<RecordValue> {
    const inserted = this.#changing(resource, fields, undefined, this.#insert(resource, fields));
    return after(inserted, (record) => this.#noted(resource, record));
  }

  update(
    resource: string,
    record: RecordValue,
    changes: Readonly<Record<string, Value>>,
  ): Awaitable<RecordValue> {
    const steps = this.#update(resource, record, changes);
    return after(this.#changing(resource, changes, record, steps), (updated) => {
      invariant(updated, `a ${resource} was changed that is no longer there`);
      return this.#noted(resource, updated);
    });
  }

  *#insert(resource: string, fields: Readonly<Record<string, Value>>): Steps<RecordValue> {
    const { tables } = this.#tables;
    yield* tables.unenforced.check(resource, fields, this.#removed);
    return yield* tables.records(resource).insert(fields);
  }

  *#update(
    resource: string,
    record: RecordValue,
    changes: Readonly<Record<string, Value>>,
  ): Steps<RecordValue | undefined> {
    const { tables } = this.#tables;
    yield* tables.unenforced.check(resource, changes, this.#removed);
    return yield* tables.records(resource).update(record, changes);
  }

  delete(resource: string, record: RecordValue): Awaitable<readonly DeletedRecord[]> {
    const deleted = this.#changing(resource, {}, record, deleteRecord(this.#deletion, resource, record));
    return after(deleted, (all) => this.#allNoted(all));
  }

  erase(resource: string, record: RecordValue, restricted: Restricted): Awaitable<readonly DeletedRecord[]> {
    const erased = this.#changing(resource, {}, record, this.#erase(resource, record, restricted));
    return after(erased, (all) => this.#allNoted(all));
  }

  *#erase(resource: string, record: RecordValue, restricted: Restricted): Steps<readonly DeletedRecord[]> {
    const { erasing } = this.#tables;
    if (erasing) yield erasing;
    return yield* eraseRecord(this.#deletion, resource, record, restricted);
  }

  next(name: string, within: string): Awaitable<number> {
    return this.system.next(name, within);
  }

  advancePast(name: string, within: string, value: number): Awaitable<void> {
    return this.system.advancePast(name, within, value);
  }

  async part<T>(work: () => Awaitable<T>): Promise<T> {
    invariant(this.#depth < partDepthMax, "too many parts inside of parts of a write");
    const depth = this.#depth;
    this.#depth += 1;
    try {
      return await this.#write.part(depth, work);
    } finally {
      this.#depth -= 1;
    }
  }

  records(query: Query<RecordValue>, frame: Frame): Awaitable<readonly RecordValue[]> {
    return this.#session.records(query, frame);
  }

  record(query: Query<RecordValue>, frame: Frame): Awaitable<RecordValue | null> {
    return this.#session.record(query, frame);
  }

  count(query: Query<number>, frame: Frame): Awaitable<number> {
    return this.#session.count(query, frame);
  }

  counts(query: Query<ValueCount>, frame: Frame): Awaitable<readonly ValueCount[]> {
    return this.#session.counts(query, frame);
  }

  shaped(query: Query<ShapedRow>, frame: Frame): Awaitable<readonly ShapedRow[]> {
    return this.#session.shaped(query, frame);
  }

  json(query: Query<string>, frame: Frame): Awaitable<string> {
    return this.#session.json(query, frame);
  }

  value(query: Query<Value>, frame: Frame): Awaitable<Value> {
    return this.#session.value(query, frame);
  }

  get #deletion(): Deletion {
    const { tables, deferForeignKeys } = this.#tables;
    return {
      records: (resource) => tables.records(resource),
      references: tables.references,
      words: tables.words,
      deferForeignKeys,
    };
  }

  #noted(resource: string, record: RecordValue): RecordValue {
    this.#tables.state.noteChange(resource, record["#row"]);
    return record;
  }

  #allNoted(deleted: readonly DeletedRecord[]): readonly DeletedRecord[] {
    for (const { resource, before, after } of deleted) {
      this.#tables.state.noteChange(resource, before["#row"]);
      if (!after) this.#removed.add(resource);
    }
    return deleted;
  }

  #changing<T>(
    resource: string,
    fields: Readonly<Record<string, Value>>,
    record: RecordValue | undefined,
    steps: Steps<T>,
  ): Awaitable<T> {
    return withRecovery(
      () => this.#write.run(steps),
      (error) =>
        after(this.#write.run(this.#tables.conflictOf(error, resource, fields, record)), (conflict) => {
          throw conflict ?? error;
        }),
    );
  }
}
