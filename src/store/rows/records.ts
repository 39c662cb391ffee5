/** Records of one resource: their statements, and their encoding. */
import type { RecordDraft, RecordValue, Value } from "../../expressions/value.ts";
import { recordColumns } from "../sql/decode.ts";
import { jointKeyColumn, keyColumn } from "../tables.ts";
import type { Decode, Encode } from "../sql/form.ts";
import { Conflict } from "../store.ts";
import { isKeyTooLong, isUnreachable, type KeyOf } from "./keys.ts";
import {
  allRows,
  type BoundStatement,
  change,
  firstRow,
  expected,
  type Row,
  type Statement,
  type Steps,
} from "./steps.ts";
import type { RowDialect } from "./row-dialect.ts";
import type { Table } from "../table.ts";
import type { SqlValue } from "../sql/sql-value.ts";

/** The maximum number of cached statements of one kind, for one resource. */
const statementsMax = 64;

/** Decodes a record from a row with the columns of `recordColumns`, in their order. */
export function recordDecoder(
  table: Table,
  { decoderOf }: Pick<RowDialect, "decoderOf">,
): (row: Row) => RecordValue {
  const hiddenCount = table.marked ? 3 : 2;
  const names = table.columns.map((column) => column.name);
  const decoders = table.columns.map((column): Decode => decoderOf(column.storage));
  const empty = emptyRecord(table, 0);
  return (row) => {
    const record: RecordDraft = { ...empty };
    record["#row"] = row[0] as number;
    record["#revision"] = row[1] as number;
    if (table.marked) record["#deleted"] = row[2] === 1 || row[2] === true;
    for (let index = 0; index < names.length; index += 1) {
      record[names[index] as string] = (decoders[index] as Decode)(row[index + hiddenCount] as never);
    }
    return record;
  };
}

/**
 * A record with all of its names and no values. It is copied as a whole, because objects to which
 * names are added one by one become hash tables.
 */
function emptyRecord(table: Table, revision: number): RecordValue {
  const fields: Record<string, Value> = Object.fromEntries(
    table.columns.map((column) => [column.name, null]),
  );
  return { "#row": 0, "#revision": revision, ...(table.marked ? { "#deleted": false } : {}), ...fields };
}

/** Stores, changes and fetches records of one resource. */
export class Records {
  readonly table: Table;
  readonly #names: readonly string[];
  readonly #encoders: readonly Encode[];
  readonly #keyOf: KeyOf;
  readonly #columnIndex: ReadonlyMap<string, number>;
  readonly #decode: (row: Row) => RecordValue;
  /** A new record before its fields are set. */
  readonly #empty: RecordValue;
  readonly #statements: ReturnType<typeof statementsOf>;
  /** Cached statements, by the changed columns and by the conditions of lookups. */
  readonly #updates = new Map<string, Statement>();
  readonly #searches = new Map<string, Statement>();
  readonly #words: RowDialect;
  /** The column by whose index updates find their record, instead of the row number. */
  readonly #key: string | undefined;

  constructor(table: Table, keyOf: KeyOf, words: RowDialect) {
    this.table = table;
    this.#keyOf = keyOf;
    this.#words = words;
    this.#names = table.columns.map((column) => column.name);
    this.#encoders = table.columns.map((column) => words.encoderOf(column, keyOf));
    this.#columnIndex = new Map(this.#names.map((name, index) => [name, index]));
    this.#decode = recordDecoder(table, words);
    this.#statements = statementsOf(table, words);
    this.#empty = emptyRecord(table, 1);
    this.#key = words.updatesBy === "identifier" ? indexedKey(table) : undefined;
  }

