/**
 * Converts the record snapshots of the event log (`engine/events/record-snapshot.ts`) as a stored
 * change converts the records, so that a stream reads them under the names after it.
 *
 * A snapshot has only the fields that streams read. A new value that depends on others is unknown,
 * and noted in the snapshot: a stream sends no event by a condition that reads it.
 */
import type { Frame, Value } from "../../../expressions/value.ts";
import { bareObject } from "../../../support/bare-object.ts";
import { allRows, rowsOf, type Steps, statement } from "../../rows/steps.ts";
import { inCurrentShape } from "../../json-shape.ts";
import type { Column, Table } from "../../table.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import type { ChangeContext } from "../plan/for-each.ts";
import { keptColumns } from "../plan/renamed-tables.ts";
import { withKeys } from "./effect-keys.ts";
import type { NewKeys } from "./new-keys.ts";
import { keptFields } from "./old-records.ts";
import { frameOfChange } from "./ports.ts";
import { reshapedColumns } from "./rewrite.ts";
import type { SnapshotQueries } from "./snapshot-queries.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { run } from "./steps.ts";
import type { SetField } from "./transform.ts";
import type { ChangeWork } from "./change-work.ts";

/** Facts about the records before the step; undefined for a step that only renames. */
interface Known {
  readonly queries: SnapshotQueries;
  readonly keys: NewKeys;
}

type Staying = TableChange & { readonly after: Table };
type Fields = Record<string, Value>;

/** The number of events that are read at once and held in memory. */
const sliceLength = 500;

const slice = statement<readonly [sequence: number, row: number, record: string]>(
  `SELECT sequence, row, record FROM ninefold_events
    WHERE sequence > ? AND resource = ? AND record IS NOT NULL ORDER BY sequence LIMIT ${sliceLength}`,
);

/** The digits of a sequence number before a record in the list of `updateSlice`. */
const digits = 16;

/** Updates the events of a slice in one statement, from texts of a number and a record. */
const updateSlice = ({ texts }: MigrationDialect): string =>
  `UPDATE ninefold_events SET record = substr(listed.value, ${digits + 1}) FROM (${texts("?")}) AS listed
    WHERE sequence = CAST(substr(listed.value, 1, ${digits}) AS BIGINT)`;

/** Runs while the tables are as they were before the step, and resources have their names. */
export function* convertSnapshots(work: ChangeWork, known?: Known): Steps<void> {
  for (const change of work.changed.changes) {
    if (!isStaying(change) || !isConverted(change, work)) continue;
    const convert = converter(change, work, known);
    for (let last = 0; ; ) {
      const events = yield* rowsOf(allRows(slice, [last, change.before.name]));
      const updated: string[] = [];
      for (const [sequence, row, text] of events) {
        const converted = yield* convert(row, text);
        if (converted !== text) updated.push(`${String(sequence).padStart(digits, "0")}${converted}`);
        last = sequence;
      }
      if (updated.length > 0) yield* run(updateSlice(work.words), [JSON.stringify(updated)]);
      if (events.length < sliceLength) break;
    }
  }
}

function isStaying(change: TableChange): change is Staying {
  return change.after !== undefined;
}

function isConverted(change: Staying, { changed }: ChangeWork): boolean {
  const names = new Set(change.after.columns.map(({ name }) => name));
  return (
    changed.rekeyed.length + change.inside.length + change.forEach.length > 0 ||
    reshapedColumns(change).length > 0 ||
    keptColumns(change).some(({ column, to }) => column.name !== to || !names.has(to)) ||
    change.after.columns.length !== change.before.columns.length
  );
}

