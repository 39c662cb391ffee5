/**
 * The order in which backups, restores and copies reach the disk: each file is synced before it gets
 * its name, and its folder afterwards. A power cut in between leaves the old name or the new one.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";
import { mock, test, type TestContext } from "node:test";
import { backUpStore, backUpStoreTo, restoreStore } from "../index.ts";
import { backedUp, count, notes } from "../test-backups.ts";
import { openTestStore } from "../test-files.ts";
import { openConnection } from "./connection/connection.ts";
import { copyToSibling } from "./backups/sibling-copy.ts";

/** Replaces functions of the file system for the rest of a test. */
function replaced(t: TestContext, functions: Partial<typeof fs>): void {
  for (const [name, replacement] of Object.entries(functions))
    mock.method(fs, name as "renameSync", replacement as typeof fs.renameSync);
  syncBuiltinESMExports();
  t.after(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });
}

/** Records which files get synced and renamed from now on, by their names in the folder. */
function recorded(t: TestContext, folder: string): string[] {
  const steps: string[] = [];
  const paths = new Map<number, string>();
  const { openSync, fsyncSync, renameSync } = fs;
  const nameOf = (path: string) =>
    path === folder
      ? "the folder"
      : path.slice(folder.length + 1).replaceAll(/\d{4}-\d\d-\d\dT[\d-]+Z/g, "TIME");
  replaced(t, {
    openSync: ((path: fs.PathLike, flags: fs.OpenMode, mode?: fs.Mode) => {
      const descriptor = openSync(path, flags, mode);
      paths.set(descriptor, String(path));
      return descriptor;
    }) as typeof fs.openSync,
    fsyncSync(descriptor: number) {
      steps.push(`sync ${nameOf(paths.get(descriptor) ?? "")}`);
      fsyncSync(descriptor);
    },
    renameSync(from: fs.PathLike, to: fs.PathLike) {
      steps.push(`rename ${nameOf(String(from))} to ${nameOf(String(to))}`);
      renameSync(from, to);
    },
  });
  return steps;
}

test("a backup is on the disk before it has its name", async (t) => {
  const { path } = await backedUp(t);
  const steps = recorded(t, dirname(path));
  await backUpStore(path, `${path}.second`);
  assert.deepEqual(steps, [
    "sync store.db.second.part",
    "sync store.db.second.sha256.part",
    "rename store.db.second.sha256.part to store.db.second.sha256",
    "rename store.db.second.part to store.db.second",
    "sync the folder",
  ]);
});

test("a packed backup is on the disk before it has its name", async (t) => {
  const { path } = await backedUp(t);
  const folder = join(dirname(path), "backups");
  const steps = recorded(t, folder);
  await backUpStoreTo(path, folder, { at: new Date(0) });
  assert.deepEqual(steps, [
    "sync store-TIME.db.part",
    "rename store-TIME.db.part to store-TIME.db",
    "sync the folder",
    "sync store-TIME.db.zst.part",
    "sync store-TIME.json.part",
    "rename store-TIME.json.part to store-TIME.json",
    "rename store-TIME.db.zst.part to store-TIME.db.zst",
    "sync the folder",
  ]);
});

test("a restored store is on the disk before it has the store's name, and the old log is renamed with its file", async (t) => {
  const { path, backup } = await backedUp(t);
  fs.writeFileSync(`${path}-wal`, "the log");
  const steps = recorded(t, dirname(path));
  const { former } = await restoreStore(notes, backup, path);
  assert.deepEqual(steps, [
    "sync store.db.restoring",
    `rename store.db-wal to ${basename(former ?? "").replace(/\d{4}-\d\d-\d\dT[\d-]+Z/, "TIME")}-wal`,
    "rename store.db.restoring to store.db",
    "sync the folder",
  ]);
  assert.equal(fs.readFileSync(`${former}-wal`, "utf8"), "the log");
});

test("a store is restored where no file can have two names", async (t) => {
  const { path, backup } = await backedUp(t);
  const before = fs.readFileSync(path);
  replaced(t, {
    linkSync() {
      throw Object.assign(new Error("not supported"), { code: "ENOTSUP" });
    },
  });
  const { former } = await restoreStore(notes, backup, path);
  assert.deepEqual(fs.readFileSync(former ?? ""), before);
  assert.equal(await count(await openTestStore(t, notes, path)), 2);
});

test("a copy next to the store is on the disk before it has its name", async (t) => {
  const { path } = await backedUp(t);
  const connection = openConnection(path);
  t.after(() => connection.close());
  const steps = recorded(t, dirname(path));
  await copyToSibling(connection, path, { before: "v2" });
  assert.deepEqual(steps, [
    "sync store.db.before-v2.making",
    "rename store.db.before-v2.making to store.db.before-v2",
    "sync the folder",
  ]);
});
