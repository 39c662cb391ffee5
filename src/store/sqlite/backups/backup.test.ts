/** Backup: complete, interrupted, concurrent, in folders, and what damages it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { backUpStore, backUpStoreTo, restoreStore } from "../../index.ts";
import { copyError, readDocumentName, readDocumentText } from "./backup.ts";
import { onSmallDisk, reasonWithoutSmallDisk } from "../../test-disk.ts";
import { openTestStore } from "../../test-files.ts";
import { notes, count, refused, filesIn, backedUp } from "../../test-backups.ts";

test("a backup requires an unused name and an existing store", async (t) => {
  const { path, backup } = await backedUp(t);
  const before = filesIn(dirname(path));
  await refused(backUpStore(path, backup), /already exists and was not changed/);
  await refused(backUpStore(path, dirname(path)), /is a folder/);
  await refused(backUpStore(path, join(dirname(path), "nowhere", "x.db")), /The folder of .* doesn't exist/);
  await refused(backUpStore(path, path), /already exists/);
  await refused(backUpStore(`${path}.gone`, `${path}.other`), /There is no store/);
  assert.deepEqual(filesIn(dirname(path)), before);
});

test("a packed backup is compared with its description, if that is next to it", async (t) => {
  const { path } = await backedUp(t);
  const { file } = await backUpStoreTo(path, join(dirname(path), "backups"), { at: new Date() });
  const description = file.replace(/\.db\.zst$/, ".json");
  assert.equal((await restoreStore(notes, file, path)).isVerified, true);
  writeFileSync(description, "{");
  await refused(restoreStore(notes, file, path), /^\S+\.json is damaged: it is not JSON\.$/);
  for (const without of [() => writeFileSync(description, "{}"), () => rmSync(description)]) {
    without();
    assert.equal((await restoreStore(notes, file, path)).isVerified, false);
  }
});

test("a record that refers to one that isn't there is damage", async (t) => {
  const { path } = await backedUp(t);
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec(`CREATE TABLE "shelf" ("id" TEXT PRIMARY KEY);
    CREATE TABLE "book" ("shelf" TEXT REFERENCES "shelf"); INSERT INTO "book" VALUES ('lost')`);
  database.close();
  await refused(
    backUpStore(path, `${path}.second`),
    /second is damaged: book refers to a shelf that doesn't exist\.$/,
  );
  assert.ok(!existsSync(`${path}.second`));
});

test("an error of the system names the backup, and another error stays as it is", async (t) => {
  const { path } = await backedUp(t);
  await refused(
    backUpStoreTo(path, join(path, "folder"), { at: new Date(0) }),
    /^\S+store-1970-01-01T00-00-00Z\.db\.zst can't be written \(ENOTDIR/,
  );
  const stopped = new Error("stopped");
  assert.equal(copyError(stopped, "x"), stopped);
  assert.equal(copyError("stopped", "x"), "stopped");
});

test("a backup deletes the oldest in its folder and unfinished ones, and keeps those of other stores", async (t) => {
  const { path } = await backedUp(t);
  const folder = join(dirname(path), "backups");
  mkdirSync(folder);
  const unrelatedFiles = ["store-2020-01-01T00-00-00Z.db.zst.txt", "store-two-2020-01-01T00-00-00Z.db.zst"];
  for (const name of unrelatedFiles) writeFileSync(join(folder, name), "");
  const started = ["store-2020-01-01T00-00-00Z.db.part", "store-2020-01-01T00-00-00Z.db"];
  for (const name of started) writeFileSync(join(folder, name), "");
  const times = [1, 2, 3].map((day) => new Date(Date.UTC(2026, 0, day)));
  for (const at of times) await backUpStoreTo(path, folder, { at, keep: 2 });
  assert.deepEqual(
    readdirSync(folder).toSorted(),
    [
      "store-2026-01-02T00-00-00Z.db.zst",
      "store-2026-01-02T00-00-00Z.json",
      "store-2026-01-03T00-00-00Z.db.zst",
      "store-2026-01-03T00-00-00Z.json",
      ...unrelatedFiles,
    ].toSorted(),
  );
  assert.equal(statSync(join(folder, "store-2026-01-03T00-00-00Z.db.zst")).mode & 0o077, 0);
});

test("a backup folder deletes its oldest backup only if it has more than the number to keep", async (t) => {
  const { path } = await backedUp(t);
  const folder = join(dirname(path), "backups");
  const day = (number: number) => new Date(Date.UTC(2026, 0, number));
  const removed: number[] = [];
  for (const number of [1, 2, 3, 4, 5])
    removed.push((await backUpStoreTo(path, folder, { at: day(number), keep: 3 })).removed.length);
  assert.deepEqual(removed, [0, 0, 0, 1, 1]);
  assert.deepEqual((await backUpStoreTo(path, folder, { at: day(6), keep: 9 })).removed, []);
  assert.equal((await backUpStoreTo(path, folder, { at: day(7) })).removed.length, 0);
  assert.equal((await backUpStoreTo(path, folder, { at: day(8), keep: 1 })).removed.length, 5);
});

test("a full disk is reported in one line, and no partial backup stays", {
  skip: reasonWithoutSmallDisk(),
}, async (t) => {
  const { path, backup } = await backedUp(t);
  const { file } = await backUpStoreTo(path, join(dirname(path), "backups"), { at: new Date() });
  const disk = join(dirname(path), "disk");
  await onSmallDisk(disk, "64k", async () => {
    await refused(
      backUpStore(path, join(disk, "x.db")),
      /The disk that .*x\.db is on is full: nothing was written/,
    );
    await refused(backUpStoreTo(path, disk, { at: new Date() }), /is on is full: nothing was written/);
    for (const from of [backup, file])
      await refused(restoreStore(notes, from, join(disk, "store.db")), /The disk that .* is on is full/);
    assert.deepEqual(
      readdirSync(disk).filter((name) => !name.endsWith(".lock")),
      [],
    );
  });
  assert.equal(await count(await openTestStore(t, notes, path)), 2);
});

test("of two concurrent backups to one name or folder, one is written and the other rejected", async (t) => {
  const { path, backup } = await backedUp(t);
  const to = `${path}.once`;
  const both = await Promise.allSettled([backUpStore(path, to), backUpStore(path, to)]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const reason = both
    .map((promiseSettledResult) =>
      promiseSettledResult.status === "rejected" ? String(promiseSettledResult.reason) : "",
    )
    .join("");
  assert.match(reason, /Another backup to .*once is being made|already exists/);
  assert.ok((await restoreStore(notes, to, path)).isVerified);
  const folder = join(dirname(backup), "at-once");
  const times = [0, 1000, 2000].map((ms) => backUpStoreTo(path, folder, { at: new Date(ms) }));
  const made = (await Promise.allSettled(times)).filter(({ status }) => status === "fulfilled");
  assert.equal(made.length, 1);
  assert.equal(filesIn(folder).length, 2);
  // The refused backup has left nothing, so the next one succeeds.
  await backUpStoreTo(path, folder, { at: new Date(3000) });
  assert.equal(readdirSync(folder).length, 4);
});

test("a running backup of another process is detected by its lock, and its files are unchanged", async (t) => {
  const { path } = await backedUp(t);
  const to = `${path}.held`;
  writeFileSync(`${to}.part`, "unfinished");
  const script = `import { DatabaseSync } from "node:sqlite";
    const lock = new DatabaseSync(process.argv[1]); lock.exec("BEGIN IMMEDIATE"); console.log("held"); process.stdin.resume();`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script, `${to}.part.lock`]);
  t.after(() => holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  await refused(backUpStore(path, to), /Another backup to .*held is being made/);
  assert.equal(readFileSync(`${to}.part`, "utf8"), "unfinished");
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await backUpStore(path, to);
  assert.ok(!existsSync(`${to}.part`) && !existsSync(`${to}.part.lock`));
});

test("a backup of one file gets a checksum file, which detects each changed byte", async (t) => {
  const { path, backup } = await backedUp(t);
  const sum = createHash("sha256").update(readFileSync(backup)).digest("hex");
  assert.equal(readFileSync(`${backup}.sha256`, "utf8"), `${sum}  ${basename(backup)}\n`);
  const bytes = readFileSync(backup);
  for (let at = 100; at < bytes.byteLength; at += Math.floor(bytes.byteLength / 7)) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    writeFileSync(backup, changed);
    await refused(restoreStore(notes, backup, path), /damaged: its SHA-256 is not the one in .*\.sha256/);
  }
  writeFileSync(backup, bytes);
  assert.equal((await restoreStore(notes, backup, path)).isVerified, true);
  // A backup by an older version has no checksum file.
  rmSync(`${backup}.sha256`);
  assert.equal((await restoreStore(notes, backup, path)).isVerified, false);
});

/** The names of the folder's files that this process has open, as Linux lists them. */
function heldIn(folder: string): readonly string[] {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd")
    .flatMap((descriptor) => {
      // The descriptor that was used to read the list is closed already.
      try {
        return [readlinkSync(`/proc/self/fd/${descriptor}`)];
      } catch {
        return [];
      }
    })
    .filter((file) => file.startsWith(`${folder}/`));
}