function converter(
  change: Staying,
  work: ChangeWork,
  known: Known | undefined,
): (row: number, text: string) => Steps<string> {
  const { after } = change;
  const names = new Set(after.columns.map(({ name }) => name));
  const kept = keptColumns(change).filter(({ to }) => names.has(to));
  const fieldsOf = keptFields(change);
  const reshaped = reshapedColumns(change);
  const assign = assignments(change, work, known);
  return function* (row, text) {
    const stored = Object.assign(bareObject<Fields>(), JSON.parse(text));
    // An erased event has no record.
    if (!("#revision" in stored)) return text;
    const unknownBefore = new Set<string>(stored["#unknown"] ?? []);
    const old = Object.assign(bareObject<Fields & OldRecord>(), stored, { "#row": row });
    const fields = Object.assign(bareObject<Fields>(), fieldsOf(old));
    for (const name of Object.keys(fields)) if (!names.has(name)) delete fields[name];
    const unread = new Set<string>();
    const unknown = new Set<string>();
    for (const { column, to } of kept) {
      if (column.name in stored) continue;
      delete fields[to];
      if (unknownBefore.has(column.name)) unknown.add(to);
      else unread.add(to);
    }
    const set = yield* assign(old, fields);
    if (known) yield* giveKeys({ fields, unknown }, after.name, known.keys);
    for (const column of reshaped) reshape(fields, column);
    for (const [name, setField] of set) {
      const value = setField && (yield* storedValue(setField, after.name, known));
      delete fields[name];
      unknown.delete(name);
      if (value !== undefined) fields[name] = value;
      // A field that no stream has read has its present value, as without the step.
      else if (!unread.has(name)) unknown.add(name);
    }
    const identifying =
      known && hasKey(old, change) ? yield* known.keys.identifying(change.before.name, old) : {};
    for (const name of Object.keys(identifying)) unknown.delete(name);
    Object.assign(fields, identifying);
    return JSON.stringify({
      "#revision": stored["#revision"],
      ...(unknown.size > 0 && { "#unknown": [...unknown] }),
      ...fields,
    });
  };
}

type OldRecord = Parameters<NewKeys["identifying"]>[1];

/** Whether a snapshot has the key before the step. */
function hasKey(old: Fields, { before }: Staying): boolean {
  return before.identifier.length > 0 && before.identifier.every((name) => name in old);
}

function reshape(fields: Fields, { name, shape }: Column): void {
  if (name in fields) fields[name] = inCurrentShape(fields[name] ?? null, shape);
}

/** Replaces the keys of references. A key of a record that was deleted may belong to another one after the step. */
function* giveKeys(
  { fields, unknown }: { readonly fields: Fields; readonly unknown: Set<string> },
  resource: string,
  keys: NewKeys,
): Steps<void> {
  for (const [name, value] of Object.entries(fields)) {
    if (yield* keys.leadsToRecords(resource, name, value))
      fields[name] = yield* keys.finalValue(resource, name, value);
    else {
      delete fields[name];
      unknown.add(name);
    }
  }
}

/** The value as the step stores it; undefined if the step would store none like it. */
function* storedValue(
  { field, value, rules }: SetField,
  resource: string,
  known: Known | undefined,
): Steps<Value | undefined> {
  if (known && !(yield* known.keys.leadsToRecords(resource, field, value))) return undefined;
  const stored = rules.kept(known ? yield* known.keys.finalValue(resource, field, value) : value);
  return rules.wrong(stored) === undefined ? stored : undefined;
}

/** The values that the step sets, by field; undefined for those that depend on what the snapshot lacks. */
type Assign = (old: Fields, fields: Fields) => Steps<ReadonlyMap<string, SetField | undefined>>;

function assignments(change: Staying, { keyBefore, now }: ChangeWork, known: Known | undefined): Assign {
  let isMissing = false;
  const onMissing = (): void => {
    isMissing = true;
  };
  const frame: Frame = frameOfChange(now);
  const { ports } = frame;
  frame.ports = {
    ...ports,
    // A random value isn't that of the record.
    randomBytes(...size) {
      onMissing();
      return ports.randomBytes(...size);
    },
  };
  return function* (old, fields) {
    const set = new Map<string, SetField | undefined>();
    if (change.forEach.length === 0) return set;
    frame.old = watched(old, onMissing);
    frame.this = watched(fields, onMissing);
    frame.named = watched(bareObject<Fields>(), onMissing);
    isMissing = false;
    const answers = known ? yield* known.queries.resultsFor(change, frame) : [];
    const areKnown = !isMissing;
    for (const [number, { effects }] of change.forEach.entries()) {
      const results = areKnown ? (answers[number] ?? []) : watched<readonly Value[]>([], onMissing);
      const context: ChangeContext = { frame, results, element: 0 };
      for (const effect of effects) {
        if (effect.kind !== "assign") continue;
        isMissing = false;
        const isSet = !effect.when || effect.when(context) === true;
        const { field, type, rules } = effect;
        const value = isSet && !isMissing ? withKeys(effect.value(context), type, keyBefore) : null;
        if (isMissing) set.set(field, undefined);
        else if (isSet) set.set(field, { field, rules, value });
      }
    }
    return set;
  };
}

/** Calls `onMissing` when a member is read that isn't there. */
function watched<T extends object>(members: T, onMissing: () => void): T {
  return new Proxy(members, {
    get(target, name) {
      if (typeof name === "string" && !(name in target)) onMissing();
      return Reflect.get(target, name);
    },
    has(target, name) {
      if (typeof name === "string" && !(name in target)) onMissing();
      return Reflect.has(target, name);
    },
  });
}
