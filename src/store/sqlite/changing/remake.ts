/** Makes the records of a table anew, one after another, as its `For each` say: the table is written as it is to be, and takes the old one's place. */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import type { TableChange } from "../../changes/changed-tables.ts";
import { quoted, tableName } from "../../sql/fragment.ts";
import { jointKeyColumn, type Table } from "../../tables.ts";
import { encoderOf } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { createTable } from "../ddl.ts";
import type { Answers } from "./ask-before.ts";
import { becomesOf, type SetField } from "./becomes.ts";
import { brokenMax, labelOf } from "./broken.ts";
import { asAfter, fieldsAfter, formerRecords } from "./former.ts";
import { createMaker } from "./make.ts";
import type { NewKeys } from "./new-keys.ts";
import { goOnBehind } from "./sequences.ts";
import { frameOfChange } from "./ports.ts";
import type { Work } from "./work.ts";

export interface Remade {
  readonly records: number;
  /** What is wrong with new values, by record. */
  readonly broken: readonly string[];
}

/** What the records were is known from before the step, and asked for no more. */
export interface Known {
  readonly answers: Answers;
  readonly keys: NewKeys;
}

const made = "#made";

/**
 * The table stands under its new name, and its columns too; values are as they were. Of a table that goes only what its records make is made.
 * @param from what it is called while it is read
 */
export function remake(change: TableChange, from: string, { answers, keys }: Known, work: Work): Remade {
  const { before, after } = change;
  const { connection, changed } = work;
  const broken: string[] = [];
  let label = "";
  let lastRow = after ? lastRowOf(from, connection) : 0;
  const maker = createMaker(work, {
    settle: keys.settle,
    physical: (table) =>
      table.name === after?.name
        ? {
            name: made,
            nextRow: () => {
              lastRow += 1;
              return lastRow;
            },
          }
        : { name: tableName(table.name) },
    onBroken(words) {
      if (broken.length < brokenMax) broken.push(`${before.name} ${label}: ${words}`);
    },
  });
  const fieldsOf = fieldsAfter(change);
  const become = becomesOf(change, work, maker.make);
  if (after) connection.exec(createTable(after, changed.after, made));
  const write = after && writing(after, work);
  const frame = frameOfChange(work.now);
  let records = 0;
  for (const { old, asked } of formerRecords(
    change,
    { ...asAfter(change), table: from },
    answers.of(change),
    work,
  )) {
    label = labelOf(old, before);
    const fields = fieldsOf(old);
    const set = become(old, fields, asked);
    records += 1;
    if (!after || !write) continue;
    if (changed.rekeyed.length > 0)
      for (const { name } of after.columns)
        fields[name] = keys.settle(after.name, name, fields[name] ?? null);
    for (const words of setAll(set, fields, (one) => keys.settle(after.name, one.field, one.value)))
      if (broken.length < brokenMax) broken.push(`${before.name} ${label}: ${words}`);
    Object.assign(fields, keys.identifying(before.name, old));
    frame.this = fields;
    for (const { field, rules } of set) {
      const value = fields[field];
      if (rules.sequence && typeof value === "number")
        goOnBehind(rules.sequence.name, rules.sequence.within(frame), value, connection);
    }
    write(old, fields);
  }
  maker.end();
  if (after) takePlace(after, Math.max(lastRow, sequenceOf(from, connection)), connection);
  return { records: records + maker.records, broken };
}

/** Sets what the record becomes; answers what is wrong with it. */
function setAll(
  set: readonly SetField[],
  fields: Record<string, Value>,
  settled: (one: SetField) => Value,
): readonly string[] {
  const wrong: string[] = [];
  for (const one of set) {
    const value = one.rules.kept(settled(one));
    const words = one.rules.wrong(value);
    if (words !== undefined) wrong.push(`${one.field} ${words}`);
    fields[one.field] = value;
  }
  return wrong;
}

function writing(after: Table, { connection, keyAfter }: Work) {
  const encoders = after.columns.map((column) => encoderOf(column, keyAfter));
  const names = [
    "#row",
    "#revision",
    ...(after.marked ? ["#deleted"] : []),
    ...after.columns.map((column) => column.name),
    ...(after.key ? [jointKeyColumn] : []),
  ];
  const statement = connection.prepare(
    `INSERT INTO ${quoted(made)} (${names.map(quoted).join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  return (old: RecordValue, fields: Readonly<Record<string, Value>>): void => {
    statement.run([
      old["#row"],
      old["#revision"] + 1,
      ...(after.marked ? [old["#deleted"] ? 1 : 0] : []),
      ...after.columns.map((column, at) => encoders[at]?.(fields[column.name] ?? null) ?? null),
      ...(after.key ? [keyAfter(after.name, fields) as string] : []),
    ]);
  };
}

function lastRowOf(table: string, connection: Connection): number {
  const [row] = connection.prepare(`SELECT max("#row") FROM main.${quoted(tableName(table))}`).get([]) ?? [];
  return Math.max((row as number | null | undefined) ?? 0, sequenceOf(table, connection));
}

function sequenceOf(table: string, connection: Connection): number {
  const found = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get([tableName(table)]);
  return (found?.[0] as number | undefined) ?? 0;
}

/** Numbers of records that are gone stay used. */
function takePlace(after: Table, lastRow: number, connection: Connection): void {
  const name = tableName(after.name);
  connection.exec(`DROP TABLE ${quoted(name)}; ALTER TABLE ${quoted(made)} RENAME TO ${quoted(name)}`);
  connection.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run([name]);
  if (lastRow > 0)
    connection.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run([name, lastRow]);
}
