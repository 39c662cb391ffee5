/**
 * Unenforced references: those without a foreign key in the database.
 *
 * They are inside lists, maps, objects and values, or columns of marked records that stay when
 * their target is deleted (`on delete cascade`). A write checks them itself if their target may
 * have been deleted.
 */
import { isList, isObject, partAt, type Value } from "../../expressions/value.ts";
import type { ReferencePlace, Step } from "../../model/resources/reference-places.ts";
import { Conflict } from "../store.ts";
import { jointKeyColumn, keyColumn, type Tables } from "../tables.ts";
import type { Records } from "./records.ts";
import { firstRow, type Statement, type Steps } from "./steps.ts";
import type { RowDialect } from "./row-dialect.ts";
import { isNeverNullColumn, type Column, type Table } from "../table.ts";

/** Whether a reference has a foreign key in the database. */
export type HasForeignKey = (table: Table, column: Column) => boolean;

/**
 * Whether a reference may lead to no record, so that no foreign key can enforce it. A record that a cascade only
 * marks keeps the reference that caused its deletion, and those without which it would break its own rules.
 */
export function mayDangle(table: Table, column: Column, { tables, references }: Tables): boolean {
  const target = tables.find(({ name }) => name === column.refersTo?.resource);
  if (!table.marked || target?.marked !== false) return false;
  const cascading = references.filter(
    ({ resource, onDelete }) => resource === table.name && onDelete === "cascade",
  );
  return (
    cascading.some(({ field, steps }) => field === column.name && steps.length === 0) ||
    (cascading.length > 0 && mustStay(table, column))
  );
}

/** Whether the deletion of its target can't clear a reference in a marked record. */
export function mustStay({ identifier }: Table, column: Column): boolean {
  return isNeverNullColumn(column) || identifier.includes(column.name);
}

/** Checks the unenforced references of records that a write stores. */
export class UnenforcedReferences {
  readonly #records: (resource: string) => Records;
  readonly #words: RowDialect;
  readonly #places: ReadonlyMap<string, readonly ReferencePlace[]>;
  /**
   * Resources whose records are removed while marked records still refer to them. A write may copy
   * such a dangling reference.
   */
  readonly #dangling: ReadonlySet<string>;
  readonly #lookUps = new Map<string, Statement>();

  constructor(
    { tables, references }: Tables,
    words: RowDialect,
    records: (resource: string) => Records,
    hasForeignKey: HasForeignKey,
  ) {
    this.#records = records;
    this.#words = words;
    const named = new Map(tables.map((table) => [table.name, table]));
    const isUnenforced = ({ resource, field, steps, to }: ReferencePlace): boolean => {
      const [table, target] = [named.get(resource), named.get(to)];
      const column = table?.columns.find(({ name }) => name === field);
      // References to a record that is only marked remain valid.
      if (!table || !column || !target || target.marked || keyColumn(target) === undefined) return false;
      return steps.length > 0 || !hasForeignKey(table, column);
    };
    this.#places = Map.groupBy(references.filter(isUnenforced), ({ resource }) => resource);
    this.#dangling = new Set([
      ...references
        .filter(
          ({ resource, to, onDelete }) =>
            onDelete === "cascade" && named.get(resource)?.marked && !named.get(to)?.marked,
        )
        .map(({ to }) => to),
      ...tables.flatMap((table) =>
        table.columns.flatMap((column) =>
          column.refersTo && mayDangle(table, column, { tables, references })
            ? [column.refersTo.resource]
            : [],
        ),
      ),
    ]);
  }

  /**
   * Checks that the references of a record's fields lead to records, before the fields are stored.
   * @param removed the resources of which this write has removed records
   * @throws Conflict for a reference that leads to no record
   */
  *check(
    resource: string,
    fields: Readonly<Record<string, Value>>,
    removed: ReadonlySet<string>,
  ): Steps<void> {
    for (const { field, steps, to } of this.#places.get(resource) ?? []) {
      const value = fields[field] ?? null;
      if (value === null || !(this.#dangling.has(to) || removed.has(to))) continue;
      for (const reference of referencesAt(value, steps)) {
        // A record may refer to itself before it is stored.
        if (to === resource && reference === this.#records(resource).keyOf(fields)) continue;
        if (!(yield* this.#isStored(to, reference)))
          throw new Conflict("unknown reference", resource, [field]);
      }
    }
  }

  *#isStored(resource: string, reference: Value): Steps<boolean> {
    const records = this.#records(resource);
    const { table } = records;
    const [identifier] = table.identifier;
    const column = table.columns.find(({ name }) => name === identifier);
    if (!column || identifier === undefined) return true;
    const key = isObject(reference) ? records.keyOf(reference) : reference;
    const condition = table.key ? `${this.#words.column(jointKeyColumn)} = ?` : this.#words.refersTo(column);
    const sql = `SELECT 1 FROM ${this.#words.table(resource)} WHERE ${condition}`;
    const statement = this.#lookUps.get(sql) ?? { sql };
    this.#lookUps.set(sql, statement);
    const encoded = table.key ? String(key) : records.encode(identifier, key);
    return (yield firstRow(statement, [encoded])).rows.length > 0;
  }
}

/** The non-null values at the end of the steps. */
function referencesAt(value: Value, steps: readonly Step[]): readonly Value[] {
  const [step, ...rest] = steps;
  if (value === null) return [];
  if (!step) return [value];
  if (step.step === "part") return referencesAt(partAt(value, [step.name]) ?? null, rest);
  if (isList(value)) return value.flatMap((item) => referencesAt(item, rest));
  return isObject(value) ? Object.values(value).flatMap((item) => referencesAt(item ?? null, rest)) : [];
}
