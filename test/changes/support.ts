/**
 * Helpers for tests of stored changes: opens the store of one document with another, and reads its
 * content.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type pg from "pg";
import type { Value } from "../../src/expressions/value.ts";
import { StoreMismatch } from "../../src/store/index.ts";
import { freshSchema, type Schema } from "../postgres/server.ts";
import { open } from "./desk.ts";

export const folder = mkdtempSync(join(tmpdir(), "ninefold-changes-"));
const schemas: Schema[] = [];
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const schema of schemas) await schema.drop();
});
let stores = 0;
let isOnPostgres = false;

/** Runs the test once with stores in files, and once with stores in PostgreSQL. */
export function testOnEach(
  title: string,
  work: (where: { readonly isFile: boolean }) => Promise<void>,
): void {
  for (const onPostgres of [false, true])
    test(`${title} (${onPostgres ? "on PostgreSQL" : "in a file"})`, () => {
      // The tests of a file run one after another.
      isOnPostgres = onPostgres;
      return work({ isFile: !onPostgres });
    });
}

/** Runs work with stores in PostgreSQL, or in files. */
export async function onDatabase<T>(onPostgres: boolean, work: () => Promise<T>): Promise<T> {
  const before = isOnPostgres;
  isOnPostgres = onPostgres;
  try {
    return await work();
  } finally {
    isOnPostgres = before;
  }
}

/** A new path or address without a store. */
export async function newPath(): Promise<string> {
  stores += 1;
  if (!isOnPostgres) {
    // If several files share a process, the first of them has deleted the folder.
    mkdirSync(folder, { recursive: true });
    return join(folder, `${stores}.db`);
  }
  const schema = await freshSchema();
  schemas.push(schema);
  return schema.url;
}

export type Stored = readonly (readonly [resource: string, fields: Readonly<Record<string, Value>>])[];

/** Creates a store of a document with these records; returns its path. */
export async function kept(document: string, stored: Stored): Promise<string> {
  const path = await newPath();
  const store = await open(document, path);
  await store.write(async (transaction) => {
    for (const [name, fields] of stored) await transaction.insert(name, fields);
  });
  await store.close();
  return path;
}

/** Opens the store with another document, and returns the reports. */
export async function changed(
  before: string,
  stored: Stored,
  then: string,
): Promise<{ readonly path: string; readonly reported: readonly string[] }> {
  const path = await kept(before, stored);
  return { path, reported: await reportedAtOpening(then, path) };
}

/**
 * Opens the store with a document and returns the reports, without those about the test's server.
 */
export async function reportedAtOpening(document: string, path: string): Promise<readonly string[]> {
  const reported: string[] = [];
  await (await open(document, path, { onWarning: (message) => reported.push(message) })).close();
  return reported.filter((message) => !/ runs with \w+ = off: /.test(message));
}

/** Returns why the document can't be opened on the store. */
export async function refused(
  before: string,
  stored: Stored,
  then: string,
): Promise<StoreMismatch & { readonly path: string }> {
  const path = await kept(before, stored);
  const error = await open(then, path).then(
    (store) => store.close(),
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreMismatch)) throw new Error(`it was not refused: ${String(error)}`);
  return Object.assign(error, { path });
}

/** @param sql in SQLite's syntax, with capitalised table names */
export async function rowsOf(path: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  if (path.startsWith("postgres")) return postgresRows(path, quotedNames(sql));
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values({ ...row }));
  } finally {
    database.close();
  }
}

function quotedNames(sql: string): string {
  return sql.replace(/'[^']*'|"[^"]*"|\[(\w+)\]|\b[A-Z](?:[a-z]\w*)?\b/g, (found, name?: string) =>
    /^['"]/.test(found) ? found : `"${name ?? found}"`,
  );
}

async function postgresRows(path: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  const client = await schemaOf(path).connect();
  const { rows } = await client
    .query({ text: sql, rowMode: "array", types: plainTypes })
    .finally(() => client.end());
  return rows;
}

