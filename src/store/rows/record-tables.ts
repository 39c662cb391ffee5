/**
 * Record tables, which all writes of a store share: the tables with their statements, and the
 * invariants between them.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import { invariant } from "../../support/invariant.ts";
import type { ReferencePlace } from "../../model/resources/reference-places.ts";
import { Conflict } from "../store.ts";
import type { Tables } from "../tables.ts";
import { keysOf } from "./keys.ts";
import { Records } from "./records.ts";
import { firstRow, type Statement, type Steps } from "./steps.ts";
import { type HasForeignKey, UnenforcedReferences } from "./unenforced-references.ts";
import type { RowDialect } from "./row-dialect.ts";
import type { Table } from "../table.ts";

/** The tables of a store, with the statements over their records. */
export class RecordTables {
  readonly references: readonly ReferencePlace[];
  readonly words: RowDialect;
  readonly unenforced: UnenforcedReferences;
  readonly #records: ReadonlyMap<string, Records>;
  readonly #hasForeignKey: HasForeignKey;
  readonly #lookUps = new Map<string, Statement>();

  constructor(tables: Tables, words: RowDialect, hasForeignKey: HasForeignKey) {
    this.references = tables.references;
    this.words = words;
    this.#hasForeignKey = hasForeignKey;
    const keyOf = keysOf(tables.tables);
    this.#records = new Map(tables.tables.map((table) => [table.name, new Records(table, keyOf, words)]));
    this.unenforced = new UnenforcedReferences(
      tables,
      words,
      (resource) => this.records(resource),
      hasForeignKey,
    );
  }

  records(resource: string): Records {
    const found = this.#records.get(resource);
    invariant(found, `${resource} has no table`);
    return found;
  }

  /**
   * Determines which reference violated a foreign key, after a change of these fields.
   * @param record the record before the change; undefined if it is new
   */
  *brokenReference(
    resource: string,
    fields: Readonly<Record<string, Value>>,
    record: RecordValue | undefined,
  ): Steps<Conflict> {
    const { table } = this.records(resource);
    for (const { name } of table.columns) {
      const value = fields[name];
      if (value == null || (yield* this.#isThere(table, name, value))) continue;
      return new Conflict("unknown reference", resource, [name]);
    }
    // Every reference leads to a record. So the change was one of an identifier that other records
    // refer to.
    const referring = record && (yield* this.#referringPlace(resource, record));
    return new Conflict(
      "in use",
      referring?.resource ?? resource,
      referring ? [referring.field] : table.identifier,
    );
  }

  /** Finds a reference with a foreign key that leads to the record. */
  *#referringPlace(resource: string, record: RecordValue): Steps<ReferencePlace | undefined> {
    const key = this.records(resource).keyOf(record) as string | number;
    for (const place of this.references) {
      const records = this.records(place.resource);
      const column = records.table.columns.find(({ name }) => name === place.field);
      if (place.to !== resource || !column || !this.#hasForeignKey(records.table, column)) continue;
      const found = yield* records.where(this.words.refersTo(column), [key], 1);
      if (found.length > 0) return place;
    }
    return undefined;
  }

  *#isThere(table: Table, field: string, value: Value): Steps<boolean> {
    const target = table.columns.find((column) => column.name === field)?.refersTo;
    if (!target) return true;
    const sql = `SELECT 1 FROM ${this.words.table(target.resource)} WHERE ${this.words.column(target.field)} = ?`;
    const statement = this.#lookUps.get(sql) ?? { sql };
    this.#lookUps.set(sql, statement);
    const { rows } = yield firstRow(statement, [this.records(table.name).encode(field, value)]);
    return rows.length > 0;
  }
}
