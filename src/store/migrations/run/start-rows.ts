/**
 * Start rows: the settings in which the store keeps the rows of `Records of` that it has applied
 * (`engine/records/start-records.ts`). They get the names, values and keys of a stored change, or
 * the next start would apply all rows again, over the changes of callers.
 */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import type { ChangedTables, TableChange } from "../plan/changed-tables.ts";
import { keptColumns } from "../plan/renamed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import { keptFields } from "./old-records.ts";
import { allOf, run } from "./steps.ts";

/** The keys after a change (`new-keys.ts`). */
interface KeysAfter {
  finalValue(resource: string, field: string, value: Value): Steps<Value>;
  identifying(resource: string, old: RecordValue): Steps<{ readonly [field: string]: Value }>;
  /** Whether the record of a row with a new key was deleted. */
  isDeleted(resource: string, row: RecordValue): boolean;
}

interface StartRow {
  /** The setting's name. */
  readonly name: string;
  readonly resource: string;
  readonly fields: RecordValue;
  /** The fields as JSON. */
  readonly text: string;
}

/** The rows that the store has applied. */
export function* startRows(): Steps<readonly StartRow[]> {
  const settings = yield* allOf<readonly [name: string, row: string]>(
    "SELECT name, value FROM ninefold_settings WHERE name LIKE 'record %'",
  );
  return settings.map(([name, row]) => ({
    name,
    resource: name.split(" ")[1] ?? "",
    fields: JSON.parse(row),
    text: row,
  }));
}

/** @param keys undefined if the change gives no record another key */
export function* convertStartRows({ changes }: ChangedTables, keys?: KeysAfter): Steps<void> {
  const byResource = new Map(changes.map((change) => [change.before.name, change]));
  const converted: { readonly name: string; readonly row: string; readonly isDeleted: boolean }[] = [];
  for (const { name, resource, fields: row } of yield* startRows()) {
    const change = byResource.get(resource);
    if (!change) continue;
    yield* run("DELETE FROM ninefold_settings WHERE name = ?", [name]);
    const fields = yield* convertedRow(row, change, keys);
    if (!change.after || !fields) continue;
    const identifier = change.after.identifier.map((field) => fields[field] ?? null);
    converted.push({
      name: `record ${change.after.name} ${JSON.stringify(identifier)}`,
      row: JSON.stringify(fields),
      isDeleted: keys?.isDeleted(resource, row) === true,
    });
  }
  // Rows may swap keys, and resources their names. If two rows get one key, the row whose record
  // is there remains.
  const last = converted.toSorted((a, b) => Number(b.isDeleted) - Number(a.isDeleted));
  for (const setting of new Map(last.map(({ name, row }) => [name, row])))
    yield* run("INSERT INTO ninefold_settings (name, value) VALUES (?, ?)", setting);
}

/** The row's fields after the change, and only those that it has; undefined if the resource is removed. */
function* convertedRow(
  row: RecordValue,
  change: TableChange,
  keys: KeysAfter | undefined,
): Steps<Record<string, Value> | undefined> {
  const { before, after } = change;
  if (!after) return undefined;
  const kept = keptFields(change)(row);
  const fields: Record<string, Value> = {};
  for (const { column, to } of keptColumns(change)) {
    if (!Object.hasOwn(row, column.name)) continue;
    const value = kept[to] ?? null;
    fields[to] = keys ? yield* keys.finalValue(after.name, to, value) : value;
  }
  return keys ? Object.assign(fields, yield* keys.identifying(before.name, row)) : fields;
}
