/**
 * Rewrites the records of a table one after another by its `For each`: a new table is written, and
 * replaces the old one.
 */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import { jointKeyColumn, type Table } from "../../tables.ts";
import type { Answers } from "./snapshot-queries.ts";
import { transformOf, type SetField } from "./transform.ts";
import { brokenMax, labelOf } from "./broken.ts";
import { columnsAfter, eachOldRecord, fieldsAfter } from "./old-records.ts";
import { createMaker } from "./make.ts";
import type { NewKeys } from "./new-keys.ts";
import { frameOfChange } from "./ports.ts";
import { advancePast } from "./sequences.ts";
import { firstOf, run, reported } from "./steps.ts";
import type { Work } from "./work.ts";

export interface Remade {
  readonly records: number;
  /** What is wrong with new values, by record. */
  readonly broken: readonly string[];
}

/** What is known of the records before the step, queried once. */
export interface Known {
  readonly answers: Answers;
  readonly keys: NewKeys;
}

const madeName = "#made";

/**
 * The table and its columns have their new names, and the values are as they were. A removed table
 * contributes only the records that are created from it.
 * @param from the table's identifier at the time of reading
 */
export function* remake(
  change: TableChange,
  from: string,
  { answers, keys }: Known,
  work: Work,
): Steps<Remade> {
  const { before, after } = change;
  const { words, changed } = work;
  const made = words.named(madeName);
  const broken: string[] = [];
  let label = "";
  let lastRow = after ? yield* lastRowOf(from, work) : 0;
  const onBroken = (wrong: string): void => {
    if (broken.length < brokenMax) broken.push(`${before.name} ${label}: ${wrong}`);
  };
  const nextRow = (): number => {
    lastRow += 1;
    return lastRow;
  };
  const maker = createMaker(work, {
    settle: keys.settle,
    physical: (table) =>
      table.name === after?.name ? { called: made, nextRow } : { called: words.table(table.name) },
    onBroken,
  });
  const fieldsOf = fieldsAfter(change);
  const become = transformOf(change, work, maker.make);
  if (after) yield* run(words.createTable(after, changed.after, made));
  const write = after && writing(after, work);
  const frame = frameOfChange(work.now);
  let records = 0;
  const called = { table: from, column: columnsAfter(change) };
  yield* eachOldRecord(change, called, answers.of(change), work, function* ({ old, results }) {
    label = labelOf(old, before);
    const fields = fieldsOf(old);
    const set = yield* become(old, fields, results);
    records += 1;
    if (!after || !write) return;
    if (changed.rekeyed.length > 0)
      for (const { name } of after.columns)
        fields[name] = yield* keys.settle(after.name, name, fields[name] ?? null);
    for (const one of set) {
      const value = one.rules.kept(yield* keys.settle(after.name, one.field, one.value));
      const wrong = one.rules.wrong(value);
      if (wrong !== undefined) onBroken(`${one.field} ${wrong}`);
      fields[one.field] = value;
    }
    Object.assign(fields, yield* keys.identifying(before.name, old));
    frame.this = fields;
    yield* countOn(set, fields, frame);
    yield write(old, fields);
  });
  yield* maker.end();
  if (after) {
    yield* run(`DROP TABLE ${words.table(after.name)}`);
    yield* run(`ALTER TABLE ${made} RENAME TO ${words.table(after.name)}`);
    // The row numbers of deleted records stay used.
    for (const statement of words.setLastRow(words.table(after.name), lastRow)) yield* run(statement);
  }
  return { records: records + maker.records, broken };
}

/** A number that was set is not assigned again. */
function* countOn(
  set: readonly SetField[],
  fields: Readonly<Record<string, Value>>,
  frame: ReturnType<typeof frameOfChange>,
): Steps<void> {
  for (const { field, rules } of set) {
    const value = fields[field];
    if (rules.sequence && typeof value === "number")
      yield* advancePast(rules.sequence.name, rules.sequence.within(frame), value);
  }
}

function writing(after: Table, { words, keyAfter }: Work) {
  const encoders = after.columns.map((column) => words.encoderOf(column, keyAfter));
  const names = [
    "#row",
    "#revision",
    ...(after.marked ? ["#deleted"] : []),
    ...after.columns.map((column) => column.name),
    ...(after.key ? [jointKeyColumn] : []),
  ];
  const marks = names.map(() => "?").join(", ");
  const statement = {
    sql: `INSERT INTO ${words.named(madeName)} (${names.map(words.column).join(", ")}) VALUES (${marks})`,
  };
  const mark = words.encoderOf(markColumn, keyAfter);
  return (old: RecordValue, fields: Readonly<Record<string, Value>>) =>
    reported(statement, [
      old["#row"],
      old["#revision"] + 1,
      ...(after.marked ? [mark(old["#deleted"] === true)] : []),
      ...after.columns.map((column, at) => encoders[at]?.(fields[column.name] ?? null) ?? null),
      ...(after.key ? [keyAfter(after.name, fields) as string] : []),
    ]);
}

const markColumn = {
  name: "#deleted",
  storage: "boolean",
  type: "boolean",
  form: "boolean",
  anyCase: false,
  required: true,
} as const;

function* lastRowOf(called: string, { words }: Work): Steps<number> {
  return Number((yield* firstOf(words.lastRow(called)))?.[0] ?? 0);
}
