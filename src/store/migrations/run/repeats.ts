/** Values that must be unique and that several records have, before a change or because of it. */
import type { Question } from "../../migrate.ts";
import type { Row, Steps } from "../../rows/steps.ts";
import type { Column, Table, UniqueKey } from "../../table.ts";
import type { ChangedTables } from "../plan/changed-tables.ts";
import { questionText } from "../plan/question-text.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { allOf, firstOf } from "./steps.ts";
import { labelColumns, labelText, listed, storedValueText } from "./value-text.ts";

export interface QuestionContext {
  readonly words: MigrationDialect;
  /** Undefined for a table that doesn't exist yet. */
  readonly table: Table | undefined;
}

type Repeats = Extract<Question, { readonly kind: "no repeats" }>;

/** The maximum number of listed values, and of listed records for each. */
const examplesMax = 5;

/** Values that repeat already, as text; undefined if there are none. */
export function* findRepeats(question: Repeats, context: QuestionContext): Steps<string | undefined> {
  const { table, columns, filled, anyCase, decimals } = question;
  const compared = columns.map((name) => {
    const column = context.table?.columns.find((candidate) => candidate.name === name);
    if (!column) return context.words.column(name);
    // The column in the form in which the new index compares it.
    const storage = decimals.includes(name) ? "decimal" : column.storage;
    return context.words.compared({ ...column, storage, anyCase: anyCase.includes(name) }, false);
  });
  const repeated = yield* repeatedValues(table, columns, compared, context);
  if (!repeated) return undefined;
  return filled.length > 0
    ? `${table}: ${[...columns, ...filled].join(", ")} must be unique, and ${filled.join(" and ")} is new: several records would have its default`
    : `${questionText(question)}, and ${repeated.count === 1 ? "1 value repeats" : `${repeated.count.toLocaleString("en")} values repeat`} ${repeated.reported}`;
}

/** Values that a change has made equal in a table, although they are unique. */
export function* repeatsMade(
  table: Table,
  changed: ChangedTables,
  words: MigrationDialect,
): Steps<readonly string[]> {
  const reported: string[] = [];
  for (const key of table.uniques) {
    if (!mayRepeat(key, table, changed)) continue;
    const compared = key.columns.map((name) =>
      words.compared(table.columns.find((column) => column.name === name) as Column, key.identifier),
    );
    const repeated = yield* repeatedValues(table.name, key.columns, compared, { words, table });
    if (repeated)
      reported.push(
        `${table.name}: ${key.columns.join(", ")} must be unique, and ${repeated.count === 1 ? "1 value" : `${repeated.count.toLocaleString("en")} values`} would repeat ${repeated.reported}`,
      );
  }
  return reported;
}

/** Whether a change may have made two records equal: it sets or adds values, or the key is new. */
function mayRepeat(
  { columns, identifier }: UniqueKey,
  table: Table,
  { changes, rekeyed }: ChangedTables,
): boolean {
  const change = changes.find(({ after }) => after?.name === table.name);
  const isFilled = changes.some(({ forEach }) =>
    forEach.some(({ effects }) =>
      effects.some((effect) => effect.kind === "make" && effect.resource === table.name),
    ),
  );
  if (!change || isFilled || rekeyed.length > 0) return true;
  const { before, inside, forEach } = change;
  const former = (name: string): string => change.columns.find(({ to }) => to === name)?.from ?? name;
  const isSet = (name: string): boolean =>
    forEach.some(({ effects }) =>
      effects.some((effect) => effect.kind === "assign" && effect.field === name),
    ) || inside.some(({ column }) => column === name);
  const formIn = ({ columns: all }: Table, name: string): string | undefined => {
    const column = all.find((candidate) => candidate.name === name);
    return column && column.storage !== "json"
      ? `${column.storage} ${column.form} ${column.anyCase}`
      : undefined;
  };
  const isKept = (name: string): boolean => {
    const form = formIn(table, name);
    return form !== undefined && form === formIn(before, former(name)) && !isSet(name);
  };
  const names = columns.map(former).join(" ");
  const isFormer = before.uniques.some(
    (key) => key.identifier === identifier && key.columns.join(" ") === names,
  );
  return !isFormer || !columns.every(isKept);
}

interface RepeatedValues {
  /** The number of different values. */
  readonly count: number;
  /** In how many records they are, and the first of them. */
  readonly reported: string;
}

/** @param compared the SQL by which the index compares the columns */
function* repeatedValues(
  resource: string,
  names: readonly string[],
  compared: readonly string[],
  { words, table }: QuestionContext,
): Steps<RepeatedValues | undefined> {
  const name = words.table(resource);
  const present = ["TRUE", ...names.map((column) => `${words.column(column)} IS NOT NULL`)].join(" AND ");
  // If all columns are new, all records are one group.
  const groups = `SELECT min("#row") AS first, count(*) AS many FROM ${name} WHERE ${present} GROUP BY ${["1 + 0", ...compared].join(", ")} HAVING count(*) > 1`;
  const [count = 0, records] =
    (yield* firstOf<readonly [count: number, records: number | null]>(
      `SELECT count(*), sum(many) FROM (${groups}) AS repeated`,
    )) ?? [];
  if (count === 0) return undefined;
  const reported = `in ${Number(records).toLocaleString("en")} records`;
  const columns = names.map((column) => table?.columns.find((candidate) => candidate.name === column));
  const isShown = columns.length > 0 && columns.every((column) => column && !column.hidden);
  if (!table || !isShown) return { count, reported };
  const same = compared
    .map((text) => `${text} = (SELECT ${text} FROM ${name} WHERE "#row" = ?)`)
    .join(" AND ");
  const label = labelColumns(table, words.column);
  // No client sees a deleted record, so the message says which of them is deleted.
  const mark = table.marked ? [`CASE WHEN "#deleted" = TRUE THEN ' (deleted)' ELSE '' END`] : [];
  const of = `SELECT ${[...label, ...mark].join(", ")} FROM ${name} WHERE ${same} ORDER BY "#row" LIMIT ${examplesMax}`;
  const values = `SELECT ${names.map(words.column).join(", ")} FROM ${name} WHERE "#row" = ?`;
  const examples: string[] = [];
  const first = `${groups} ORDER BY first LIMIT ${examplesMax}`;
  for (const [row, many] of yield* allOf<readonly [first: number, many: number]>(first)) {
    const value: Row = (yield* firstOf(values, [row])) ?? [];
    const shown = columns.map((column, at) =>
      column ? storedValueText(value[at] ?? null, column, words) : "",
    );
    const own = yield* allOf<readonly string[]>(
      of,
      compared.map(() => row),
    );
    const records = own.map((row) => labelText(row.slice(0, label.length)) + (row[label.length] ?? ""));
    examples.push(`${shown.join(" and ")} (${listed(records, many)})`);
  }
  return { count, reported: `${reported}: ${listed(examples, count)}` };
}
