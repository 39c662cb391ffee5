/**
 * A table to which a stored change adds records, or whose records it finds and changes. Its
 * statements are built once.
 */
import { canonicalDecimal } from "../../../expressions/decimal.ts";
import type { RecordValue, Value } from "../../../expressions/value.ts";
import { recordDecoder } from "../../rows/records.ts";
import { firstRow, type Row, type Statement, type Steps } from "../../rows/steps.ts";
import { recordColumns } from "../../sql/decode.ts";
import type { Encode } from "../../sql/form.ts";
import { jointKeyColumn } from "../../tables.ts";
import type { NextTable } from "./next-tables.ts";
import { run, reported } from "./steps.ts";
import type { ChangeWork } from "./change-work.ts";
import type { Column, Table } from "../../table.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

type Values = Readonly<Record<string, Value>>;

export class NewRecordsTable {
  readonly table: Table;
  readonly #next: NextTable;
  /** The condition for records that aren't deleted. */
  readonly #isThere: string;
  readonly #words: ChangeWork["words"];
  readonly #keyOf: (record: Values) => Value;
  readonly #encoders: ReadonlyMap<string, Encode>;
  readonly #insert: Statement;
  readonly #updates = new Map<string, Statement>();
  readonly #decode: (row: Row) => RecordValue;
  /** By the fields that records are found by, and which of them are null. */
  readonly #finds = new Map<string, Statement>();
  readonly #indexes = new Map<string, string>();

  /** @param deleted the temporary table of the row numbers that the step deletes, as an identifier */
  constructor(next: NextTable, { words, keyAfter }: ChangeWork, deleted: string | undefined) {
    const { table } = next;
    const isKept = deleted === undefined ? "" : ` AND "#row" NOT IN (SELECT row FROM ${deleted})`;
    this.#isThere = table.marked ? `"#deleted" = FALSE${isKept}` : "TRUE";
    this.table = table;
    this.#next = next;
    this.#words = words;
    this.#keyOf = (record) => keyAfter(table.name, record);
    this.#encoders = new Map(table.columns.map((column) => [column.name, words.encoderOf(column, keyAfter)]));
    this.#decode = recordDecoder(table, words);
    const names = ["#row", ...this.#encoders.keys(), ...(table.key ? [jointKeyColumn] : [])];
    const marks = names.map(() => "?").join(", ");
    this.#insert = {
      sql: `INSERT INTO ${next.called} (${names.map(words.column).join(", ")}) VALUES (${marks})`,
    };
  }

  /** The value by which other records refer to a record. */
  keyOf(record: Values): Value {
    return this.#keyOf(record);
  }

  *insert(values: Values): Steps<void> {
    this.#next.lastRow += 1;
    yield reported(this.#insert, [
      this.#next.lastRow,
      ...[...this.#encoders].map(([name, encode]) => encode(values[name] ?? null)),
      ...(this.table.key ? [this.#keyOf(values) as string | null] : []),
    ]);
  }

  *find(by: readonly string[], values: Values): Steps<RecordValue | undefined> {
    if (!this.#indexes.has(by.join(" "))) yield* this.#makeIndex(by);
    const given = by.map((field) => [field, this.#compared(field, values)] as const);
    const key = given.map(([field, value]) => `${field}${value === null ? " null" : ""}`).join(" ");
    const statement = this.#finds.get(key) ?? this.#selectByFields(given);
    this.#finds.set(key, statement);
    const { rows } = yield firstRow(
      statement,
      given.flatMap(([, value]) => (value === null ? [] : [value])),
    );
    return rows[0] && this.#decode(rows[0]);
  }

  /** Updates those of the fields that differ, and returns which did. */
  *change(found: RecordValue, fields: readonly string[], values: Values): Steps<readonly string[]> {
    const different = fields.filter((field) => !isSame(found[field] ?? null, values[field] ?? null));
    if (different.length === 0) return different;
    const sets = different.map((field) => `${this.#words.column(field)} = ?`).join(", ");
    const update = this.#updates.get(sets) ?? {
      sql: `UPDATE ${this.#next.called} SET ${sets}, "#revision" = "#revision" + 1 WHERE "#row" = ?`,
    };
    this.#updates.set(sets, update);
    yield reported(update, [...different.map((field) => this.#encoded(field, values)), found["#row"]]);
    return different;
  }

  /** Drops the indexes that were used to find records. */
  *dropIndexes(): Steps<void> {
    for (const name of this.#indexes.values()) if (name !== "") yield* run(`DROP INDEX ${name}`);
  }

  #column(name: string): Column {
    return this.table.columns.find((column) => column.name === name) as Column;
  }

  *#makeIndex(by: readonly string[]): Steps<void> {
    const columns = by.map((name) => this.#column(name)).filter(({ storage }) => storage !== "json");
    const name = columns.length === 0 ? "" : this.#words.named(`#by ${this.table.name} ${by.join(" ")}`);
    const compared = columns
      .map((column) => this.#words.compared(column, this.#identifies(column)))
      .join(", ");
    if (name !== "") yield* run(`CREATE INDEX ${name} ON ${this.#next.called} (${compared})`);
    this.#indexes.set(by.join(" "), name);
  }

  #selectByFields(given: readonly (readonly [field: string, value: SqlValue])[]): Statement {
    const columns = recordColumns(this.table).map(this.#words.column).join(", ");
    const isThat = given.map(([field, value]) =>
      value === null ? `${this.#words.column(field)} IS NULL` : this.#isSame(this.#column(field)),
    );
    return {
      sql: `SELECT ${columns} FROM ${this.#next.called} WHERE ${[...isThat, this.#isThere].join(" AND ")} ORDER BY "#row" LIMIT 1`,
    };
  }

  #isSame(column: Column): string {
    return this.#words.isSame(column, this.#identifies(column));
  }

  #identifies({ name }: Column): boolean {
    return this.table.identifier.includes(name);
  }

  /** A value to find a record by: equal decimals are one. */
  #compared(field: string, values: Values): SqlValue {
    const value = this.#encoded(field, values);
    const column = this.#column(field);
    return column.storage === "decimal" && typeof value === "string" && !this.#identifies(column)
      ? canonicalDecimal(value)
      : value;
  }

  #encoded(field: string, values: Values): SqlValue {
    return this.#encoders.get(field)?.(values[field] ?? null) ?? null;
  }
}

function isSame(left: Value, right: Value): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
