/** Whole records of one resource: their statements, and how they go in and out. */
import type { SQLInputValue } from "node:sqlite";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { recordColumns } from "../sql/decode.ts";
import { quoted, quotedTable } from "../sql/fragment.ts";
import { jointKeyColumn, type Table } from "../tables.ts";
import { type Decode, decoderOf, type Encode, encoderOf, type KeyOf } from "./columns.ts";
import { boundLimit } from "./bound-limit.ts";
import type { Connection, Row, Statement } from "./connection.ts";

/** Update statements kept for one resource: one for each set of columns that change together. */
const updateStatementsMax = 64;

/** Reads a record out of a row that has the columns of `recordColumns`, in their order. */
export function recordDecoder(table: Table): (row: Row) => RecordValue {
  const hiddenCount = table.marked ? 3 : 2;
  const names = table.columns.map((column) => column.name);
  const decoders = table.columns.map((column): Decode => decoderOf(column.storage));
  const empty = emptyRecord(table, 0);
  return (row) => {
    const record: Record<string, Value> = { ...empty };
    record["#row"] = row[0] as number;
    record["#revision"] = row[1] as number;
    if (table.marked) record["#deleted"] = row[2] === 1;
    for (let index = 0; index < names.length; index += 1) {
      record[names[index] as string] = (decoders[index] as Decode)(row[index + hiddenCount] as never);
    }
    return record as unknown as RecordValue;
  };
}

/** All that a record has, with nothing in it: copied whole, for objects to which names are added one by one become hash tables. */
function emptyRecord(table: Table, revision: number): Readonly<Record<string, Value>> {
  const fields = Object.fromEntries(table.columns.map((column) => [column.name, null]));
  return { "#row": 0, "#revision": revision, ...(table.marked ? { "#deleted": false } : {}), ...fields };
}

/** Stores, changes and fetches records of one resource on one connection. */
export class Records {
  readonly table: Table;
  readonly #connection: Connection;
  readonly #names: readonly string[];
  readonly #encoders: readonly Encode[];
  readonly #keyOf: KeyOf;
  readonly #columnIndex: ReadonlyMap<string, number>;
  readonly #insert: Statement;
  readonly #decode: (row: Row) => RecordValue;
  readonly #selected: string;
  /** A new record before its fields are set. */
  readonly #empty: Readonly<Record<string, Value>>;
  readonly #updates = new Map<string, Statement>();

  constructor(table: Table, connection: Connection, keyOf: KeyOf) {
    this.table = table;
    this.#keyOf = keyOf;
    this.#connection = connection;
    this.#names = table.columns.map((column) => column.name);
    this.#encoders = table.columns.map((column) => encoderOf(column, keyOf));
    this.#columnIndex = new Map(this.#names.map((name, index) => [name, index]));
    this.#decode = recordDecoder(table);
    this.#selected = recordColumns(table).map(quoted).join(", ");
    this.#insert = connection.prepare(insertSql(table));
    this.#empty = emptyRecord(table, 1);
  }

