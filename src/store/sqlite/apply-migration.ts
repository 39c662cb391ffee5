/** Asks the data what a migration depends on, then makes all its steps in one transaction, or none. */
import { rmSync } from "node:fs";
import { StoreMismatch, StoreRefused } from "../errors.ts";
import type { Migration, Question, Step } from "../migrate.ts";
import { type Column, jointKeyColumn, type Table, type Tables } from "../tables.ts";
import { inShape, losesParts } from "../json-shape.ts";
import { readJson } from "../sql/form.ts";
import { quoted, quotedTable, tableName } from "../sql/fragment.ts";
import { recordColumns } from "../sql/decode.ts";
import { keysOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { isBrokenLaw } from "./failures.ts";
import { inMemory, makePrivately } from "./open-file.ts";
import {
  columnDefinition,
  createIndex,
  createKeyIndex,
  createTable,
  createUnique,
  indexName,
  keyDefinition,
  keyIndexName,
  literal,
  uniqueName,
} from "./ddl.ts";
import { recordDecoder } from "./records.ts";
import { comparedDecimal } from "./unique-columns.ts";

export interface MigrationContext {
  readonly connection: Connection;
  readonly path: string;
  readonly onWarning: (message: string) => void;
  /** The tables that there are to be. */
  readonly tables: Tables;
  /** Losses are confirmed: what would be lost may go. */
  readonly losesData: boolean;
  /** Runs in the same transaction, after the steps: keeps what the store is now. */
  readonly keep: () => void;
}

/** @throws StoreMismatch where the data doesn't fit, with everything that stands in the way */
export function applyMigration(migration: Migration, context: MigrationContext): void {
  const { connection } = context;
  const losses = lossesOf(migration, context);
  if (losses.length > 0) backUp(losses, context);
  // A table that is written anew goes for a moment, with all that refers to it still there; that is checked at the end.
  connection.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
  try {
    for (const step of migration.steps) apply(step, context);
    const broken = connection.prepare("PRAGMA foreign_key_check").all([]);
    if (broken.length > 0) {
      const places = [
        ...new Set(broken.map((row) => `${row[0]} has references to ${row[2]} that lead nowhere`)),
      ];
      throw new StoreMismatch(context.path, [], places);
    }
    context.keep();
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.isInTransaction) connection.exec("ROLLBACK");
    // What no question has asked about: the records break a law that is to be made, and stay as they are.
    if (isBrokenLaw(error)) throw new StoreMismatch(context.path, [], [(error as Error).message]);
    throw error;
  } finally {
    connection.exec("PRAGMA foreign_keys = ON");
  }
}

/** A copy of the store beside it, before anything of it goes; without one nothing goes. @throws StoreRefused */
function backUp(losses: readonly string[], { connection, path, onWarning }: MigrationContext): void {
  if (path === inMemory) return;
  const copy = `${path}.before-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  try {
    makePrivately(copy);
    connection.prepare("VACUUM INTO ?").run([copy]);
  } catch (error) {
    rmSync(copy, { force: true });
    throw new StoreRefused(
      `${copy}, the copy of the store that is made before data goes, can't be written: ${error instanceof Error ? error.message : String(error)}. Nothing was changed.`,
      "Make room for it, or copy the store by hand and take away what the document has no place for.",
      error,
    );
  }
  onWarning(
    `The document has no place any more for\n${losses.map((line) => `  - ${line}`).join("\n")}\nIt goes. The store as it was is kept in ${copy}.`,
  );
}

/** Answers what will be lost, where that is confirmed. @throws StoreMismatch */
export function lossesOf(
  { questions }: Migration,
  context: Pick<MigrationContext, "connection" | "path" | "losesData">,
): readonly string[] {
  const losses: string[] = [];
  const obstacles: string[] = [];
  for (const question of questions) {
    const count =
      question.ask === "no parts lost"
        ? countLosing(question, context.connection)
        : (context.connection.prepare(countSql(question)).get([])?.[0] as number);
    if (count === 0) continue;
    const told = tell(question, count);
    if (question.ask === "no records" || question.ask === "nothing said" || question.ask === "no parts lost")
      losses.push(told);
    else obstacles.push(told);
  }
  const isRefused = obstacles.length > 0 || (losses.length > 0 && !context.losesData);
  if (isRefused) throw new StoreMismatch(context.path, losses, obstacles);
  return losses;
}