  /**
   * Inserts a record.
   * @throws Conflict if its identifier is too long
   */
  *insert(fields: Readonly<Record<string, Value>>): Steps<RecordValue> {
    const key = this.keyOf(fields);
    this.#checkKey(key);
    const names = this.#names;
    const values: SqlValue[] = new Array(names.length);
    for (let index = 0; index < names.length; index += 1) {
      values[index] = (this.#encoders[index] as Encode)(fields[names[index] as string]);
    }
    if (this.table.key) values.push(key as SqlValue);
    const record: RecordDraft = { ...this.#empty };
    for (const name of names) record[name] = fields[name] ?? null;
    const { insert, numbered } = this.#statements;
    record["#row"] = (yield expected(insert, values, { of: this.table.name }, numbered)).lastRow;
    return record;
  }

  /** The key of a record, by which references refer to it. */
  keyOf(record: Readonly<Record<string, Value>>): Value {
    return this.#keyOf(this.table.name, record);
  }

  /**
   * Changes some columns, and returns the new record; undefined if it no longer exists. If the
   * revision is unchanged, the record is the one that was read, so the result is known without a
   * query. Otherwise it is read again.
   */
  *update(record: RecordValue, changes: Readonly<Record<string, Value>>): Steps<RecordValue | undefined> {
    const indexes: number[] = [];
    for (const name of Object.keys(changes)) {
      const index = this.#columnIndex.get(name);
      if (index !== undefined && changes[name] !== undefined) indexes.push(index);
    }
    if (indexes.length === 0) return record;
    const values = indexes.map((index) =>
      (this.#encoders[index] as Encode)(changes[this.#names[index] as string]),
    );
    const changed = this.#changedKey(record, changes);
    if (changed) yield changed;
    // After a change of the identifier, a lookup by the old one no longer finds this row. So the
    // change affects the whole table.
    const about = changed ? { of: this.table.name } : { of: this.table.name, row: record["#row"] };
    const update = (read: RecordValue) => this.#updateOf(read, indexes, values, changed !== undefined);
    const { changes: count } = yield expected(...update(record), about, oneChange);
    if (count === 1) return changedRecord(record, changes);
    const current = yield* this.byRow(record["#row"]);
    if (!current) return undefined;
    yield change(...update(current));
    return changedRecord(current, changes);
  }

  /**
   * The statement for a changed identifier, which an operator can correct. The database rejects it
   * if other records refer to the record.
   */
  #changedKey(record: RecordValue, changes: Readonly<Record<string, Value>>): BoundStatement | undefined {
    const { key, identifier } = this.table;
    if (
      !identifier.some(
        (candidate) => changes[candidate] !== undefined && changes[candidate] !== record[candidate],
      )
    )
      return undefined;
    const next = this.keyOf({ ...record, ...changes });
    this.#checkKey(next);
    return key && change(this.#statements.changeKey, [next as SqlValue, record["#row"]]);
  }

  #checkKey(key: Value): void {
    const { name, identifier } = this.table;
    if (isKeyTooLong(key)) throw new Conflict("too long", name, identifier);
    if (isUnreachable(key, identifier.length)) throw new Conflict("unreachable", name, identifier);
  }

  *byRow(row: number): Steps<RecordValue | undefined> {
    const { rows } = yield firstRow(this.#statements.byRow, [row]);
    return rows[0] && this.#decode(rows[0]);
  }

  /** The records for which a condition on the table's columns holds, in order of creation. */
  *where(condition: string, values: readonly SqlValue[], limit: number): Steps<readonly RecordValue[]> {
    const statement = kept(this.#searches, condition, () => ({
      sql: `${this.#statements.select} WHERE ${condition} ORDER BY "#row" ${this.#words.limit}`,
    }));
    const { rows } = yield allRows(statement, [...values, limit]);
    return rows.map(this.#decode);
  }

  *remove(row: number): Steps<void> {
    yield expected(this.#statements.remove, [row], { of: this.table.name, row });
  }

  /** Sets `#deleted`, and returns the changed record. */
  *mark(record: RecordValue): Steps<RecordValue> {
    yield change(this.#statements.mark, [record["#row"]]);
    return (yield* this.byRow(record["#row"])) ?? record;
  }

  encode(name: string, value: Value): SqlValue {
    const index = this.#columnIndex.get(name);
    return index === undefined ? null : (this.#encoders[index] as Encode)(value);
  }

  /**
   * The update of some columns of a record as it was read, with the values that it binds.
   * @param isKeyChanged whether the joint key is no longer that of the record
   */
  #updateOf(
    record: RecordValue,
    indexes: readonly number[],
    values: readonly SqlValue[],
    isKeyChanged: boolean,
  ): readonly [Statement, readonly SqlValue[]] {
    const key = isKeyChanged ? null : this.#keyValue(record);
    const by = key === null ? "row" : "key";
    const statement = kept(this.#updates, `${by} ${indexes.join(" ")}`, () => {
      const sets = indexes.map((index) => `${this.#words.column(this.#names[index] as string)} = ?`);
      // `+ 0` keeps the database from using the index of row numbers.
      const found =
        key === null ? `"#row" = ?` : `${this.#words.column(this.#key as string)} = ? AND "#row" + 0 = ?`;
      return {
        sql: `UPDATE ${this.#words.table(this.table.name)} SET ${sets.join(", ")}, "#revision" = "#revision" + 1 WHERE ${found} AND "#revision" = ?`,
      };
    });
    return [statement, [...values, ...(key === null ? [] : [key]), record["#row"], record["#revision"]]];
  }

  /** The value of the column by which updates find their record; null to find it by its row. */
  #keyValue(record: RecordValue): SqlValue {
    const name = this.#key;
    if (name === undefined) return null;
    if (name === jointKeyColumn) return this.keyOf(record) as SqlValue;
    const value = record[name];
    return value === undefined || value === null ? null : this.encode(name, value);
  }
}

const oneChange = { changes: 1 };

/** The column of the key, if its unique index has the stored values themselves. */
function indexedKey(table: Table): string | undefined {
  const name = keyColumn(table);
  const column = table.columns.find((candidate) => candidate.name === name);
  return column?.anyCase || column?.storage === "json" ? undefined : name;
}

function statementsOf(table: Table, words: RowDialect) {
  const name = words.table(table.name);
  const select = `SELECT ${recordColumns(table).map(words.column).join(", ")} FROM ${name}`;
  return {
    select,
    insert: { sql: insertSql(table, words) + words.reportsRow },
    numbered: { numbered: { sql: insertSql(table, words, ["#row"]) }, changes: 1 },
    byRow: { sql: `${select} WHERE "#row" = ?` },
    changeKey: { sql: `UPDATE ${name} SET ${words.column(jointKeyColumn)} = ? WHERE "#row" = ?` },
    remove: { sql: `DELETE FROM ${name} WHERE "#row" = ?` },
    mark: {
      sql: `UPDATE ${name} SET "#deleted" = TRUE, "#revision" = "#revision" + 1 WHERE "#row" = ? AND "#deleted" = FALSE`,
    },
  };
}

/** The cached statement of a key. Above the maximum, the oldest statement is dropped. */
function kept(known: Map<string, Statement>, key: string, make: () => Statement): Statement {
  let statement = known.get(key);
  if (!statement) {
    const oldest = known.size >= statementsMax ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    statement = make();
    known.set(key, statement);
  }
  return statement;
}

function changedRecord(record: RecordValue, changes: Readonly<Record<string, Value>>): RecordValue {
  const changed: RecordDraft = { ...record };
  for (const name in changes) changed[name] = changes[name] as Value;
  changed["#revision"] = record["#revision"] + 1;
  return changed;
}

function insertSql(table: Table, words: RowDialect, more: readonly string[] = []): string {
  const name = words.table(table.name);
  const names = table.columns.map((column) => words.column(column.name));
  if (table.key) names.push(words.column(jointKeyColumn));
  names.push(...more.map(words.column));
  if (names.length === 0) return `INSERT INTO ${name} DEFAULT VALUES`;
  return `INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
}
