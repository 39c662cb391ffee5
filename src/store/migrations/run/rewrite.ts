/**
 * Rewrites the records of a table: each old record becomes a record of the next table, and adds the records that its
 * effects create to others.
 */
import type { Frame, RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../plan/changed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import { inCurrentShape, isSameShape, losesParts } from "../../json-shape.ts";
import { jointKeyColumn } from "../../tables.ts";
import type { SnapshotQueries } from "./snapshot-queries.ts";
import { keptColumns } from "../plan/renamed-tables.ts";
import { transformOf, type SetField } from "./transform.ts";
import { brokenMax, recordText, violationText } from "./value-text.ts";
import { eachOldRecord, keptFields, keptRows } from "./old-records.ts";
import { createEffectRunner } from "./effect-runner.ts";
import type { NewKeys } from "./new-keys.ts";
import type { NextTable } from "./next-tables.ts";
import { frameOfChange } from "./ports.ts";
import { advancePast } from "./sequences.ts";
import { reported } from "./steps.ts";
import type { ChangeWork } from "./change-work.ts";
import type { Column } from "../../table.ts";

export interface RewriteResult {
  readonly records: number;
  /** What is wrong with new values, by record. */
  readonly broken: readonly string[];
}

/** Facts about the records before the step. */
export interface Known {
  readonly queries: SnapshotQueries;
  readonly keys: NewKeys;
  readonly next: ReadonlyMap<string, NextTable>;
}

/**
 * A removed table contributes only the records that are created from it.
 * @param where a condition over the old rows; without one, those that the step doesn't delete
 */
export function* rewrite(
  change: TableChange,
  { queries, keys, next }: Known,
  work: ChangeWork,
  where?: string,
): Steps<RewriteResult> {
  const { before, after, isRevised } = change;
  const { changed } = work;
  const broken: string[] = [];
  let last: RecordValue | undefined;
  const onBroken = (wrong: string): void => {
    if (broken.length < brokenMax && last)
      broken.push(violationText(before.name, recordText(last, before), wrong));
  };
  const { finalValue } = keys;
  const maker = createEffectRunner(work, { finalValue, next, deleted: queries.deleted, onBroken });
  const fieldsOf = keptFields(change);
  const transform = transformOf(change, work, queries, maker.make);
  const write = after && writing(next.get(after.name) as NextTable, isRevised, work);
  const reshaped = reshapedColumns(change);
  const frame = frameOfChange(work.now);
  let records = 0;
  const visit = function* (old: RecordValue): Steps<void> {
    last = old;
    const fields = fieldsOf(old);
    const set = yield* transform(old, fields);
    if (isRevised || !after) records += 1;
    if (!after || !write) return;
    if (changed.rekeyed.length > 0)
      for (const { name } of after.columns)
        fields[name] = yield* keys.finalValue(after.name, name, fields[name] ?? null);
    for (const { name, shape } of reshaped) {
      const value = fields[name] ?? null;
      // If only part 2 changes, the operator has confirmed the loss.
      const isSet = set.some(({ field }) => field === name);
      if (change.forEach.length > 0 && !isSet && losesParts(value, shape))
        onBroken(`${name} has parts that part 2 doesn't have, and the step doesn't set it`);
      fields[name] = inCurrentShape(value, shape);
    }
    for (const setField of set) {
      const value = setField.rules.kept(yield* keys.finalValue(after.name, setField.field, setField.value));
      const wrong = setField.rules.wrong(value);
      if (wrong !== undefined) onBroken(`${setField.field} ${wrong}`);
      fields[setField.field] = value;
    }
    Object.assign(fields, yield* keys.identifying(before.name, old));
    frame.this = fields;
    yield* countOn(set, fields, frame);
    yield write(old, fields);
  };
  yield* eachOldRecord(before, work, visit, where ?? keptRows(before, queries.deleted.get(before.name)));
  yield* maker.end();
  return { records: records + maker.records, broken };
}

/** Columns whose objects have different parts after the change. */
export function reshapedColumns(change: TableChange): readonly Column[] {
  const kept = new Map(keptColumns(change).map(({ column, to }) => [to, column]));
  return (change.after?.columns ?? []).filter(({ name, shape }) => {
    const old = kept.get(name);
    return shape && old?.shape && !isSameShape(old.shape, shape);
  });
}

/** Advances sequences past numbers that were set. */
function* countOn(
  set: readonly SetField[],
  fields: Readonly<Record<string, Value>>,
  frame: Frame,
): Steps<void> {
  for (const { field, rules } of set) {
    const value = fields[field];
    if (rules.sequence && typeof value === "number")
      yield* advancePast(rules.sequence.name, rules.sequence.within(frame), value);
  }
}

function writing({ table, called }: NextTable, isRevised: boolean, { words, keyAfter }: ChangeWork) {
  const encoders = table.columns.map((column) => words.encoderOf(column, keyAfter));
  const names = [
    "#row",
    "#revision",
    ...(table.marked ? ["#deleted"] : []),
    ...table.columns.map((column) => column.name),
    ...(table.key ? [jointKeyColumn] : []),
  ];
  const marks = names.map(() => "?").join(", ");
  const statement = {
    sql: `INSERT INTO ${called} (${names.map(words.column).join(", ")}) VALUES (${marks})`,
  };
  const mark = words.encoderOf(markColumn, keyAfter);
  return (old: RecordValue, fields: Readonly<Record<string, Value>>) =>
    reported(statement, [
      old["#row"],
      old["#revision"] + (isRevised ? 1 : 0),
      ...(table.marked ? [mark(old["#deleted"] === true)] : []),
      ...table.columns.map((column, at) => encoders[at]?.(fields[column.name] ?? null) ?? null),
      ...(table.key ? [keyAfter(table.name, fields) as string] : []),
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
