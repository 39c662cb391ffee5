/**
 * Deletion of a record, and its effect on referring records (`on delete`).
 *
 * The steps are: find all records to delete, check each `restrict`, clear references, delete the
 * records. Statements find the referring records, so a reference may be in a field, or anywhere
 * inside a list, a map or a value.
 *
 * Other records can still refer to a record that is only marked as deleted. The implicit `restrict`
 * doesn't apply there; an explicit rule of the document does.
 */
import { partAt, isList, isObject, type RecordValue, type Value } from "../../expressions/value.ts";
import { sameValue } from "../../expressions/order.ts";
import { TooManyChanges } from "../errors.ts";
import type { ReferencePlace, Step } from "../../model/resources/reference-places.ts";
import { changesMax } from "../changes-max.ts";
import { Conflict, type DeletedRecord, type Restricted } from "../store.ts";
import { mustStay } from "./unenforced-references.ts";
import type { Records } from "./records.ts";
import type { BoundStatement, Steps } from "./steps.ts";
import type { RowDialect } from "./row-dialect.ts";
import type { Table } from "../table.ts";

export interface Deletion {
  records(resource: string): Records;
  readonly references: readonly ReferencePlace[];
  /**
   * Foreign keys are checked immediately, except between these two calls, which allows the deletion
   * of records that refer to each other.
   */
  deferForeignKeys(isDeferred: boolean): BoundStatement;
  readonly words: RowDialect;
  /** Whether all records are deleted completely, and none is only marked. */
  readonly erases?: boolean;
}

interface Doomed {
  readonly resource: string;
  readonly record: RecordValue;
}

/**
 * Deletes or marks a record, with all records that its deletion includes. Returns all of them, the
 * record itself first.
 * @throws Conflict
 */
export function* deleteRecord(
  deletion: Deletion,
  resource: string,
  record: RecordValue,
): Steps<readonly DeletedRecord[]> {
  return yield* walkReferences(deletion, resource, record);
}

/**
 * Erases a record: like `deleteRecord`, but records that would only be marked are deleted, and so
 * are those that are marked already.
 * @throws Conflict
 */
export function* eraseRecord(
  deletion: Deletion,
  resource: string,
  record: RecordValue,
  restricted: Restricted,
): Steps<readonly DeletedRecord[]> {
  return yield* walkReferences(
    {
      records: (name) => deletion.records(name),
      references: deletion.references.map((place) =>
        place.onDelete === "restrict" && restricted !== "restrict"
          ? { ...place, onDelete: restricted }
          : place,
      ),
      deferForeignKeys: (isDeferred) => deletion.deferForeignKeys(isDeferred),
      words: deletion.words,
      erases: true,
    },
    resource,
    record,
  );
}

function* walkReferences(
  deletion: Deletion,
  resource: string,
  record: RecordValue,
): Steps<readonly DeletedRecord[]> {
  const doomed = yield* findDoomed(deletion, resource, record);
  for (const item of doomed.values()) yield* refuseWhereRestricted(deletion, item, doomed);
  const cleared: DeletedRecord[] = [];
  for (const item of doomed.values()) cleared.push(...(yield* clearReferences(deletion, item, doomed)));
  const deleted = yield* removeAll(deletion, [...doomed.values()]);
  return [...deleted, ...merged(cleared)];
}

function keyOf(resource: string, record: RecordValue): string {
  return `${resource} ${record["#row"]}`;
}

function* findDoomed(deletion: Deletion, resource: string, record: RecordValue): Steps<Map<string, Doomed>> {
  const doomed = new Map<string, Doomed>([[keyOf(resource, record), { resource, record }]]);
  // The iteration over a map includes entries that are added meanwhile.
  for (const item of doomed.values()) {
    for (const place of placesOf(deletion, item.resource, "cascade")) {
      for (const referrer of yield* referrers(deletion, place, item.record, changesMax + 1)) {
        if (referrer["#deleted"] === true && !deletion.erases) continue;
        const key = keyOf(place.resource, referrer);
        if (!doomed.has(key)) doomed.set(key, { resource: place.resource, record: referrer });
        if (doomed.size > changesMax) throw new TooManyChanges(resource, changesMax);
      }
    }
  }
  return doomed;
}

