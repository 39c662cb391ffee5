/** One write's view of the store: changes by prepared statements, and queries that see them. Which writes run when is `group-commit.ts`'s. */
import type { Frame, RecordValue, Value } from "../../expressions/value.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { invariant } from "../../support/invariant.ts";
import type { ReferencePlace } from "../references.ts";
import { StatementTimedOut } from "../errors.ts";
import {
  Conflict,
  type DeletedRecord,
  type Query,
  type Restricted,
  type ShapedRow,
  type Transaction,
  type ValueCount,
} from "../store.ts";
import { jointKeyColumn, type Table, type Tables, type UniqueKey } from "../tables.ts";
import { quoted, quotedTable, tableName } from "../sql/fragment.ts";
import { keysOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { uniqueName } from "./ddl.ts";
import { isOnExpression } from "./unique-columns.ts";
import { type Deletion, deleteRecord, eraseRecord } from "./deletion.ts";
import { isForeignKeyViolation, isUniqueViolation } from "./failures.ts";
import type { Hold } from "./group-commit.ts";
import { Records } from "./records.ts";
import { TimeOver, withinTime } from "./reading/time-bound.ts";
import { ownQuery, QuerySession } from "./session.ts";
import { type SystemState, SystemWriter } from "./system.ts";

/** What all writes of a store share: the writing connection and its statements for each resource. */
export class Writer implements Deletion {
  readonly connection: Connection;
  readonly references: readonly ReferencePlace[];
  readonly state: SystemState;
  readonly session: QuerySession;
  /** How long one statement that reads may take. */
  readonly statementMs: number;
  readonly #records: ReadonlyMap<string, Records>;
  /** The unique keys by the words in which SQLite reports their breach. */
  readonly #uniques: ReadonlyMap<string, { readonly table: Table; readonly key: UniqueKey }>;

  constructor(connection: Connection, tables: Tables, state: SystemState, statementMs: number) {
    this.connection = connection;
    this.statementMs = statementMs;
    this.references = tables.references;
    this.state = state;
    this.session = new QuerySession(connection);
    const keyOf = keysOf(tables.tables);
    this.#records = new Map(
      tables.tables.map((table) => [table.name, new Records(table, connection, keyOf)]),
    );
    this.#uniques = new Map(
      tables.tables.flatMap((table) => [
        ...table.uniques.map((key) => [breachOf(table, key), { table, key }] as const),
        ...jointKeyBreach(table),
      ]),
    );
  }

  records(resource: string): Records {
    const found = this.#records.get(resource);
    invariant(found, `${resource} has no table`);
    return found;
  }

  deferForeignKeys(isDeferred: boolean): void {
    this.connection.exec(`PRAGMA defer_foreign_keys = ${isDeferred ? "ON" : "OFF"}`);
  }

  /** The law that a failed statement would have broken, where it was one. */
  conflictOf(
    error: unknown,
    resource: string,
    fields: Readonly<Record<string, Value>>,
  ): Conflict | undefined {
    if (isUniqueViolation(error)) {
      const breach = this.#uniques.get((error as Error).message);
      return breach && new Conflict("duplicate", breach.table.name, breach.key.columns);
    }
    if (!isForeignKeyViolation(error)) return undefined;
    const { table } = this.records(resource);
    const missing = table.columns.find(
      (column) =>
        fields[column.name] != null && !this.#isThere(table, column.name, fields[column.name] as Value),
    );
    // Every reference leads somewhere, so it is the identifier that others hold which was to be changed.
    return missing
      ? new Conflict("unknown reference", resource, [missing.name])
      : new Conflict("in use", resource, table.identifier);
  }

  #isThere(table: Table, field: string, value: Value): boolean {
    const target = table.columns.find((column) => column.name === field)?.refersTo;
    if (!target) return true;
    const text = `SELECT 1 FROM ${quotedTable(target.resource)} WHERE ${quoted(target.field)} = ?`;
    return this.connection.statement(text).get([this.records(table.name).encode(field, value)]) !== undefined;
  }
}

function breachOf(table: Table, key: UniqueKey): string {
  if (isOnExpression(table, key)) return `UNIQUE constraint failed: index '${uniqueName(table, key)}'`;
  return `UNIQUE constraint failed: ${key.columns.map((column) => `${tableName(table.name)}.${column}`).join(", ")}`;
}

/** The text made of several identifying columns repeats where they do, and either may be told first. */
function jointKeyBreach(table: Table): readonly (readonly [string, { table: Table; key: UniqueKey }])[] {
  if (!table.key) return [];
  const key = { columns: table.identifier, identifier: true };
  return [[`UNIQUE constraint failed: ${tableName(table.name)}.${jointKeyColumn}`, { table, key }]];
}