function schemaOf(path: string): Schema {
  return schemas.find(({ url }) => url === path) as Schema;
}

/** Numbers as numbers, booleans as in SQLite, everything else as its text. */
const plainTypes = {
  getTypeParser: (type: number) => (text: string) => {
    if (type === 16) return text === "t" ? 1 : 0;
    return [20, 21, 23, 701].includes(type) ? Number(text) : text;
  },
} as unknown as pg.CustomTypesConfig;

/** Turns a store into one of an earlier release, which stored only the form of its tables. */
export async function forgetRules(path: string): Promise<void> {
  const [[kept]] = (await rowsOf(path, "SELECT value FROM ninefold_meta WHERE name = 'tables'")) as [
    [string],
  ];
  const ofNow: ReadonlySet<string> = new Set(["rules", "laws", "computed", "again", "fill", "sentOtherwise"]);
  const tables = JSON.stringify(JSON.parse(kept), (name, value: unknown) =>
    ofNow.has(name) ? undefined : value,
  );
  assert.notEqual(tables, kept);
  if (path.startsWith("postgres")) {
    const client = await schemaOf(path).connect();
    await client
      .query("UPDATE ninefold_meta SET value = $1 WHERE name = 'tables'", [tables])
      .finally(() => client.end());
    return;
  }
  const database = new DatabaseSync(path);
  database.prepare("UPDATE ninefold_meta SET value = ? WHERE name = 'tables'").run(tables);
  database.close();
}

/** The dangling references of a store. */
export function danglingOf(path: string): Promise<readonly unknown[]> {
  return rowsOf(
    path,
    path.startsWith("postgres")
      ? "SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND NOT convalidated"
      : "PRAGMA foreign_key_check",
  );
}

export async function hasTable(path: string, name: string): Promise<boolean> {
  const all = path.startsWith("postgres")
    ? `SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = '${name}'`
    : `SELECT 1 FROM sqlite_schema WHERE name = '${name}'`;
  return (await rowsOf(path, all)).length > 0;
}

/** The greatest row number that the table has ever assigned. */
export async function lastRowOf(path: string, name: string): Promise<unknown> {
  const sql = path.startsWith("postgres")
    ? `SELECT nextval(pg_get_serial_sequence('"${name}"', '#row')) - 1`
    : `SELECT seq FROM sqlite_sequence WHERE name = '${name}'`;
  return (await rowsOf(path, sql)).at(-1)?.[0];
}

/** The columns of the tables with their types. */
export async function columnsOf(path: string, ...tables: readonly string[]): Promise<readonly unknown[]> {
  const names = tables.map((name) => `'${name}'`).join(", ");
  return rowsOf(
    path,
    path.startsWith("postgres")
      ? `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name IN (${names}) ORDER BY 1, 2`
      : `SELECT m.name, c.name, c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.name IN (${names}) ORDER BY 1, 2`,
  );
}

/** The resources to which the fields of a resource refer. */
export async function targetsOf(path: string, name: string): Promise<readonly unknown[]> {
  const sql = path.startsWith("postgres")
    ? `SELECT confrelid::regclass::text FROM pg_constraint WHERE contype = 'f' AND conrelid = '"${name}"'::regclass`
    : `SELECT "table" FROM pragma_foreign_key_list('${name}')`;
  return (await rowsOf(path, sql)).map(([target]) => String(target).replaceAll('"', ""));
}

/** `### Stored change: NAME` with its items. */
export function change(name: string, ...items: readonly string[]): string {
  return `### Stored change: ${name}\n\n${items.map((item) => `- ${item}\n`).join("")}`;
}

/** Executes a statement on a store that nothing has open, as an earlier release might have. */
export async function alter(path: string, statement: string): Promise<void> {
  if (path.startsWith("postgres")) {
    const client = await schemaOf(path).connect();
    await client.query(statement).finally(() => client.end());
    return;
  }
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}
