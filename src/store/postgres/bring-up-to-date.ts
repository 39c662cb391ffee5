/**
 * What a schema has to become for a document, and its becoming so, all of it in one transaction: a start that is killed leaves the store
 * as it was. One instance does it, others wait for it and find it done.
 */
import type { Model } from "../../model/model.ts";
import { StoreMismatch, StoreRefused } from "../errors.ts";
import { type Migration, planMigration, type Question, type Step } from "../migrate.ts";
import { movingMeta, refuseUnfinished } from "../moving/unfinished.ts";
import { quoted, quotedText as text } from "../sql/fragment.ts";
import { type Tables, tablesOf } from "../tables.ts";
import { numberFor, type PostgresAddress } from "./address.ts";
import type { PostgresConnection } from "./connection.ts";
import {
  columnDefinition,
  createIndex,
  createKeyIndex,
  createTable,
  createUnique,
  foreignKeys,
  indexName,
  keyIndexName,
  literal,
  systemTables,
  uniqueName,
} from "./ddl.ts";
import { functionDefinitions } from "./functions.ts";
import { columnIdentifier, tableIdentifier } from "./names.ts";
import { sharedTables } from "./shared/tables.ts";

/** Which system tables there are; raised when they change. */
const formatVersion = "1";
const noTables: Tables = { tables: [], references: [] };

export interface UpToDateWishes {
  readonly losesData: boolean;
}

