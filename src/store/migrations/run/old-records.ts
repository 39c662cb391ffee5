/** Iterates the records of a table as they were before a stored change, and gives them the names after it. */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import { editedValue, partEdits } from "../plan/part-edits.ts";
import { keptColumns } from "../plan/renamed-tables.ts";
import { eachSlice } from "./steps.ts";
import type { ChangeWork } from "./change-work.ts";
import type { Table } from "../../table.ts";

/**
 * In the order of creation, read slice by slice.
 * @param where a condition over the rows; all of them without one
 */
export function* eachOldRecord(
  table: Table,
  { words, onRecords }: Pick<ChangeWork, "words" | "onRecords">,
  visit: (old: RecordValue) => Steps<void>,
  where = "TRUE",
): Steps<void> {
  yield* eachSlice(table, words, { where }, function* (records) {
    for (const old of records) yield* visit(old);
    if (records.length > 0) onRecords(records.length);
  });
}

/**
 * The condition for records that a step keeps. A record that is only marked as deleted stays.
 * @param deleted the temporary table of the row numbers that it deletes, as an identifier
 */
export function keptRows({ marked }: Table, deleted: string | undefined): string | undefined {
  return marked || deleted === undefined ? undefined : `"#row" NOT IN (SELECT row FROM ${deleted})`;
}

/** The record with the fields that the step keeps, before effects set any. */
export function keptFields(
  change: Pick<TableChange, "before" | "after" | "columns" | "inside">,
): (old: RecordValue) => Record<string, Value> {
  const kept = keptColumns(change).map(({ column, to }) => ({
    from: column.name,
    to,
    edits: partEdits(to, change.inside, column.shape),
  }));
  // A new field gets the default of part 2. An existing field that is null stays null.
  const there = new Set(kept.map(({ to }) => to));
  const filled = (change.after?.columns ?? []).filter(
    ({ name, fill }) => fill !== undefined && !there.has(name),
  );
  return (old) => {
    const fields: Record<string, Value> = {};
    for (const { from, to, edits } of kept) {
      const value = old[from] ?? null;
      fields[to] = edits ? editedValue(value, edits) : value;
    }
    for (const { name, fill } of filled) fields[name] = fill as Value;
    return fields;
  };
}