/** Parts inside of parts of one write. */
const partDepthMax = 32;

export class SqliteTransaction implements Transaction {
  #system: SystemWriter | undefined;
  readonly #writer: Writer;
  readonly #hold: Hold;
  readonly #session: QuerySession;
  #depth = 0;

  constructor(writer: Writer, hold: Hold) {
    this.#writer = writer;
    this.#hold = hold;
    this.#session = writer.session;
  }

  get system(): SystemWriter {
    this.#system ??= new SystemWriter(this.#writer.connection, this.#writer.state, this.#hold);
    return this.#system;
  }

  insert(resource: string, fields: Readonly<Record<string, Value>>): RecordValue {
    const inserted = this.#changing(resource, fields, () => this.#writer.records(resource).insert(fields));
    this.#writer.state.noteChange(resource, inserted["#row"]);
    return inserted;
  }

  update(resource: string, record: RecordValue, changes: Readonly<Record<string, Value>>): RecordValue {
    const updated = this.#changing(resource, changes, () =>
      this.#writer.records(resource).update(record, changes),
    );
    invariant(updated, `a ${resource} was changed that is no longer there`);
    this.#writer.state.noteChange(resource, updated["#row"]);
    return updated;
  }

  delete(resource: string, record: RecordValue): readonly DeletedRecord[] {
    const gone = this.#changing(resource, {}, () => deleteRecord(this.#writer, resource, record));
    for (const one of gone) this.#writer.state.noteChange(one.resource, one.before["#row"]);
    return gone;
  }

  erase(resource: string, record: RecordValue, restricted: Restricted): readonly DeletedRecord[] {
    // What goes is written over at once, rather than left in the pages that it stood on.
    this.#writer.connection.exec("PRAGMA secure_delete = ON");
    const gone = this.#changing(resource, {}, () => eraseRecord(this.#writer, resource, record, restricted));
    for (const one of gone) this.#writer.state.noteChange(one.resource, one.before["#row"]);
    return gone;
  }

  next(name: string, within: string): number {
    return this.system.next(name, within);
  }

  goOnBehind(name: string, within: string, value: number): void {
    this.system.goOnBehind(name, within, value);
  }

  async part<T>(work: () => Awaitable<T>): Promise<T> {
    invariant(this.#depth < partDepthMax, "too many parts inside of parts of a write");
    const { connection } = this.#writer;
    this.#hold.beforeChange();
    const name = `part_${this.#depth}`;
    connection.statement(`SAVEPOINT ${name}`).run([]);
    this.#depth += 1;
    try {
      const result = await work();
      this.#hold.check();
      return result;
    } catch (error) {
      // Of a write that is over, or a group that is lost, everything is taken back already.
      this.#hold.check();
      connection.statement(`ROLLBACK TO ${name}`).run([]);
      throw error;
    } finally {
      this.#depth -= 1;
      if (this.#hold.isGood) connection.statement(`RELEASE ${name}`).run([]);
    }
  }

  records(query: Query<RecordValue>, frame: Frame): readonly RecordValue[] {
    return this.#reading(query, () => this.#session.records(query, frame));
  }

  record(query: Query<RecordValue>, frame: Frame): RecordValue | null {
    return this.#reading(query, () => this.#session.record(query, frame));
  }

  count(query: Query<number>, frame: Frame): number {
    return this.#reading(query, () => this.#session.count(query, frame));
  }

  counts(query: Query<ValueCount>, frame: Frame): readonly ValueCount[] {
    return this.#reading(query, () => this.#session.counts(query, frame));
  }

  shaped(query: Query<ShapedRow>, frame: Frame): readonly ShapedRow[] {
    return this.#reading(query, () => this.#session.shaped(query, frame));
  }

  json(query: Query<string>, frame: Frame): string {
    return this.#reading(query, () => this.#session.json(query, frame));
  }

  value(query: Query<Value>, frame: Frame): Value {
    return this.#reading(query, () => this.#session.value(query, frame));
  }

  #reading<T>(query: Query<unknown>, read: () => T): T {
    this.#hold.check();
    const { statementMs } = this.#writer;
    try {
      return ownQuery(query).ticks ? withinTime(statementMs, read) : read();
    } catch (error) {
      if (error instanceof TimeOver) throw new StatementTimedOut(statementMs);
      this.#hold.failed(error);
      throw error;
    }
  }

  #changing<T>(resource: string, fields: Readonly<Record<string, Value>>, change: () => T): T {
    this.#hold.beforeChange();
    try {
      return change();
    } catch (error) {
      this.#hold.failed(error);
      throw this.#writer.conflictOf(error, resource, fields) ?? error;
    }
  }
}