/** Counts the records that stand in the way. */
function countSql(question: Exclude<Question, { readonly ask: "no parts lost" }>): string {
  const from = `SELECT count(*) FROM ${quotedTable(question.table)}`;
  switch (question.ask) {
    case "no records":
    case "no records to fill":
      return from;
    case "none marked":
      return `${from} WHERE "#deleted" = 1`;
    case "no references":
      return `${from} WHERE ${quoted(question.column)} IS NOT NULL AND ${quoted(question.column)} NOT IN ('[]', '{}')`;
    case "nothing said": {
      const column = quoted(question.column.name);
      const { fill } = question.column;
      const isDefault =
        fill === undefined ? "" : ` AND ${column} COLLATE BINARY <> ${literal(fill, question.column)}`;
      return `${from} WHERE ${column} IS NOT NULL${isDefault}`;
    }
    case "empty to convert":
      return `${from} WHERE ${quoted(question.column)} IS NOT NULL`;
    case "none null":
      return `${from} WHERE ${quoted(question.column)} IS NULL`;
    case "only values": {
      const values = question.values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", ");
      return `${from} WHERE ${quoted(question.column)} NOT IN (${values})`;
    }
    case "no repeats": {
      const columns = question.columns.map((name) => {
        if (question.decimals.includes(name)) return comparedDecimal(quoted(name));
        return question.anyCase.includes(name) ? `${quoted(name)} COLLATE NOCASE` : quoted(name);
      });
      const present = question.columns.map((name) => ` AND ${quoted(name)} IS NOT NULL`).join("");
      // Where all columns are new, all records are one group.
      const groups = ["1 + 0", ...columns].join(", ");
      return `SELECT count(*) FROM (SELECT 1 FROM ${quotedTable(question.table)} WHERE true${present} GROUP BY ${groups} HAVING count(*) > 1)`;
    }
  }
}

/** The records whose objects have parts that have no place any more; read slice by slice, however many there are. */
function countLosing(
  question: Extract<Question, { readonly ask: "no parts lost" }>,
  connection: Connection,
): number {
  let count = 0;
  for (const [, json] of storedJson(question.table, question.column, connection)) {
    if (losesParts(readJson(json), question.shape)) count += 1;
  }
  return count;
}

const sliceLength = 1000;