  insert(fields: Readonly<Record<string, Value>>): RecordValue {
    const names = this.#names;
    const values: SQLInputValue[] = new Array(names.length);
    for (let index = 0; index < names.length; index += 1) {
      values[index] = (this.#encoders[index] as Encode)(fields[names[index] as string]);
    }
    if (this.table.key) values.push(this.keyOf(fields) as SQLInputValue);
    const record: Record<string, Value> = { ...this.#empty };
    for (const name of names) record[name] = fields[name] ?? null;
    record["#row"] = this.#insert.run(values).lastRow;
    return record as unknown as RecordValue;
  }

  /** What a record is referred to by. */
  keyOf(record: Readonly<Record<string, Value>>): Value {
    return this.#keyOf(this.table.name, record);
  }

  /**
   * Changes some columns. A record whose revision is still the one at hand has not changed since it was read, so the new one
   * is known without reading it; else it is read back. Undefined when the record is gone.
   */
  update(record: RecordValue, changes: Readonly<Record<string, Value>>): RecordValue | undefined {
    const indexes: number[] = [];
    for (const name of Object.keys(changes)) {
      const index = this.#columnIndex.get(name);
      if (index !== undefined && changes[name] !== undefined) indexes.push(index);
    }
    if (indexes.length === 0) return record;
    const values = indexes.map((index) =>
      (this.#encoders[index] as Encode)(changes[this.#names[index] as string]),
    );
    this.#changeKey(record, changes);
    const update = this.#updateStatement(indexes);
    if (update.run([...values, record["#row"], record["#revision"]]).changes === 1)
      return changedRecord(record, changes);
    const current = this.byRow(record["#row"]);
    if (!current) return undefined;
    update.run([...values, current["#row"], current["#revision"]]);
    return changedRecord(current, changes);
  }

  /** What identifies may be put right by an operator. Where others refer to the record, the database refuses it. */
  #changeKey(record: RecordValue, changes: Readonly<Record<string, Value>>): void {
    const { key, identifier, name } = this.table;
    if (!key || !identifier.some((one) => changes[one] !== undefined && changes[one] !== record[one])) return;
    this.#connection
      .statement(`UPDATE ${quotedTable(name)} SET ${quoted(jointKeyColumn)} = ? WHERE "#row" = ?`)
      .run([this.keyOf({ ...record, ...changes }) as SQLInputValue, record["#row"]]);
  }

  byRow(row: number): RecordValue | undefined {
    const found = this.#connection
      .statement(`SELECT ${this.#selected} FROM ${quotedTable(this.table.name)} WHERE "#row" = ?`)
      .get([row]);
    return found && this.#decode(found);
  }

  /** The records for which `condition` (over the table's columns) holds, in the order of making. */
  where(condition: string, values: readonly SQLInputValue[], limit: number): readonly RecordValue[] {
    const text = `SELECT ${this.#selected} FROM ${quotedTable(this.table.name)} WHERE ${condition} ORDER BY "#row" ${boundLimit}`;
    return this.#connection
      .statement(text)
      .all([...values, limit])
      .map(this.#decode);
  }

  remove(row: number): void {
    this.#connection.statement(`DELETE FROM ${quotedTable(this.table.name)} WHERE "#row" = ?`).run([row]);
  }

  /** Sets `#deleted`; answers the record as it is now. */
  mark(record: RecordValue): RecordValue {
    const text = `UPDATE ${quotedTable(this.table.name)} SET "#deleted" = 1, "#revision" = "#revision" + 1 WHERE "#row" = ? AND "#deleted" = 0`;
    this.#connection.statement(text).run([record["#row"]]);
    return this.byRow(record["#row"]) ?? record;
  }

  encode(name: string, value: Value): SQLInputValue {
    const index = this.#columnIndex.get(name);
    return index === undefined ? null : (this.#encoders[index] as Encode)(value);
  }

  #updateStatement(indexes: readonly number[]): Statement {
    const key = indexes.join(" ");
    let statement = this.#updates.get(key);
    if (!statement) {
      const oldest =
        this.#updates.size >= updateStatementsMax ? this.#updates.keys().next().value : undefined;
      if (oldest !== undefined) this.#updates.delete(oldest);
      const sets = indexes.map((index) => `${quoted(this.#names[index] as string)} = ?`);
      statement = this.#connection.prepare(
        `UPDATE ${quotedTable(this.table.name)} SET ${sets.join(", ")}, "#revision" = "#revision" + 1 WHERE "#row" = ? AND "#revision" = ?`,
      );
      this.#updates.set(key, statement);
    }
    return statement;
  }
}

function changedRecord(record: RecordValue, changes: Readonly<Record<string, Value>>): RecordValue {
  const changed: Record<string, Value> = { ...record };
  for (const name in changes) changed[name] = changes[name] as Value;
  changed["#revision"] = record["#revision"] + 1;
  return changed as unknown as RecordValue;
}

function insertSql(table: Table): string {
  if (table.columns.length === 0) return `INSERT INTO ${quotedTable(table.name)} DEFAULT VALUES`;
  const names = table.columns.map((column) => quoted(column.name));
  if (table.key) names.push(quoted(jointKeyColumn));
  return `INSERT INTO ${quotedTable(table.name)} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
}
