/** Restore: complete, of damaged and foreign files, of open stores, and failed. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { StoreMismatch } from "../../errors.ts";
import { backUpStore, backUpStoreTo, openStore, restoreStore } from "../../index.ts";
import { readDocumentName, readDocumentText } from "./backup.ts";
import { statementOf, openTestStore, storePath } from "../../test-files.ts";
import { meaningOf } from "../../../model/meaning.ts";
import { model, resource } from "../../test-model.ts";
import { notes, frame, add, count, refused, filesIn, backedUp } from "../../test-backups.ts";

test("a restore drill: records lost after a backup return, later ones don't, and the replaced store is kept", async (t) => {
  const path = storePath(t);
  const folder = join(dirname(path), "backups");
  const store = await openTestStore(t, notes, path);
  await add(store, "a", "as it was");
  const at = new Date();
  const made = await backUpStoreTo(path, folder, { at, checksIndexes: true });
  const { file } = made;
  const content = { records: 1, document: notes.name, lastEvent: 0 };
  assert.deepEqual(made, { ...content, bytes: made.bytes, file, removed: [] });
  assert.deepEqual(JSON.parse(readFileSync(file.replace(/\.db\.zst$/, ".json"), "utf8")), {
    document: content.document,
    records: content.records,
    last_event: content.lastEvent,
    at: at.toISOString(),
    bytes: made.bytes,
    sha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
  });
  await add(store, "b");
  await store.close();
  const replaced = await restoreStore(notes, file, path);
  const { former } = replaced;
  assert.deepEqual(replaced, { ...content, isVerified: true, former });
  const restored = await openTestStore(t, notes, path);
  assert.equal(await count(restored), 1);
  assert.equal(await restored.session.value(statementOf('SELECT "text" FROM "Note"'), frame), "as it was");
  await add(restored, "c");
  assert.equal(await count(await openTestStore(t, notes, former as string)), 2);
  assert.deepEqual(
    readdirSync(dirname(path)).filter((name) => /part|restoring/.test(name)),
    [],
  );
});

test("a killed store is replaced by a backup, and kept with its log", async (t) => {
  const { path, backup } = await backedUp(t);
  const outside = new DatabaseSync(path);
  outside.exec(`INSERT INTO "Note" ("id", "text") VALUES ('c', 'in the log')`);
  for (const ending of ["", "-wal", "-shm"]) copyFileSync(path + ending, `${path}.killed${ending}`);
  outside.close();
  const killed = `${path}.killed`;
  const { former } = await restoreStore(notes, backup, killed);
  assert.ok(!existsSync(`${killed}-wal`) && !existsSync(`${killed}-shm`));
  assert.equal(await count(await openTestStore(t, notes, killed)), 2);
  assert.equal(await count(await openTestStore(t, notes, former as string)), 3);
});

test("a damaged file, a file that isn't a backup and another document's backup are rejected without a change", async (t) => {
  const { path, backup } = await backedUp(t);
  const folder = join(dirname(path), "backups");
  const { file } = await backUpStoreTo(path, folder, { at: new Date() });
  const spoilt = (from: string, name: string, at: number) => {
    const bytes = readFileSync(from);
    bytes.fill(0xff, at, at + 500);
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const torn = join(folder, "torn.db");
  writeFileSync(torn, readFileSync(backup).subarray(0, 20_000));
  const text = join(folder, "text.db");
  writeFileSync(text, "no backup");
  writeFileSync(join(folder, "other.json"), '{"sha256": "00"}');
  copyFileSync(file, join(folder, "other.db.zst"));
  const before = filesIn(folder);
  const store = readFileSync(path);
  await refused(restoreStore(notes, spoilt(backup, "spoilt.db", 8192), path), /spoilt\.db is damaged: /);
  await refused(restoreStore(notes, torn, path), /torn\.db is damaged/);
  await refused(restoreStore(notes, text, path), /text\.db is not a backup of a Ninefold store/);
  await refused(
    restoreStore(notes, spoilt(file, "spoilt.db.zst", 300), path),
    /spoilt\.db\.zst is (damaged|not a backup)/,
  );
  await refused(
    restoreStore(notes, join(folder, "other.db.zst"), path),
    /damaged: its SHA-256 is not the one in .*other\.json/,
  );
  await refused(restoreStore({ ...notes, name: "Other" }, backup, path), /belongs to another document/);
  const fewer = model([resource("Note", [])]);
  await assert.rejects(restoreStore(fewer, backup, path), StoreMismatch);
  assert.deepEqual(
    filesIn(folder).filter(([name]) => !name.startsWith("spoilt")),
    before,
  );
  assert.deepEqual(readFileSync(path), store);
  assert.ok(!existsSync(`${path}.restoring`));
  assert.equal(await count(await openTestStore(t, notes, path)), 2);
});

test("a foreign database and a store of a later format are rejected as backups", async (t) => {
  const { path, backup } = await backedUp(t);
  const changed = (name: string, sql: string): string => {
    const file = `${path}.${name}`;
    copyFileSync(backup, file);
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    return file;
  };
  const misidentified = changed("other", "PRAGMA application_id = 7");
  await refused(restoreStore(notes, misidentified, path), /^\S+store\.db\.other is not a Ninefold store/);
  const foreign = join(dirname(path), "foreign.db");
  const database = new DatabaseSync(foreign);
  database.exec("CREATE TABLE t (x)");
  database.close();
  await refused(restoreStore(notes, foreign, path), /foreign\.db is not a Ninefold store/);
  writeFileSync(`${foreign}.zst`, zstdCompressSync(readFileSync(foreign)));
  await refused(restoreStore(notes, `${foreign}.zst`, path), /^\S+foreign\.db\.zst is not a Ninefold store/);
  for (const content of ["no backup", ""]) {
    writeFileSync(`${foreign}.zst`, zstdCompressSync(content));
    await refused(restoreStore(notes, `${foreign}.zst`, path), /zst is not a backup of a Ninefold store/);
  }
  const later = changed("later", "PRAGMA user_version = 900");
  await refused(restoreStore(notes, later, path), /with another storage format \(format 900; /);
  assert.equal(await count(await openTestStore(t, notes, path)), 2);
});

test("a restored store is private, and named by the path that was given", async (t) => {
  const { path, backup } = await backedUp(t);
  const link = join(dirname(path), "linked");
  symlinkSync(dirname(path), link);
  const { file } = await backUpStoreTo(path, join(dirname(path), "backups"), { at: new Date() });
  for (const from of [backup, file]) {
    const { former } = await restoreStore(notes, from, join(link, "store.db"));
    assert.match(former ?? "", /\/linked\/store\.db\.before-/);
    assert.equal(statSync(path).mode & 0o077, 0);
    rmSync(former as string);
  }
  const to = join(dirname(path), "new.db");
  assert.equal((await restoreStore(notes, backup, to)).former, null);
});

test("an open store isn't replaced by a backup", async (t) => {
  const { path, backup } = await backedUp(t);
  const store = await openTestStore(t, notes, path);
  await add(store, "c");
  await refused(restoreStore(notes, backup, path), /is in use by this process/);
  assert.equal(await count(store), 3);
});

test("a copy of an open store without its log is rejected, unless the operator accepts that", async (t) => {
  const path = storePath(t);
  const store = await openTestStore(t, notes, path);
  const copy = `${path}.copy`;
  await add(store, "a");
  copyFileSync(path, copy);
  await refused(openStore(notes, meaningOf(notes), { path: copy }), /was open when it was left or copied/);
  await refused(backUpStore(copy, `${path}.second`), /was open when it was left or copied/);
  await refused(restoreStore(notes, copy, `${path}.third`), /was open when it was left or copied/);
  assert.ok(!existsSync(`${path}.third`));
  const accepted = await openStore(notes, meaningOf(notes), { path: copy, acceptsMissingLog: true });
  await accepted.close();
  // A closed store is complete, and so is a copy of it.
  await store.close();
  copyFileSync(path, `${path}.closed`);
  assert.equal(await count(await openTestStore(t, notes, `${path}.closed`)), 1);
});

test("a failed restore without an existing store leaves no file, not even its lock", async (t) => {
  const { path, backup } = await backedUp(t);
  const folder = join(dirname(path), "empty");
  mkdirSync(folder);
  const otherDocument = { ...notes, name: "Other" };
  await refused(restoreStore(otherDocument, backup, join(folder, "new.db")), /belongs to another document/);
  assert.deepEqual(readdirSync(folder), []);
  await refused(restoreStore(otherDocument, backup, path), /belongs to another document/);
  assert.ok(existsSync(`${path}.lock`));
});

test("only a backup is restored, and it replaces only a store", async (t) => {
  const { path, backup } = await backedUp(t);
  const folder = dirname(path);
  const before = filesIn(folder).map(([name]) => name);
  await refused(restoreStore(notes, `${backup}.gone`, path), /There is no backup .*\.gone/);
  await refused(restoreStore(notes, folder, path), /There is no backup/);
  await refused(restoreStore(notes, path, path), /is the store itself/);
  symlinkSync(path, join(folder, "link.db"));
  await refused(restoreStore(notes, join(folder, "link.db"), path), /link\.db is the store itself/);
  rmSync(join(folder, "link.db"));
  mkdirSync(join(folder, "taken"));
  await refused(restoreStore(notes, backup, join(folder, "taken")), /taken is not a file/);
  rmSync(join(folder, "taken"), { recursive: true });
  assert.deepEqual(
    filesIn(folder).map(([name]) => name),
    before,
  );
});

test("a restored store is complete: a copy of its file opens, and can be restored itself", async (t) => {
  const { path, backup } = await backedUp(t);
  const packed = await backUpStoreTo(path, join(dirname(path), "backups"), { at: new Date() });
  // The file of an open store without its log is incomplete.
  const source = await openStore(notes, meaningOf(notes), { path });
  await add(source, "c");
  const torn = `${path}.torn`;
  copyFileSync(path, torn);
  await source.close();
  assert.equal(readDocumentName(torn), notes.name);
  assert.equal(readDocumentText(torn), "");
  for (const [from, expected] of [
    [backup, 2],
    [packed.file, 2],
    [torn, undefined],
  ] as const) {
    const to = join(dirname(path), `restored-${basename(from)}.db`);
    await restoreStore(notes, from, to, { acceptsMissingLog: from === torn });
    const copy = `${to}.copy`;
    copyFileSync(to, copy);
    const opened = await openTestStore(t, notes, copy);
    if (expected !== undefined) assert.equal(await count(opened), expected);
  }
});
