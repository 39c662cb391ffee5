/** The keys of records that a stored change identifies otherwise: former and new, kept aside until all references have been taken along. */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../../changes/changed-tables.ts";
import type { ReferencePlace } from "../../references.ts";
import { readJson } from "../../sql/form.ts";
import { quoted } from "../../sql/fragment.ts";
import type { Connection } from "../connection.ts";
import { broken, brokenMax } from "./broken.ts";
import { asBefore, fieldsAfter, formerRecords } from "./former.ts";
import { settledKey } from "./keyed.ts";
import { atPlaces } from "./places.ts";
import type { Answers } from "./ask-before.ts";
import { becomesOf } from "./becomes.ts";
import { takeSequencesAlong } from "./sequences.ts";
import type { Work } from "./work.ts";

export interface NewKeys {
  /** The value of a field of the step's result, with the keys in it as they are then. */
  settle(resource: string, field: string, value: Value): Value;
  /** The identifying fields of a record as they are then; nothing of one that stays identified as it was. */
  identifying(resource: string, old: RecordValue): Readonly<Record<string, Value>>;
  /** What is wrong with them. */
  readonly broken: readonly string[];
  /** Sequences that count within records go on under their new keys. */
  takeSequencesAlong(): void;
  drop(): void;
}

export function newKeys(work: Work, answers: Answers): NewKeys {
  const { changed, connection } = work;
  const lookups = new Map<string, (key: Value) => Value>();
  const identifying = new Map<string, (old: RecordValue) => Fields>();
  const settle = settling(changed.after.references, (resource) => lookups.get(resource));
  const wrong: string[] = [];
  const tables: string[] = [];
  for (const [at, { before, after }] of changed.rekeyed.entries()) {
    const change = changed.changes.find((one) => one.before.name === before && one.after?.name === after);
    if (!change) continue;
    const table = `#keys ${at}`;
    connection.exec(`CREATE TEMP TABLE ${quoted(table)} (former PRIMARY KEY, now, fields TEXT)`);
    tables.push(table);
    fillKeys(table, change, answers, settle, work);
    wrong.push(...repeated(table, change, connection));
    const find = connection.prepare(`SELECT now, fields FROM temp.${quoted(table)} WHERE former = ?`);
    lookups.set(after, (key) => (find.get([key as string])?.[0] as Value | undefined) ?? key);
    identifying.set(before, (old) => {
      const found = find.get([work.keyBefore(before, old) as string]);
      return found ? (readJson(found[1] as string) as Fields) : {};
    });
  }
  return {
    settle,
    identifying: (resource, old) => identifying.get(resource)?.(old) ?? {},
    broken: wrong,
    takeSequencesAlong: () => takeSequencesAlong(changed, (resource) => lookups.get(resource), connection),
    drop() {
      for (const table of tables) connection.exec(`DROP TABLE temp.${quoted(table)}`);
    },
  };
}

type Fields = { readonly [field: string]: Value };

function fillKeys(
  table: string,
  change: TableChange,
  answers: Answers,
  settle: NewKeys["settle"],
  work: Work,
): void {
  const { connection, keyBefore, keyAfter } = work;
  const note = connection.prepare(`INSERT OR IGNORE INTO temp.${quoted(table)} VALUES (?, ?, ?)`);
  const after = fieldsAfter(change);
  const name = change.after?.name as string;
  const become = becomesOf(change, work);
  const identifier = change.after?.identifier ?? [];
  for (const { old, asked } of formerRecords(change, asBefore(change), answers.of(change), work)) {
    const fields = after(old);
    const set = become(old, fields, asked);
    const identifying: Record<string, Value> = {};
    for (const field of identifier) {
      const one = set.find((one) => one.field === field);
      const settled = settle(name, field, one ? one.value : (fields[field] ?? null));
      identifying[field] = one ? one.rules.kept(settled) : settled;
    }
    note.run([
      keyBefore(change.before.name, old) as string,
      keyAfter(name, identifying) as string,
      JSON.stringify(identifying),
    ]);
  }
}

/** Numbers are bound as binary fractions; one that is whole is told as it is written. */
function whole(column: string): string {
  const integer = `CAST(${column} AS INTEGER)`;
  return `iif(typeof(${column}) = 'real' AND ${column} = ${integer}, ${integer}, ${column})`;
}

/** Two records that would have the same key. */
function repeated(table: string, { before }: TableChange, connection: Connection): readonly string[] {
  return connection
    .prepare(
      `SELECT now, count(*), group_concat(former, ', ') FROM (SELECT now, ${whole("former")} AS former FROM temp.${quoted(table)} ORDER BY now, former) GROUP BY now HAVING count(*) > 1 OR now IS NULL LIMIT ${brokenMax}`,
    )
    .all([])
    .map(([now, count, former]) =>
      now === null
        ? broken(before.name, String(former), "would have no identifier")
        : broken(
            before.name,
            String(former),
            `would all be ${String(now)}, and ${count} can't have one identifier`,
          ),
    );
}

/** Gives what stands at the places of references the keys of now. */
function settling(
  references: readonly ReferencePlace[],
  lookup: (resource: string) => ((key: Value) => Value) | undefined,
): NewKeys["settle"] {
  const places = Map.groupBy(references, ({ resource, field }) => `${resource}.${field}`);
  const same = (key: Value): Value => key;
  return (resource, field, value) => {
    const own = places.get(`${resource}.${field}`);
    if (!own || value === null) return value;
    return own.reduce<Value>(
      (last, { steps, to }) => atPlaces(last, steps, (key) => settledKey(key, lookup(to) ?? same)),
      value,
    );
  };
}
