/** Asks the records of a store what a migration depends on, and tells which of them stand in its way. */
import { losesParts } from "../json-shape.ts";
import type { Question } from "../migrate.ts";
import { readJson } from "../sql/form.ts";
import { quoted, quotedTable, quotedText } from "../sql/fragment.ts";
import type { Table } from "../tables.ts";
import type { Connection } from "./connection.ts";
import { literal } from "./ddl.ts";
import { labelColumns, shownLabel, shownValue } from "./shown.ts";
import { comparedDecimal } from "./unique-columns.ts";

/** A question whose answer stands in the way. */
export interface Found {
  readonly question: Question;
  /** How many records; of repeats, how many values repeat. */
  readonly count: number;
  /** A sentence that says so, with some of the records. */
  readonly told: string;
  /** Different texts that stand where they may not, the first ones. */
  readonly values: readonly string[];
}

/** So many are told one by one. */
const examplesMax = 5;
/** So many different values are told, for each may need a line of its own. */
const valuesMax = 20;

/** Undefined where nothing stands in the way. @param before the table as the store has it */
export function askStore(
  question: Question,
  before: readonly Table[],
  connection: Connection,
): Found | undefined {
  const table = before.find(({ name }) => name === question.table);
  const asking: Asking = { connection, table };
  if (question.ask === "no repeats") return askRepeats(question, asking);
  const count =
    question.ask === "no parts lost"
      ? countLosing(question, connection)
      : connection
          .prepare(`SELECT count(*) FROM ${quotedTable(question.table)} WHERE ${condition(question)}`)
          .get([])?.[0];
  if (count === 0) return undefined;
  const found = { question, count: count as number };
  return { ...found, told: tell(question, found.count, asking), values: strayValues(question, connection) };
}

interface Asking {
  readonly connection: Connection;
  /** Undefined of a table that isn't there yet. */
  readonly table: Table | undefined;
}

type Repeats = Extract<Question, { readonly ask: "no repeats" }>;
type Plain = Exclude<Question, Repeats | { readonly ask: "no parts lost" }>;

/** Of the records that stand in the way. */
function condition(question: Plain): string {
  switch (question.ask) {
    case "no records":
    case "no records to fill":
      return "true";
    case "none marked":
      return `"#deleted" = 1`;
    case "no references":
      return `${quoted(question.column)} IS NOT NULL AND ${quoted(question.column)} NOT IN ('[]', '{}')`;
    case "nothing said": {
      const column = quoted(question.column.name);
      const { fill } = question.column;
      const isDefault =
        fill === undefined ? "" : ` AND ${column} COLLATE BINARY <> ${literal(fill, question.column)}`;
      return `${column} IS NOT NULL${isDefault}`;
    }
    case "empty to convert":
      return `${quoted(question.column)} IS NOT NULL`;
    case "known": {
      const column = quoted(question.column);
      if (question.field === undefined) return `${column} IS NOT NULL`;
      return `${column} IS NOT NULL AND ${column} NOT IN (SELECT ${quoted(question.field)} FROM ${quotedTable(question.to)} WHERE ${quoted(question.field)} IS NOT NULL)`;
    }
    case "none null":
      return `${quoted(question.column)} IS NULL`;
    case "only values":
      return `${quoted(question.column)} NOT IN (${question.values.map(quotedText).join(", ")})`;
  }
}

/** The records whose objects have parts that have no place any more; read slice by slice, however many there are. */
function countLosing(
  question: Extract<Question, { readonly ask: "no parts lost" }>,
  connection: Connection,
): number {
  let count = 0;
  for (const [, json] of storedJson(question.table, question.column, connection))
    if (losesParts(readJson(json), question.shape)) count += 1;
  return count;
}

const sliceLength = 1000;

/** A column of JSON with the rows that it stands in, slice by slice. */
export function* storedJson(
  table: string,
  column: string,
  connection: Connection,
): Generator<readonly [number, string]> {
  const slice = connection.prepare(
    `SELECT "#row", ${quoted(column)} FROM ${quotedTable(table)} WHERE "#row" > ? AND ${quoted(column)} IS NOT NULL ORDER BY "#row" LIMIT ${sliceLength}`,
  );
  let after = 0;
  for (let rows = slice.all([after]); rows.length > 0; rows = slice.all([after])) {
    for (const row of rows as readonly (readonly [number, string])[]) yield row;
    after = rows.at(-1)?.[0] as number;
  }
}

function strayValues(question: Question, connection: Connection): readonly string[] {
  if (question.ask !== "only values") return [];
  return connection
    .prepare(
      `SELECT ${quoted(question.column)} FROM ${quotedTable(question.table)} WHERE ${condition(question)} GROUP BY 1 ORDER BY min("#row") LIMIT ${valuesMax}`,
    )
    .all([])
    .map(([value]) => String(value));
}

