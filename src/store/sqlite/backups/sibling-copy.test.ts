/** Sibling copy: its name, its content, the space that it needs, and what a failed one leaves. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { field, model, resource } from "../../test-model.ts";
import { onSmallDisk, reasonWithoutSmallDisk } from "../../test-disk.ts";
import { openTestStore, storePath } from "../../test-files.ts";
import { StoreRefused } from "../../errors.ts";
import { checkCopy } from "./backup.ts";
import { type Connection, openConnection } from "../connection/connection.ts";
import { copyName, copyToSibling, migrationSpace, removeSibling, sizesNeeded } from "./sibling-copy.ts";

const notes = model([resource("Note", [field("text", "string")])]);

/** A store with two notes, and a connection to it. */
async function storeAt(t: TestContext, path: string): Promise<Connection> {
  const store = await openTestStore(t, notes, path);
  for (const id of ["a", "b"])
    await store.write((transaction) => transaction.insert("Note", { id, text: id }));
  await store.close();
  const connection = openConnection(path);
  t.after(() => connection.close());
  return connection;
}

const noteOf = (connection: Connection) =>
  connection.statement("SELECT value FROM ninefold_meta WHERE name = 'copy'").get([])?.[0];
const namesIn = (path: string) => readdirSync(dirname(path)).filter((name) => name.includes(".before-"));

test("a copy has an unused name with the safe characters of the step", (t) => {
  const path = storePath(t);
  const names = ["2026-01-01 10:00/a", "v2.1_b"].map((before) => basename(copyName(path, before)));
  assert.deepEqual(names, ["store.db.before-2026-01-01-10-00-a", "store.db.before-v2.1_b"]);
  for (const expected of ["", "-2", "-3", "-4"]) {
    const name = copyName(path, "v2");
    assert.equal(name, `${path}.before-v2${expected}`);
    writeFileSync(name, "");
  }
});

test("a migration needs three times the size of the store and its log", (t) => {
  const path = storePath(t);
  assert.equal(migrationSpace(path).needed, 0);
  writeFileSync(path, "x".repeat(1000));
  assert.equal(migrationSpace(path).needed, sizesNeeded * 1000);
  writeFileSync(`${path}-wal`, "x".repeat(10));
  assert.equal(migrationSpace(path).needed, sizesNeeded * 1010);
  assert.ok((migrationSpace(path).free ?? 0) > 0);
});

test("a copy is whole, private and noted, and is removed with its note", async (t) => {
  const path = storePath(t);
  const connection = await storeAt(t, path);
  const part = `${path}.before-v2.making`;
  for (const ending of ["", "-journal"]) writeFileSync(part + ending, "unfinished");
  const copy = await copyToSibling(connection, path, { before: "v2" });
  assert.ok(copy === `${path}.before-v2`);
  assert.deepEqual(namesIn(path), ["store.db.before-v2"]);
  assert.equal(statSync(copy).mode & 0o077, 0);
  assert.equal(checkCopy(copy, copy, true).records, 2);
  assert.equal(JSON.parse(String(noteOf(connection))).name, "store.db.before-v2");
  removeSibling(connection, copy);
  assert.deepEqual(namesIn(path), []);
  assert.equal(noteOf(connection), undefined);
  // A connection that is closed has no note to delete.
  connection.close();
  removeSibling(connection, copy);
});

test("a store in memory has no copy", async () => {
  const connection = openConnection(":memory:");
  assert.equal(await copyToSibling(connection, ":memory:", { before: "v2" }), null);
  connection.close();
});

test("a failed copy leaves neither a file nor a note", async (t) => {
  const path = storePath(t);
  const connection = await storeAt(t, path);
  connection.statement("INSERT INTO ninefold_meta (name, value) VALUES ('copy', 'old')").run([]);
  /** Copying begins, and then fails. */
  const failing = (error: Error) => {
    const copyTo = (to: string) => {
      writeFileSync(to, "unfinished");
      throw error;
    };
    const target = new Proxy(connection, {
      get: (of, name) =>
        name === "copyTo" ? copyTo : (Reflect.get(of, name) as (...given: unknown[]) => unknown).bind(of),
    });
    return copyToSibling(target, path, { before: "v2" });
  };
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC" });
  for (const [error, words] of [
    [new Error("the folder is read-only"), "the folder is read-only"],
    [full, "the disk is full"],
  ] as const) {
    await assert.rejects(failing(error), (refused) => {
      assert.ok(refused instanceof StoreRefused);
      const start = `${path}.before-v2, the copy of the store that is made first, can't be written`;
      assert.equal(refused.message, `${start}: ${words}. Nothing was changed.`);
      return true;
    });
    assert.deepEqual(namesIn(path), []);
    assert.equal(noteOf(connection), undefined);
  }
  const refusal = new StoreRefused("Refused already.", "Wait.");
  await assert.rejects(failing(refusal), (error) => error === refusal);
});

test("a copy without enough space is refused before anything is written", {
  skip: reasonWithoutSmallDisk(),
}, async (t) => {
  const disk = join(dirname(storePath(t)), "disk");
  mkdirSync(dirname(disk), { recursive: true });
  await onSmallDisk(disk, "600k", async () => {
    const path = join(disk, "store.db");
    const connection = await storeAt(t, path);
    const size = statSync(path).size;
    const { needed, free } = migrationSpace(path);
    assert.ok(free !== null && needed === sizesNeeded * size);
    writeFileSync(join(disk, "other"), "x".repeat(Math.max(0, free - needed + 8192)));
    await assert.rejects(copyToSibling(connection, path, { before: "v2" }), (error) => {
      assert.ok(error instanceof StoreRefused);
      assert.match(
        error.message,
        /^Changing \S+store\.db needs \d+ kB on its disk temporarily, and \d+ kB are free\. Nothing was changed\.$/,
      );
      return true;
    });
    assert.ok(!existsSync(`${path}.before-v2`));
    connection.close();
  });
});