test("backups and restores close every file, whether they succeed or not", async (t) => {
  const { path, backup } = await backedUp(t);
  const folder = dirname(path);
  assert.deepEqual(heldIn(folder), []);
  const packed = await backUpStoreTo(path, join(folder, "backups"), { at: new Date() });
  assert.deepEqual(heldIn(folder), []);
  for (const from of [backup, packed.file]) {
    await restoreStore(notes, from, path);
    assert.deepEqual(heldIn(folder), []);
  }
  await assert.rejects(restoreStore({ ...notes, name: "Other" }, backup, path));
  const foreign = join(folder, "foreign.db");
  copyFileSync(backup, foreign);
  const database = new DatabaseSync(foreign);
  database.exec("PRAGMA application_id = 7");
  database.close();
  await assert.rejects(backUpStore(foreign, join(folder, "second.db")));
  await assert.rejects(backUpStore(path, backup));
  await assert.rejects(restoreStore(notes, foreign, path));
  assert.equal(readDocumentName(path), notes.name);
  assert.equal(readDocumentText(path), "");
  assert.deepEqual(heldIn(folder), []);
});

test("the next backup or restore overwrites what a killed one has left", async (t) => {
  const { path } = await backedUp(t);
  const folder = join(dirname(path), "backups");
  const to = join(dirname(path), "next.db");
  for (const left of [`${to}.part`, `${to}.part-journal`, `${path}.restoring`, `${path}.restoring-journal`])
    writeFileSync(left, "unfinished");
  await backUpStore(path, to);
  await restoreStore(notes, to, path);
  assert.equal(await count(await openTestStore(t, notes, path)), 2);
  assert.deepEqual(
    readdirSync(dirname(path)).filter((name) => /part|restoring/.test(name)),
    [],
  );
  // The folder's parents don't exist either. All are created for the owner alone.
  const { file } = await backUpStoreTo(path, join(folder, "a", "b"), { at: new Date(0) });
  assert.deepEqual(
    [folder, join(folder, "a", "b"), file, file.replace(/\.db\.zst$/, ".json"), to].map(
      (name) => statSync(name).mode & 0o077,
    ),
    [0, 0, 0, 0, 0],
  );
  await refused(backUpStoreTo(path, join(folder, "a", "b"), { at: new Date(999) }), /already exists/);
});

test("only a thorough check detects an index that differs from its records", async (t) => {
  const { path } = await backedUp(t);
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE "other" ("x" TEXT); CREATE INDEX "other_x" ON "other" ("x");
    INSERT INTO "other" VALUES ('known')`);
  const page = Number(
    database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'other_x'").get()?.["rootpage"],
  );
  const size = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const bytes = readFileSync(path);
  // Changes the value in the index, but not in the record.
  bytes.write("wrong", bytes.indexOf("known", (page - 1) * size));
  assert.ok(bytes.indexOf("wrong") < page * size);
  writeFileSync(path, bytes);
  const plain = `${path}.plain`;
  await backUpStore(path, plain);
  await refused(backUpStore(path, `${path}.second`, { checksIndexes: true }), /second is damaged: .*other_x/);
  await refused(
    backUpStoreTo(path, `${path}s`, { at: new Date(), checksIndexes: true }),
    /is damaged: .*other_x/,
  );
  await refused(
    restoreStore(notes, plain, `${path}.third`, { checksIndexes: true }),
    /plain is damaged: .*other_x/,
  );
  await restoreStore(notes, plain, `${path}.third`);
});
