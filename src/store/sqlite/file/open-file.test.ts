/** Opening of a store's file: ownership, refusals, full disks and leftovers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import type { Frame } from "../../../expressions/value.ts";
import { StoreRefused } from "../../errors.ts";
import { openStore } from "../../index.ts";
import type { Store } from "../../store.ts";
import { statementOf, openTestStore, storePath } from "../../test-files.ts";
import { meaningOf } from "../../../model/meaning.ts";
import { field, model, resource } from "../../test-model.ts";
import { startOwner } from "../../test-owner.ts";
import { cacheBytes, openConnection } from "../connection/connection.ts";
import { mappedBytesFor, Mapping, mappingLimits } from "./mapping.ts";
import { recordCopy } from "./leftover-files.ts";
import { storeErrorOf } from "./open-file.ts";

const frame = {} as Frame;
const notes = model([resource("Note", [field("text", "string")])]);
const open = (path: string, of = notes) => openStore(of, meaningOf(of), { path });

async function refused(path: string, message: RegExp, of = notes): Promise<void> {
  await assert.rejects(open(path, of), (error) => {
    assert.ok(error instanceof StoreRefused, String(error));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n/);
    assert.ok(error.hint.length > 0);
    return true;
  });
}

test("a store has one owner, and when that is killed, the next one finds what was stored", async (t) => {
  const path = storePath(t);
  const owner = await startOwner(t, path, ["n1"]);
  await refused(path, new RegExp(`is in use by another process \\(process ${owner.pid}, since 2`));
  owner.kill("SIGKILL");
  await once(owner, "exit");
  assert.ok(existsSync(`${path}-wal`), "the owner had no time to tidy up");
  const store = await openTestStore(t, notes, path);
  assert.equal(await store.session.value(statementOf(`SELECT "text" FROM "Note"`), frame), "n1");
});

test("the same process can't open a store twice, and can open it again after closing", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  await refused(path, /in use/);
  await store.close();
  await openTestStore(t, notes, path);
});

test("another program can read the file while it is served", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  await store.write(async (transaction) => transaction.insert("Note", { id: "n1", text: "x" }));
  const looking = new DatabaseSync(path, { readOnly: true });
  assert.equal(looking.prepare(`SELECT "text" FROM "Note"`).get()?.["text"], "x");
  looking.close();
});

test("a closed store has one file and its lock", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  await store.write(async (transaction) => transaction.insert("Note", { id: "n1", text: "x" }));
  await store.close();
  assert.equal(existsSync(`${path}-wal`), false);
});

test("a file that isn't a database is rejected, and unchanged", async (t) => {
  const path = storePath(t);
  writeFileSync(path, "# Interface Specification: Parcel Desk\n");
  await refused(path, /is not a Ninefold store/);
  assert.equal(readFileSync(path, "utf8"), "# Interface Specification: Parcel Desk\n");
  assert.deepEqual(readdirSync(dirname(path)), [basename(path)]);
});

test("a file whose first page was interrupted by a power cut is created again if its journal says that it was empty", async (t) => {
  const path = storePath(t);
  writeFileSync(path, Buffer.alloc(4096));
  const journal = Buffer.alloc(512);
  journal.write("d9d505f920a163d7", "hex");
  // The size of the database before, and the sizes of a sector and a page.
  journal.writeUInt32BE(7, 16);
  journal.writeUInt32BE(512, 20);
  journal.writeUInt32BE(4096, 24);
  writeFileSync(`${path}-journal`, journal);
  await refused(path, /is not a Ninefold store/);
  journal.writeUInt32BE(0, 16);
  writeFileSync(`${path}-journal`, journal);
  const store = await open(path);
  await store.write(async (transaction) => transaction.insert("Note", { id: "n1", text: "x" }));
  await store.close();
  await (await open(path)).close();
});

test("a foreign database is rejected, and unchanged", async (t) => {
  const path = storePath(t);
  const plainDatabase = new DatabaseSync(path);
  plainDatabase.exec("CREATE TABLE t (x)");
  plainDatabase.close();
  await refused(path, /is not a Ninefold store/);
});

test("the refusal of another document's store has both names", async (t) => {
  const path = storePath(t);
  await (await open(path)).close();
  await refused(path, /belongs to another document: "Test", not "Other"/, { ...notes, name: "Other" });
});

test("a missing folder and a folder instead of a file are reported", async (t) => {
  const folder = dirname(storePath(t));
  await refused(join(folder, "nowhere", "store.db"), /The folder of .* doesn't exist/);
  mkdirSync(join(folder, "store.db"));
  await refused(join(folder, "store.db"), /is not a file/);
});

test("a folder without write permission is reported", {
  skip: process.getuid?.() === 0 ? "root may write everywhere" : false,
}, async (t) => {
  const path = storePath(t);
  chmodSync(dirname(path), 0o500);
  t.after(() => chmodSync(dirname(path), 0o700));
  await refused(path, /can't be written/);
});

test("a file system that can't create files is reported", {
  skip: existsSync("/proc/self") ? false : "there is no /proc",
}, async () => {
  await refused("/proc/self/store.db", /can't be written/);
});

test("a damaged file is detected after an unclean stop", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  await store.write(async (transaction) => {
    for (let number = 0; number < 500; number += 1) {
      await transaction.insert("Note", { id: `n${number}`, text: "x".repeat(200) });
    }
  });
  await store.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, bytes.length - 3 * 4096, bytes.length - 4096);
  const damaged = `${path}.damaged`;
  writeFileSync(damaged, bytes);
  writeFileSync(`${damaged}-wal`, "left over");
  await refused(damaged, /is damaged/);
  copyFileSync(path, damaged);
  writeFileSync(`${damaged}-wal`, "left over");
  await (await open(damaged)).close();
});

test("two fields whose names differ only in case are reported", async (t) => {
  const same = model([resource("Note", [field("text", "string"), field("Text", "string")])]);
  await refused(storePath(t), /text and Text differ only in case/, same);
});

test("a store's files are readable by their owner only", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  await store.write(async (transaction) => transaction.insert("Note", { id: "n1", text: "x" }));
  for (const name of [path, `${path}-wal`, `${path}.lock`])
    assert.equal(statSync(name).mode & 0o077, 0, name);
});

test("a full disk is reported as such by every operation", () => {
  const full = Object.assign(new Error("database or disk is full"), {
    code: "ERR_SQLITE_ERROR",
    errcode: 13,
  });
  const reported = storeErrorOf(full, "notes.db") as StoreRefused;
  assert.match(reported.message, /^The disk that notes\.db is on is full\.$/);
  const withoutRoom = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  assert.match((storeErrorOf(withoutRoom, "notes.db") as StoreRefused).message, /is full/);
});

const mapped = (store: Store) => store.session.value(statementOf("PRAGMA mmap_size"), frame);

test("the mapped size of a file follows the setting, within what the machine can give", async (t) => {
  const bound = await openTestStore(t, notes, storePath(t), { mappedBytes: 8 * 1024 * 1024 });
  assert.equal(await mapped(bound), 8 * 1024 * 1024);
  const none = await openTestStore(t, notes, storePath(t), { mappedBytes: 0 });
  assert.equal(await mapped(none), 0);
  assert.equal(mappedBytesFor(1024 * 1024 * 1024), 512 * 1024 * 1024);
  assert.equal(mappedBytesFor(1024 ** 4), mappingLimits.mostBytes);
});

test("a file that fits into the page cache isn't memory-mapped, until it has grown, even while it is open", async (t) => {
  const path = storePath(t);
  const store = await open(path);
  assert.equal(await mapped(store), 0);
  await store.close();
  const connection = openConnection(path);
  const size = () => connection.statement("PRAGMA mmap_size").get([])?.[0];
  const mapping = new Mapping(path, undefined);
  mapping.follow(connection);
  assert.equal(size(), 0);
  connection.exec("CREATE TABLE ballast (content BLOB)");
  connection.statement("INSERT INTO ballast VALUES (zeroblob(?))").run([cacheBytes]);
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  mapping.follow(connection);
  assert.equal(size(), mappedBytesFor());
  connection.close();
});

test("the next start deletes what a killed process left next to a store, and no other file", async (t) => {
  const path = storePath(t);
  const left = ["store.db.before-1", "store.db.before-2.making", "store.db.plan-17"];
  const kept = ["store.db.before-3", "store.db.other", "store.db.plan-x", "other.db.before-1.making"];
  const write = (name: string) => writeFileSync(join(dirname(path), name), "a copy");
  const standing = (names: readonly string[]) =>
    names.filter((name) => existsSync(join(dirname(path), name)));
  const note = (name: string) => {
    const connection = openConnection(path);
    recordCopy(connection, join(dirname(path), name), name);
    connection.close();
  };
  await (await open(path)).close();
  for (const name of [...left, ...kept]) write(name);
  note("store.db.before-1");
  await (await open(path)).close();
  assert.deepEqual(standing(left), []);
  assert.deepEqual(standing(kept), kept);

  // Another file has the name now, or the copy wasn't made for these changes.
  note("store.db.before-3");
  copyFileSync(join(dirname(path), "store.db.other"), join(dirname(path), "made anew"));
  renameSync(join(dirname(path), "made anew"), join(dirname(path), "store.db.before-3"));
  await (await open(path)).close();
  note("store.db.other");
  await (await open(path)).close();
  assert.deepEqual(standing(kept), kept);
  const connection = openConnection(path);
  assert.deepEqual(connection.statement("SELECT value FROM ninefold_meta WHERE name = 'copy'").all([]), []);
  connection.close();
});
