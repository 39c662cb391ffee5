/**
 * The old and new keys of records whose identifier a stored change replaces, in temporary tables
 * until all references are updated.
 */
import { foldCase } from "../../../expressions/compiling/operators.ts";
import type { RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import type { ReferencePlace } from "../../../model/resources/reference-places.ts";
import { firstRow, type Steps, rowOf, statement } from "../../rows/steps.ts";
import { readJson } from "../../sql/form.ts";
import type { SnapshotQueries } from "./snapshot-queries.ts";
import { transformOf } from "./transform.ts";
import { violationText, brokenMax, recordText } from "./value-text.ts";
import { eachOldRecord, keptFields, keptRows } from "./old-records.ts";
import { finalKey } from "./effect-keys.ts";
import { keysWithin, mapKeysAt, type MapKeys } from "./reference-places.ts";
import { moveSequences, type FindNewKey } from "./sequences.ts";
import { allOf, run, reported } from "./steps.ts";
import type { ChangeWork } from "./change-work.ts";
import { keyColumn, type Tables } from "../../tables.ts";
import { isKeyTooLong } from "../../rows/keys.ts";
import { keyLimits } from "../../store.ts";
import { startRows } from "./start-rows.ts";
import type { Table } from "../../table.ts";

export interface NewKeys {
  /** The value of a field of the step's result, with the new keys in it. */
  finalValue(resource: string, field: string, value: Value): Steps<Value>;
  /** Whether the keys that change in a field's value are those of records before the step. */
  leadsToRecords(resource: string, field: string, value: Value): Steps<boolean>;
  /** The new identifying fields of a record; empty if its identifier stays. */
  identifying(resource: string, old: RecordValue): Steps<Fields>;
  /** Whether the record of a row of `Records of` was deleted. */
  isDeleted(resource: string, row: RecordValue): boolean;
  /** What is wrong with the new keys. */
  readonly broken: readonly string[];
  /** Sequences that are scoped to records continue under the new keys. */
  moveSequences(): Steps<void>;
  drop(): Steps<void>;
}
type Fields = { readonly [field: string]: Value };
/** For the resources that get new keys, by their name after the step. */
type LookUp = (resource: string) => FindNewKey | undefined;

export function* newKeys(work: ChangeWork, queries: SnapshotQueries): Steps<NewKeys> {
  const { changed, words } = work;
  const lookups = new Map<string, FindNewKey>();
  const isKnown = new Map<string, (former: Value) => Steps<boolean>>();
  const isDeleted = new Map<string, (row: RecordValue) => boolean>();
  const identifying = new Map<string, (old: RecordValue) => Steps<Fields>>();
  const finalValue = settling(changed.after, (resource) => lookups.get(resource));
  const wrong: string[] = [];
  const tables: string[] = [];
  for (const [at, { before, after }] of changed.rekeyed.entries()) {
    const change = changed.changes.find(
      (tableChange) => tableChange.before.name === before && tableChange.after?.name === after,
    );
    if (!change) continue;
    const table = words.named(`#keys ${at}`);
    // Keys as JSON, which distinguishes numbers from texts.
    const { text } = words;
    yield* run(`CREATE TEMP TABLE ${table} (former ${text} PRIMARY KEY, now ${text}, fields ${text})`);
    tables.push(table);
    const identify = identifyingFields(change, { queries, settle: finalValue }, work);
    wrong.push(...(yield* fillKeys(table, change, identify, { work, queries })));
    wrong.push(...(yield* repeated(table, change)));
    const find = statement<readonly [now: string, fields: string]>(
      `SELECT now, fields FROM ${table} WHERE former = ?`,
    );
    const compared = comparedKey(change.before);
    lookups.set(after, function* (former) {
      const found = yield* rowOf(firstRow(find, [JSON.stringify(compared(former))]));
      return found ? (readJson(found[0]) as Value) : former;
    });
    isKnown.set(after, function* (former) {
      return (yield* rowOf(firstRow(find, [JSON.stringify(compared(former))]))) !== undefined;
    });
    const findRow = (former: string) => rowOf(firstRow(find, [former]));
    const isThere = function* (former: string): Steps<boolean> {
      return (yield* findRow(former)) !== undefined;
    };
    const ofDeleted = yield* keysOfDeletedRows(change, isThere, identify, work);
    const formerKey = (old: RecordValue) => JSON.stringify(compared(work.keyBefore(before, old)));
    isDeleted.set(before, (row) => ofDeleted.has(formerKey(row)));
    identifying.set(before, function* (old) {
      const former = formerKey(old);
      const found = yield* findRow(former);
      return found ? (readJson(found[1]) as Fields) : (ofDeleted.get(former) ?? {});
    });
  }
  return {
    finalValue,
    *leadsToRecords(resource, field, value) {
      for (const { resource: of, field: at, steps, to } of changed.after.references) {
        const isThere = of === resource && at === field ? isKnown.get(to) : undefined;
        if (isThere) for (const key of formerKeys(value, steps)) if (!(yield* isThere(key))) return false;
      }
      return true;
    },
    *identifying(resource, old) {
      const known = identifying.get(resource);
      return known ? yield* known(old) : {};
    },
    isDeleted: (resource, row) => isDeleted.get(resource)?.(row) === true,
    broken: wrong,
    moveSequences: () => moveSequences(changed, (resource) => lookups.get(resource)),
    *drop() {
      for (const table of tables) yield* run(`DROP TABLE ${table}`);
    },
  };
}

interface Identifying {
  readonly queries: SnapshotQueries;
  readonly settle: NewKeys["finalValue"];
}

/** Returns the new identifying fields of a record, or of a row of `Records of`. */
function identifyingFields(change: TableChange, { queries, settle }: Identifying, work: ChangeWork) {
  const after = keptFields(change);
  const name = change.after?.name as string;
  const transform = transformOf(change, work, queries);
  const identifier = change.after?.identifier ?? [];
  return function* (old: RecordValue): Steps<Fields> {
    const fields = after(old);
    const set = yield* transform(old, fields);
    const identifying: Record<string, Value> = {};
    for (const field of identifier) {
      const setField = set.find((setField) => setField.field === field);
      const newValue = yield* settle(name, field, setField ? setField.value : (fields[field] ?? null));
      identifying[field] = setField ? setField.rules.kept(newValue) : newValue;
    }
    return identifying;
  };
}

/** Returns which records would have a key that is too long. */
function* fillKeys(
  table: string,
  change: TableChange,
  identify: (old: RecordValue) => Steps<Fields>,
  { work, queries }: { readonly work: ChangeWork; readonly queries: SnapshotQueries },
): Steps<readonly string[]> {
  const { keyBefore, keyAfter } = work;
  const note = { sql: `INSERT INTO ${table} VALUES (?, ?, ?) ON CONFLICT DO NOTHING` };
  const { before } = change;
  const name = change.after?.name as string;
  const compared = comparedKey(before);
  const tooLong: string[] = [];
  yield* eachOldRecord(
    before,
    work,
    function* (old) {
      const identifying = yield* identify(old);
      const [former, now] = [keyBefore(before.name, old), keyAfter(name, identifying)];
      if (isKeyTooLong(now) && tooLong.length < brokenMax)
        tooLong.push(violationText(before.name, recordText(old, before), tooLongText));
      yield reported(
        note,
        [compared(former), now, identifying].map((key) => JSON.stringify(key)),
      );
    },
    keptRows(before, queries.deleted.get(before.name)),
  );
  return tooLong;
}

const tooLongText = `would have a key of more than ${keyLimits.bytesMax} bytes`;

/** The new identifying fields of start records that callers have deleted, by their former keys. */
function* keysOfDeletedRows(
  { before }: TableChange,
  isThere: (former: string) => Steps<boolean>,
  identify: (old: RecordValue) => Steps<Fields>,
  { keyBefore }: ChangeWork,
): Steps<ReadonlyMap<string, Fields>> {
  const found = new Map<string, Fields>();
  const compared = comparedKey(before);
  const absent = Object.fromEntries(before.columns.map(({ name }) => [name, null]));
  for (const { resource, fields } of yield* startRows()) {
    if (resource !== before.name) continue;
    const row = { ...absent, ...fields, "#row": 0, "#revision": 1 };
    const former = JSON.stringify(compared(keyBefore(before.name, row)));
    if (!(yield* isThere(former))) found.set(former, yield* identify(row));
  }
  return found;
}

/** The form in which keys are compared: a reference to a record may have the key in another case. */
function comparedKey(table: Table): (key: Value) => Value {
  const key = keyColumn(table);
  return table.columns.some(({ name, anyCase }) => name === key && anyCase) ? foldCase : (value) => value;
}

/** Finds records that would have the same key, or no key. */
function* repeated(table: string, { before }: TableChange): Steps<readonly string[]> {
  const groups = `SELECT now FROM ${table} GROUP BY now HAVING count(*) > 1 OR now = 'null' LIMIT ${brokenMax}`;
  const rows = yield* allOf<readonly [now: string, former: string]>(
    `SELECT now, former FROM ${table} WHERE now IN (${groups})`,
  );
  return [...Map.groupBy(rows, ([now]) => now)].map(([now, own]) => {
    const former = own.map(([, key]) => readJson(key) as string | number).toSorted(byValue);
    if (now === "null") return violationText(before.name, former.join(", "), "would have no identifier");
    const reported = `would all be ${String(readJson(now))}, and ${own.length} can't have one identifier`;
    return violationText(before.name, former.join(", "), reported);
  });
}

function byValue(left: string | number, right: string | number): number {
  return left < right ? -1 : Number(left > right);
}

/** Replaces the old keys at the reference places, at any depth. */
function settling({ tables, references }: Tables, lookup: LookUp): NewKeys["finalValue"] {
  const places = Map.groupBy(references, ({ resource, field }) => `${resource}.${field}`);
  const within = new Map<string, MapKeys>();
  for (const { name, columns } of tables)
    for (const column of columns) {
      const own = places.get(`${name}.${column.name}`);
      if (own) within.set(`${name}.${column.name}`, keysWithin(own, column.shape));
    }
  return function* (resource, field, value) {
    const mapKeys = within.get(`${resource}.${field}`);
    if (!mapKeys || value === null) return value;
    const found: { readonly to: string; readonly former: Value }[] = [];
    mapKeys(value, (key, to) =>
      finalKey(key, (former) => {
        found.push({ to, former });
        return former;
      }),
    );
    const known = new Map<string, Map<Value, Value>>();
    for (const { to, former } of found) {
      const newKey = lookup(to);
      const own = known.get(to) ?? new Map<Value, Value>();
      known.set(to, own);
      if (newKey && !own.has(former)) own.set(former, yield* newKey(former));
    }
    return mapKeys(value, (key, to) => finalKey(key, (former) => known.get(to)?.get(former) ?? former));
  };
}

/** The keys of records that the step has not created. */
function formerKeys(value: Value, steps: ReferencePlace["steps"]): readonly Value[] {
  const keys: Value[] = [];
  mapKeysAt(value, steps, (key) =>
    finalKey(key, (former) => {
      keys.push(former);
      return former;
    }),
  );
  return keys;
}