function tell(question: Exclude<Question, Repeats>, count: number, asking: Asking): string {
  const [has, is] = count === 1 ? ["has", "is"] : ["have", "are"];
  const records =
    count === 1 ? `1 ${question.table}` : `${count.toLocaleString("en")} records of ${question.table}`;
  const labelled = () => (question.ask === "no parts lost" ? "" : labels(question, count, asking));
  const examples = (column: string) =>
    question.ask === "no parts lost" ? "" : valuesOf(question, column, count, asking);
  switch (question.ask) {
    case "no records":
      return `${question.table}: all of it, ${records}`;
    case "nothing said":
      return `${question.table}.${question.column.name}: its value in ${records}${examples(question.column.name)}`;
    case "no parts lost":
      return `${question.table}.${question.column}: parts of it in ${records}`;
    case "none marked":
      return `${question.table} is no longer deleted by marking, and ${records} would be back${labelled()}`;
    case "known":
      return `${question.table}.${question.column} is now a reference to ${question.to}, and ${records} ${has} something else there${examples(question.column)}`;
    case "empty to convert":
      if (question.from === question.to)
        return `${question.table}.${question.column} is kept otherwise now, for ${question.to} is identified otherwise, and ${records} ${has} a value there${labelled()}`;
      return `${question.table}.${question.column} was ${question.from} and is now ${question.to}, and ${records} ${has} a value there${examples(question.column)}`;
    case "no references":
      return `${question.table}.${question.column} refers to ${question.to}, which is now identified otherwise, in ${records}${labelled()}`;
    case "none null":
      return `${question.table}.${question.column} is now required, and ${records} ${has} none${labelled()}`;
    case "no records to fill":
      return `${question.table}.${question.column} is new and required without a plain default, and there ${is} ${records} already`;
    case "only values":
      return `${question.table}.${question.column} may now only be ${question.values.join(", ")}, and ${records} ${has} something else${examples(question.column)}`;
  }
}

/** ` (1, 2, …)`: some of the records. */
function labels(question: Plain, count: number, { connection, table }: Asking): string {
  if (!table) return "";
  const rows = connection
    .prepare(
      `SELECT ${labelColumns(table).join(", ")} FROM ${quotedTable(table.name)} WHERE ${condition(question)} ORDER BY "#row" LIMIT ${examplesMax}`,
    )
    .all([]);
  return ` (${listed(rows.map(shownLabel), count)})`;
}

/** `: "a" (1), "b" (2), …`: some of their values. */
function valuesOf(question: Plain, name: string, count: number, { connection, table }: Asking): string {
  const column = table?.columns.find((one) => one.name === name);
  if (!table || !column || column.hidden) return "";
  const rows = connection
    .prepare(
      `SELECT ${quoted(name)}, ${labelColumns(table).join(", ")} FROM ${quotedTable(table.name)} WHERE ${condition(question)} ORDER BY "#row" LIMIT ${examplesMax}`,
    )
    .all([]);
  const told = rows.map(([value, ...label]) => `${shownValue(value ?? null, column)} (${shownLabel(label)})`);
  return `: ${listed(told, count)}`;
}

function listed(told: readonly string[], count: number): string {
  return [...told, ...(count > told.length ? ["…"] : [])].join(", ");
}

function askRepeats(question: Repeats, { connection, table }: Asking): Found | undefined {
  const compared = question.columns.map((name) => {
    if (question.decimals.includes(name)) return comparedDecimal(quoted(name));
    return question.anyCase.includes(name) ? `${quoted(name)} COLLATE NOCASE` : quoted(name);
  });
  const name = quotedTable(question.table);
  const present = ["true", ...question.columns.map((column) => `${quoted(column)} IS NOT NULL`)].join(
    " AND ",
  );
  // Where all columns are new, all records are one group.
  const groups = `SELECT min("#row") AS first, count(*) AS many FROM ${name} WHERE ${present} GROUP BY ${["1 + 0", ...compared].join(", ")} HAVING count(*) > 1`;
  const [count, records] = connection.prepare(`SELECT count(*), sum(many) FROM (${groups})`).get([]) ?? [];
  if (count === 0) return undefined;
  const found = { question, count: count as number, values: [] };
  if (question.filled.length > 0)
    return {
      ...found,
      told: `${question.table}: ${[...question.columns, ...question.filled].join(", ")} must be unique, and ${question.filled.join(" and ")} is new: its default would stand in several records`,
    };
  const repeat = count === 1 ? "1 value repeats" : `${Number(count).toLocaleString("en")} values repeat`;
  const told = `${question.table}: ${question.columns.join(", ")} must now be unique, and ${repeat} in ${Number(records).toLocaleString("en")} records`;
  const columns = question.columns.map((one) => table?.columns.find((other) => other.name === one));
  if (!table || columns.some((column) => !column || column.hidden)) return { ...found, told };
  const same = compared.map((one) => `${one} = (SELECT ${one} FROM ${name} WHERE "#row" = ?)`).join(" AND ");
  const of = connection.prepare(
    `SELECT ${labelColumns(table).join(", ")} FROM ${name} WHERE ${same} ORDER BY "#row" LIMIT ${examplesMax}`,
  );
  const values = connection.prepare(
    `SELECT ${question.columns.map(quoted).join(", ")} FROM ${name} WHERE "#row" = ?`,
  );
  const examples = connection
    .prepare(`${groups} ORDER BY first LIMIT ${examplesMax}`)
    .all([])
    .map(([first, many]) => {
      const row = values.get([first as number]) ?? [];
      const shown = columns.map((column, at) => (column ? shownValue(row[at] ?? null, column) : ""));
      const labels = of.all(compared.map(() => first as number)).map(shownLabel);
      return `${shown.join(" and ")} (${listed(labels, many as number)})`;
    });
  return { ...found, told: `${told}: ${listed(examples, found.count)}` };
}
