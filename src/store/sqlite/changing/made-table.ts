/** A table to which a stored change adds records, or of which it finds and changes some: its statements are made once. */
import { sqliteWords } from "../words.ts";
import type { RecordValue, Value } from "../../../expressions/value.ts";
import { recordColumns } from "../../sql/decode.ts";
import { quoted } from "../../sql/fragment.ts";
import { jointKeyColumn, type Table } from "../../tables.ts";
import type { Encode } from "../../sql/form.ts";
import { encoderOf } from "../columns.ts";
import type { Connection, Row, Statement } from "../connection.ts";
import { recordDecoder } from "../../rows/records.ts";
import type { Work } from "./work.ts";

type Values = Readonly<Record<string, Value>>;

/** Where its records stand. */
export interface Physical {
  readonly name: string;
  /** Of a table that is being remade: behind all that is still to come. */
  nextRow?(): number;
}

export class MadeTable {
  readonly table: Table;
  readonly #physical: Physical;
  readonly #connection: Connection;
  readonly #keyOf: (record: Values) => Value;
  readonly #encoders: ReadonlyMap<string, Encode>;
  readonly #insert: Statement;
  readonly #decode: (row: Row) => RecordValue;
  /** By the fields that records are found by. */
  readonly #finds = new Map<string, Statement>();
  readonly #indexes: string[] = [];

  constructor(table: Table, physical: Physical, { connection, keyAfter }: Work) {
    this.table = table;
    this.#physical = physical;
    this.#connection = connection;
    this.#keyOf = (record) => keyAfter(table.name, record);
    this.#encoders = new Map(table.columns.map((column) => [column.name, encoderOf(column, keyAfter)]));
    this.#decode = recordDecoder(table, sqliteWords);
    const names = [
      ...(physical.nextRow ? ["#row"] : []),
      ...this.#encoders.keys(),
      ...(table.key ? [jointKeyColumn] : []),
    ];
    this.#insert = connection.prepare(
      `INSERT INTO ${this.#name} (${names.map(quoted).join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
  }

  /** What a record is referred to by. */
  keyOf(record: Values): Value {
    return this.#keyOf(record);
  }

  /** @throws where the database holds a law that it breaks */
  insert(values: Values): void {
    const row = this.#physical.nextRow?.();
    this.#insert.run([
      ...(row === undefined ? [] : [row]),
      ...[...this.#encoders].map(([name, encode]) => encode(values[name] ?? null)),
      ...(this.table.key ? [this.#keyOf(values) as string | null] : []),
    ]);
  }

  find(by: readonly string[], values: Values): RecordValue | undefined {
    const key = by.join(" ");
    const statement = this.#finds.get(key) ?? this.#findingBy(by);
    this.#finds.set(key, statement);
    const found = statement.get(by.map((field) => this.#encoded(field, values)));
    return found && this.#decode(found);
  }

  /** Sets what differs of these fields; answers which did. */
  change(found: RecordValue, fields: readonly string[], values: Values): readonly string[] {
    const different = fields.filter((field) => !isSame(found[field] ?? null, values[field] ?? null));
    if (different.length === 0) return different;
    const sets = different.map((field) => `${quoted(field)} = ?`).join(", ");
    this.#connection
      .statement(`UPDATE ${this.#name} SET ${sets}, "#revision" = "#revision" + 1 WHERE "#row" = ?`)
      .run([...different.map((field) => this.#encoded(field, values)), found["#row"]]);
    return different;
  }

  /** Takes away the indexes that records were found by. */
  dropIndexes(): void {
    for (const name of this.#indexes) this.#connection.exec(`DROP INDEX ${quoted(name)}`);
  }

  get #name(): string {
    return `main.${quoted(this.#physical.name)}`;
  }

  #findingBy(by: readonly string[]): Statement {
    const index = `#by ${this.#physical.name} ${by.join(" ")}`;
    this.#connection.exec(
      `CREATE INDEX ${quoted(index)} ON ${quoted(this.#physical.name)} (${by.map(quoted).join(", ")})`,
    );
    this.#indexes.push(index);
    const columns = recordColumns(this.table).map(quoted).join(", ");
    const isThat = by.map((field) => `${quoted(field)} IS ?`).join(" AND ");
    return this.#connection.prepare(
      `SELECT ${columns} FROM ${this.#name} WHERE ${isThat} ORDER BY "#row" LIMIT 1`,
    );
  }

  #encoded(field: string, values: Values) {
    return this.#encoders.get(field)?.(values[field] ?? null) ?? null;
  }
}

function isSame(one: Value, other: Value): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