/** References to a resource for which the deletion of a record has this effect. */
function placesOf(
  deletion: Deletion,
  resource: string,
  onDelete: ReferencePlace["onDelete"],
): readonly ReferencePlace[] {
  const isMarked = deletion.records(resource).table.marked && !deletion.erases;
  return deletion.references.filter(
    (place) => place.to === resource && place.onDelete === onDelete && (place.stated || !isMarked),
  );
}

function* refuseWhereRestricted(
  deletion: Deletion,
  record: Doomed,
  doomed: ReadonlyMap<string, Doomed>,
): Steps<void> {
  for (const place of placesOf(deletion, record.resource, "restrict")) {
    const limit = doomed.size + 1;
    for (const referrer of yield* referrers(deletion, place, record.record, limit)) {
      if (!doomed.has(keyOf(place.resource, referrer)))
        throw new Conflict("in use", place.resource, [place.field]);
    }
  }
}

function* clearReferences(
  deletion: Deletion,
  record: Doomed,
  doomed: ReadonlyMap<string, Doomed>,
): Steps<readonly DeletedRecord[]> {
  const cleared: DeletedRecord[] = [];
  for (const place of placesOf(deletion, record.resource, "clear")) {
    const records = deletion.records(place.resource);
    const identifier = deletion.records(record.resource).keyOf(record.record);
    for (const before of yield* referrers(deletion, place, record.record, changesMax + 1)) {
      if (doomed.has(keyOf(place.resource, before))) continue;
      // A field that is a reference itself was found by its column, which may ignore case.
      const isIt = (key: Value) => place.steps.length === 0 || key === identifier;
      const value = without(before[place.field] as Value, place.steps, isIt);
      const after = yield* records.update(before, { [place.field]: value });
      if (after) cleared.push({ resource: place.resource, before, after, deleted: false });
      if (cleared.length > changesMax) throw new TooManyChanges(record.resource, changesMax);
    }
  }
  return cleared;
}

function* removeAll(deletion: Deletion, doomed: readonly Doomed[]): Steps<readonly DeletedRecord[]> {
  const [only, ...others] = doomed as readonly [Doomed, ...Doomed[]];
  if (others.length === 0) return [yield* deleteOrMark(deletion, only)];
  const deletedKeysSoFar = deletedKeys(deletion, doomed);
  yield deletion.deferForeignKeys(true);
  try {
    const removed: DeletedRecord[] = [];
    for (const item of doomed) removed.push(yield* deleteOrMark(deletion, item, deletedKeysSoFar));
    return removed;
  } finally {
    yield deletion.deferForeignKeys(false);
  }
}

/** By resource, the identifiers of the records that are deleted completely. */
type DeletedKeys = ReadonlyMap<string, ReadonlySet<Value>>;

function deletedKeys(deletion: Deletion, doomed: readonly Doomed[]): DeletedKeys {
  const keys = new Map<string, Set<Value>>();
  for (const { resource, record } of doomed) {
    const records = deletion.records(resource);
    if (records.table.marked && !deletion.erases) continue;
    const known = keys.get(resource) ?? new Set();
    keys.set(resource, known.add(records.keyOf(record)));
  }
  return keys;
}

const noDeletedKeys: DeletedKeys = new Map();

function* deleteOrMark(
  deletion: Deletion,
  { resource, record }: Doomed,
  alsoDeleted: DeletedKeys = noDeletedKeys,
): Steps<DeletedRecord> {
  const records = deletion.records(resource);
  if (records.table.marked && !deletion.erases) {
    const current =
      (yield* records.update(record, danglingAssignments(deletion, resource, record, alsoDeleted))) ?? record;
    return { resource, before: record, after: yield* records.mark(current), deleted: true };
  }
  yield* records.remove(record["#row"]);
  return { resource, before: record, after: null, deleted: true };
}

