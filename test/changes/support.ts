/** For tests of stored changes: a store of one document that another one is opened on, and what it holds then. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import type { Value } from "../../src/expressions/value.ts";
import { StoreMismatch } from "../../src/store/index.ts";
import { open } from "./desk.ts";

export const folder = mkdtempSync(join(tmpdir(), "ninefold-changes-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let stores = 0;

export function newPath(): string {
  stores += 1;
  return join(folder, `${stores}.db`);
}

export type Stored = readonly (readonly [resource: string, fields: Readonly<Record<string, Value>>])[];

/** A store of a document with these records; answers its path. */
export async function kept(document: string, stored: Stored): Promise<string> {
  const path = newPath();
  const store = await open(document, path);
  await store.write(async (transaction) => {
    for (const [name, fields] of stored) await transaction.insert(name, fields);
  });
  await store.close();
  return path;
}

/** Such a store once another document has been opened on it, and what that told. */
export async function changed(
  before: string,
  stored: Stored,
  then: string,
): Promise<{ readonly path: string; readonly told: readonly string[] }> {
  const path = await kept(before, stored);
  const told: string[] = [];
  await (await open(then, path, { onWarning: (message) => told.push(message) })).close();
  return { path, told };
}

/** Why a document can't be opened on it. */
export async function refused(
  before: string,
  stored: Stored,
  then: string,
): Promise<StoreMismatch & { readonly path: string }> {
  const path = await kept(before, stored);
  const error = await open(then, path).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreMismatch)) throw new Error(`it was not refused: ${String(error)}`);
  return Object.assign(error, { path });
}

export function rowsOf(path: string, sql: string): readonly (readonly unknown[])[] {
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

/** `### Stored change: NAME` with its items. */
export function change(name: string, ...items: readonly string[]): string {
  return `### Stored change: ${name}\n\n${items.map((item) => `- ${item}\n`).join("")}`;
}