function* storedJson(
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

/** Gives objects the parts that they have today. */
function reshape(table: Table, column: Column, connection: Connection): void {
  const update = connection.prepare(
    `UPDATE ${quotedTable(table.name)} SET ${quoted(column.name)} = ? WHERE "#row" = ?`,
  );
  for (const [row, json] of storedJson(table.name, column.name, connection)) {
    update.run([JSON.stringify(inShape(readJson(json), column.shape)), row]);
  }
}

/** Gives the records of a table the texts that their identifying columns make. */
function makeKeys(table: Table, isThere: boolean, { connection, tables }: MigrationContext): void {
  if (!isThere) connection.exec(`ALTER TABLE ${quotedTable(table.name)} ADD COLUMN ${keyDefinition}`);
  connection.exec(`DROP INDEX IF EXISTS ${quoted(keyIndexName(table))}`);
  const keyOf = keysOf(tables.tables);
  const decode = recordDecoder(table);
  const select = connection.prepare(
    `SELECT ${recordColumns(table).map(quoted).join(", ")} FROM ${quotedTable(table.name)} WHERE "#row" > ? ORDER BY "#row" LIMIT ${sliceLength}`,
  );
  const update = connection.prepare(
    `UPDATE ${quotedTable(table.name)} SET ${quoted(jointKeyColumn)} = ? WHERE "#row" = ?`,
  );
  let after = 0;
  for (let rows = select.all([after]); rows.length > 0; rows = select.all([after])) {
    for (const record of rows.map(decode)) {
      update.run([keyOf(table.name, record) as string | null, record["#row"]]);
      after = record["#row"];
    }
  }
  connection.exec(createKeyIndex(table));
}

function tell(question: Question, count: number): string {
  const [has, is] = count === 1 ? ["has", "is"] : ["have", "are"];
  const records = count === 1 ? `1 ${question.table}` : `${count} records of ${question.table}`;
  switch (question.ask) {
    case "no records":
      return `${question.table}: all of it, ${records}`;
    case "nothing said":
      return `${question.table}.${question.column.name}: its value in ${records}`;
    case "no parts lost":
      return `${question.table}.${question.column}: parts of it in ${records}`;
    case "none marked":
      return `${question.table} is no longer deleted by marking, and ${records} would be back`;
    case "empty to convert":
      return `${question.table}.${question.column} was ${question.from} and is now ${question.to}; ${records} can't be converted`;
    case "no references":
      return `${question.table}.${question.column} refers to ${question.to}, which is now identified otherwise, in ${records}`;
    case "none null":
      return `${question.table}.${question.column} is now required, and ${records} ${has} none`;
    case "no records to fill":
      return `${question.table}.${question.column} is new and required without a plain default, and there ${is} ${records} already`;
    case "only values":
      return `${question.table}.${question.column} may now only be ${question.values.join(", ")}, and ${records} ${has} something else`;
    case "no repeats":
      if (question.filled.length > 0)
        return `${question.table}: ${[...question.columns, ...question.filled].join(", ")} must be unique, and ${question.filled.join(" and ")} is new: its default would stand in several records`;
      return `${question.table}: ${question.columns.join(", ")} must now be unique, and ${count === 1 ? "1 value repeats" : `${count} values repeat`}`;
  }
}

function apply(step: Step, context: MigrationContext): void {
  if (step.step === "rebuild") rebuild(step.table, step.kept, step.wasMarked, context);
  else if (step.step === "reshape column") reshape(step.table, step.column, context.connection);
  else if (step.step === "make keys") makeKeys(step.table, step.isThere, context);
  else for (const statement of statementsOf(step, context.tables)) context.connection.exec(statement);
}

function statementsOf(
  step: Exclude<Step, { readonly step: "rebuild" | "reshape column" | "make keys" }>,
  tables: Tables,
): readonly string[] {
  const name = quotedTable(step.table.name);
  switch (step.step) {
    case "create table":
      return [createTable(step.table, tables)];
    case "drop table":
      return [`DROP TABLE ${name}`];
    case "add column":
      return [
        `ALTER TABLE ${name} ADD COLUMN ${columnDefinition(step.column, step.table, tables)}`,
        ...filling(step.table, step.column),
      ];
    case "fill column":
      return filling(step.table, step.column);
    case "rename column":
      return [`ALTER TABLE ${name} RENAME COLUMN ${quoted(step.from)} TO ${quoted(step.to)}`];
    case "drop index":
      return [`DROP INDEX ${quoted(indexName(step.table, step.index))}`];
    case "create index":
      return [createIndex(step.table, step.index)];
    case "drop unique":
      return [`DROP INDEX ${quoted(uniqueName(step.table, step.key))}`];
    case "create unique":
      return [createUnique(step.table, step.key)];
  }
}

function filling(table: Table, column: Column): readonly string[] {
  if (column.fill === undefined) return [];
  return [`UPDATE ${quotedTable(table.name)} SET ${quoted(column.name)} = ${literal(column.fill, column)}`];
}

/** SQLite's own way to change a table beyond `ALTER TABLE`: a new one, the rows, and the old name. */
function rebuild(
  table: Table,
  kept: readonly string[],
  wasMarked: boolean,
  { connection, tables }: MigrationContext,
): void {
  const temporary = "#rebuilt";
  const hidden = table.marked && wasMarked ? ["#row", "#revision", "#deleted"] : ["#row", "#revision"];
  const columns = [...hidden, ...kept].map(quoted).join(", ");
  const sequence = connection
    .prepare("SELECT seq FROM sqlite_sequence WHERE name = ?")
    .get([tableName(table.name)]);
  connection.exec(createTable(table, tables, temporary));
  connection.exec(
    `INSERT INTO ${quoted(temporary)} (${columns}) SELECT ${columns} FROM ${quotedTable(table.name)} ORDER BY "#row"`,
  );
  connection.exec(`DROP TABLE ${quotedTable(table.name)}`);
  connection.exec(`ALTER TABLE ${quoted(temporary)} RENAME TO ${quotedTable(table.name)}`);
  // Numbers of records that are gone stay used.
  connection.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run([tableName(table.name)]);
  if (sequence)
    connection
      .prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
      .run([tableName(table.name), sequence[0] as number]);
}