/**
 * Clears references of a record that is only marked, if they lead to records erased in the same
 * deletion.
 *
 * The reference that caused its deletion stays, to show to which record it belonged, and so do those
 * that can't be null (`mayDangle`). All others are cleared, because the database enforces that they
 * lead to a record.
 */
function danglingAssignments(
  deletion: Deletion,
  resource: string,
  record: RecordValue,
  alsoDeleted: DeletedKeys,
): Record<string, Value> {
  const changes: Record<string, Value> = {};
  const { table } = deletion.records(resource);
  for (const { resource: own, field, steps, to, onDelete } of alsoDeleted.size === 0
    ? []
    : deletion.references) {
    const keys = alsoDeleted.get(to);
    const column = table.columns.find(({ name }) => name === field);
    const stays =
      onDelete === "cascade" || (steps.length === 0 && column !== undefined && mustStay(table, column));
    if (own !== resource || stays || !keys) continue;
    const before = (changes[field] ?? record[field]) as Value;
    const value = without(before, steps, (item) => keys.has(item));
    if (!sameValue(value, before)) changes[field] = value;
  }
  return changes;
}

/**
 * Reports a record that was changed in several places once, with its first old state and its last
 * new state.
 */
function merged(changes: readonly DeletedRecord[]): readonly DeletedRecord[] {
  const byRecord = new Map<string, DeletedRecord>();
  for (const change of changes) {
    const key = keyOf(change.resource, change.before);
    const earlier = byRecord.get(key);
    byRecord.set(key, earlier ? { ...earlier, after: change.after } : change);
  }
  return [...byRecord.values()];
}

function* referrers(
  deletion: Deletion,
  place: ReferencePlace,
  record: RecordValue,
  limit: number,
): Steps<readonly RecordValue[]> {
  const identifier = deletion.records(place.to).keyOf(record);
  if (identifier === null || identifier === undefined) return [];
  const condition = conditionOf(place, deletion.records(place.resource).table, deletion.words);
  return yield* deletion.records(place.resource).where(condition, [identifier as string | number], limit);
}

/**
 * A condition on the referring table's columns: the identifier is at this place.
 *
 *   shop                   "shop" = ?
 *   lines[].options[].sku  EXISTS (SELECT 1 FROM <items of "lines"> AS s1,
 *                            <items of s1.value at options> AS s2 WHERE <s2.value at sku> = ?)
 */
function conditionOf({ field, steps }: ReferencePlace, { columns }: Table, words: RowDialect): string {
  const referring = columns.find(({ name }) => name === field);
  if (steps.length === 0 && referring) return words.refersTo(referring);
  const column = words.column(field);
  const sources: string[] = [];
  let source = column;
  let path: string[] = [];
  for (const step of steps) {
    if (step.step === "part") {
      path.push(step.name);
      continue;
    }
    const alias = `s${sources.length + 1}`;
    sources.push(words.items(source, path, alias));
    source = `${alias}.value`;
    path = [];
  }
  const found = words.isAt(source, path);
  return sources.length === 0 ? found : `EXISTS (SELECT 1 FROM ${sources.join(", ")} WHERE ${found})`;
}

/**
 * A value without deleted identifiers at the end of the steps. An identifier becomes null, or is
 * removed from its list or map.
 */
function without(value: Value, steps: readonly Step[], isGone: (identifier: Value) => boolean): Value {
  const [step, ...rest] = steps;
  if (!step) return isGone(value) ? null : value;
  if (step.step === "part") {
    const part = partAt(value, [step.name]);
    return part === undefined || !isObject(value)
      ? value
      : { ...value, [step.name]: without(part, rest, isGone) };
  }
  const stays = (item: Value): boolean => rest.length > 0 || !isGone(item);
  if (isList(value)) return value.filter(stays).map((item) => without(item, rest, isGone));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => stays(item));
  return Object.fromEntries(entries.map(([key, item]) => [key, without(item, rest, isGone)]));
}
