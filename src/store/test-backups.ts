/** Test backups: stores of notes, closed and backed up, and what is refused about them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Frame } from "../expressions/value.ts";
import { StoreRefused } from "./errors.ts";
import { backUpStore, openStore } from "./index.ts";
import type { Store } from "./store.ts";
import { statementOf, storePath } from "./test-files.ts";
import { meaningOf } from "../model/meaning.ts";
import { field, model, resource } from "./test-model.ts";

export const notes = model([resource("Note", [field("text", "string")])]);
export const frame = {} as Frame;

export const add = (store: Store, id: string, text = id) =>
  store.write((transaction) => transaction.insert("Note", { id, text }));
export const count = (store: Store) => store.session.value(statementOf('SELECT count(*) FROM "Note"'), frame);

/** Asserts a refusal in one line, with a hint. */
export async function refused(work: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof StoreRefused, String(error));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n/);
    assert.ok(error.hint.length > 0);
    return true;
  });
}

/** The files in a folder with their content, except locks. */
export function filesIn(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith(".lock"))
    .toSorted()
    .map((name) => [name, readFileSync(join(folder, name)).toString("base64")]);
}

/** A closed store with two notes, and a backup of it. */
export async function backedUp(t: TestContext): Promise<{ readonly path: string; readonly backup: string }> {
  const path = storePath(t);
  const store = await openStore(notes, meaningOf(notes), { path });
  await add(store, "a");
  await add(store, "b");
  const backup = `${path}.backup`;
  await backUpStore(path, backup);
  await store.close();
  return { path, backup };
}