/** @throws StoreRefused | StoreMismatch */
export async function bringUpToDate(
  connection: PostgresConnection,
  address: PostgresAddress,
  model: Model,
  wishes: UpToDateWishes,
): Promise<Tables> {
  const tables = tablesOf(model);
  await connection.go("BEGIN");
  try {
    await connection.go(`SELECT pg_advisory_xact_lock(${numberFor(address.schema, "migration")})`);
    await prepareSchema(connection, address);
    await changeTables(connection, address, model, tables, wishes);
    await connection.go("COMMIT");
    return tables;
  } catch (error) {
    if (connection.isThere) await connection.go("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Whether it could be done; nothing is changed. @throws StoreRefused | StoreMismatch */
export async function checkFit(
  connection: PostgresConnection,
  address: PostgresAddress,
  model: Model,
  wishes: UpToDateWishes,
): Promise<void> {
  await connection.go("BEGIN");
  try {
    await changeTables(connection, address, model, tablesOf(model), wishes);
  } finally {
    if (connection.isThere) await connection.go("ROLLBACK");
  }
}

/** Makes the schema and the engine's own tables, where they aren't there. @throws StoreRefused */
export async function prepareSchema(connection: PostgresConnection, address: PostgresAddress): Promise<void> {
  const { schema, shown } = address;
  const [[count] = [0]] = await connection.go(
    `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ${text(schema)}`,
  );
  if (count === 0) {
    await connection.go(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`);
    for (const statement of systemTables) await connection.go(statement);
    await writeMeta(connection, "format", formatVersion);
  } else if (!(await isOurs(connection, schema))) {
    throw new StoreRefused(
      `The schema ${schema} of ${shown} has tables of someone else's.`,
      "Name another schema in the store's address (?schema=…); it is made if it isn't there.",
    );
  }
  const format = await readMeta(connection, "format");
  if (format !== formatVersion) {
    throw new StoreRefused(
      `${shown} was made by a Ninefold that keeps its data in another way (format ${format}; this one knows ${formatVersion}).`,
      "Use that version of Ninefold.",
    );
  }
  for (const statement of [...functionDefinitions, ...sharedTables]) await connection.go(statement);
}

async function isOurs(connection: PostgresConnection, schema: string): Promise<boolean> {
  const [row] = await connection.go(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ${text(schema)} AND c.relname = 'ninefold_meta'`,
  );
  return row !== undefined;
}

async function changeTables(
  connection: PostgresConnection,
  { shown }: PostgresAddress,
  model: Model,
  tables: Tables,
  wishes: UpToDateWishes,
): Promise<void> {
  refuseUnfinished(await readMeta(connection, movingMeta), shown);
  const document = await readMeta(connection, "document");
  if (document !== undefined && document !== model.name) {
    throw new StoreRefused(
      `${shown} belongs to another document: "${document}", not "${model.name}".`,
      "Give this document a schema of its own (?schema=…), or its old name back.",
    );
  }
  const kept = await readMeta(connection, "tables");
  const wanted = JSON.stringify(tables);
  if (kept === wanted) return;
  const before: Tables = kept === undefined ? noTables : JSON.parse(kept);
  if (kept !== undefined) refuseStoredChanges(model, shown);
  const migration = planMigration(before, tables, model);
  await refuseWhatStandsInTheWay(connection, migration, shown, wishes);
  const had = new Set(foreignKeys(before).map(({ name }) => name));
  const wantedKeys = foreignKeys(tables);
  const stays = new Set(wantedKeys.map(({ name }) => name));
  for (const key of foreignKeys(before)) if (!stays.has(key.name)) await connection.go(key.drop);
  for (const step of migration.steps) await take(step, connection, shown);
  for (const key of wantedKeys) if (!had.has(key.name)) await connection.go(key.add);
  await writeMeta(connection, "document", model.name);
  await writeMeta(connection, "tables", wanted);
}

/** Part 9's changes of stored data are made by SQLite's own statements so far. */
function refuseStoredChanges({ versioning }: Model, shown: string): void {
  const [first] = versioning.storedChanges;
  if (!first) return;
  throw new StoreMismatch(
    shown,
    [],
    [
      `the stored change ${first.name}: changes of stored data are not made on PostgreSQL by this version of Ninefold`,
    ],
  );
}

/** What is asked of data is asked of the records that there are: where there are none, nothing stands in the way. */
async function refuseWhatStandsInTheWay(
  connection: PostgresConnection,
  { questions }: Migration,
  shown: string,
  { losesData }: UpToDateWishes,
): Promise<void> {
  const losses: string[] = [];
  const obstacles: string[] = [];
  for (const question of questions) {
    const [count] = (await connection.go(countOf(question)))[0] as readonly [number];
    if (count === 0) continue;
    const records = `${count} ${count === 1 ? "record" : "records"} of ${question.table}`;
    if (question.ask === "no records") losses.push(`${question.table}: all of it, ${records}`);
    else if (question.ask === "nothing said")
      losses.push(`${question.table}.${question.column.name}: its value in ${records}`);
    else obstacles.push(`${records} would have to be changed for this document (${question.ask})`);
  }
  if (obstacles.length > 0 || (losses.length > 0 && !losesData))
    throw new StoreMismatch(shown, losses, obstacles);
}

function countOf(question: Question): string {
  const all = `SELECT count(*) FROM ${tableIdentifier(question.table)}`;
  switch (question.ask) {
    case "nothing said":
      return `${all} WHERE ${columnIdentifier(question.column.name)} IS NOT NULL`;
    case "none null":
      return `${all} WHERE ${columnIdentifier(question.column)} IS NULL`;
    case "empty to convert":
    case "known":
      return `${all} WHERE ${columnIdentifier(question.column)} IS NOT NULL`;
    case "only values":
      return `${all} WHERE ${columnIdentifier(question.column)} NOT IN (${question.values.map(text).join(", ")})`;
    case "none marked":
      return `${all} WHERE "#deleted"`;
    case "no repeats": {
      const columns = question.columns.map(columnIdentifier);
      if (columns.length === 0) return all;
      return `SELECT count(*) FROM (SELECT 1 FROM ${tableIdentifier(question.table)} GROUP BY ${columns.join(", ")} HAVING count(*) > 1) AS repeats`;
    }
    default:
      return all;
  }
}

async function take(step: Step, connection: PostgresConnection, shown: string): Promise<void> {
  for (const statement of statementsOf(step, shown)) await connection.go(statement);
}

/** @throws StoreMismatch where a step needs what is not done here */
function statementsOf(step: Step, shown: string): readonly string[] {
  const table = tableIdentifier(step.table.name);
  switch (step.step) {
    case "create table":
      return [createTable(step.table)];
    case "drop table":
      return [`DROP TABLE ${table} CASCADE`];
    case "add column":
      return [`ALTER TABLE ${table} ADD COLUMN ${columnDefinition(step.column)}`];
    case "fill column": {
      const { column } = step;
      if (column.fill === undefined) return [];
      const name = columnIdentifier(column.name);
      return [`UPDATE ${table} SET ${name} = ${literal(column.fill, column)} WHERE ${name} IS NULL`];
    }
    case "rename column":
      return [
        `ALTER TABLE ${table} RENAME COLUMN ${columnIdentifier(step.from)} TO ${columnIdentifier(step.to)}`,
      ];
    case "make keys":
      return [
        ...(step.isThere ? [`DROP INDEX IF EXISTS ${quoted(keyIndexName(step.table))}`] : []),
        createKeyIndex(step.table),
      ];
    case "drop index":
      return [`DROP INDEX IF EXISTS ${quoted(indexName(step.table, step.index))}`];
    case "create index": {
      const statement = createIndex(step.table, step.index);
      return statement === undefined ? [] : [statement];
    }
    case "drop unique":
      return [`DROP INDEX IF EXISTS ${quoted(uniqueName(step.table, step.key))}`];
    case "create unique":
      return [createUnique(step.table, step.key)];
    default:
      throw new StoreMismatch(
        shown,
        [],
        [
          `${step.table.name} would have to be written anew, which is not done on PostgreSQL by this version of Ninefold`,
        ],
      );
  }
}

export async function readMeta(connection: PostgresConnection, name: string): Promise<string | undefined> {
  const [row] = await connection.go(`SELECT value FROM ninefold_meta WHERE name = ${text(name)}`);
  return row?.[0] as string | undefined;
}

export async function writeMeta(connection: PostgresConnection, name: string, value: string): Promise<void> {
  await connection.go(
    `INSERT INTO ninefold_meta (name, value) VALUES (${text(name)}, ${text(value)}) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
}
