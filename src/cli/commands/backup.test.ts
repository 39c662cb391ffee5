/** `ninefold backup`: command tests. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { addressOf, bin, served, watched } from "../testing/served-command.ts";
import { runCommand } from "../testing/run-command.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("backup");

const examples = join(import.meta.dirname, "../../../examples");
const file = join(folder, "desk.md");
copyFileSync(join(examples, "parcel-desk.md"), file);
const store = join(folder, "desk.ninefold.db");

test("a served store is backed up, and restored once it is closed", async () => {
  const service = served([file, "--seed", join(examples, "parcel-desk.seed.md"), "--no-operations"]);
  await addressOf(service);
  const text = join(folder, "one.db");
  const made = await runCommand("backup", file, text);
  assert.equal(made.code, 0, made.complaints);
  assert.match(made.out, /one\.db is a copy of .*desk\.ninefold\.db: 7 records, up to event \d+/);
  const again = await runCommand("backup", file, text);
  assert.deepEqual([again.code, again.out], [3, ""]);
  assert.match(again.complaints, /^ninefold backup: .*one\.db already exists and was not changed\. .+\n$/);
  const early = await runCommand("restore", text, file);
  assert.equal(early.code, 3);
  assert.match(early.complaints, /desk\.ninefold\.db is in use by another process \(process \d+/);
  service.child.kill("SIGTERM");
  await service.ended;
  const restored = await runCommand("restore", text, file, "--json");
  assert.equal(restored.code, 0, restored.complaints);
  const { records, former } = JSON.parse(restored.out);
  assert.equal(records, 7);
  assert.ok(existsSync(former));
});

test("with --every, backups are written at the interval, the latest are kept, and a stop signal ends the command", async () => {
  const to = join(folder, "hourly");
  const backups = watched(process.execPath, [
    bin,
    "backup",
    "--store",
    store,
    to,
    "--every",
    "1s",
    "--keep",
    "1",
  ]);
  await backups.until(/Removed: desk\.ninefold-\S+\.db\.zst/);
  backups.child.kill("SIGTERM");
  assert.deepEqual(await backups.ended, { code: 0, signal: null });
  assert.equal(readdirSync(to).filter((name) => name.endsWith(".db.zst")).length, 1);
});

test("a target is a folder with --keep, with a final slash or if it exists; otherwise it is a file", async () => {
  const there = join(folder, "there");
  mkdirSync(there);
  for (const [args, isFolder] of [
    [[there], true],
    [[`${join(folder, "slash")}/`], true],
    [[join(folder, "kept"), "--keep", "1"], true],
    [[join(folder, "plain")], false],
  ] as const) {
    const { code, out, complaints } = await runCommand("backup", file, ...args);
    assert.equal(code, 0, complaints);
    const to = args[0].replace(/\/$/, "");
    assert.equal(statSync(to).isDirectory(), isFolder, to);
    const [made] = out.split(" is a copy of ");
    assert.ok(statSync(made as string).isFile());
    if (isFolder) assert.match(made as string, /desk\.ninefold-\S+Z\.db\.zst$/);
    else assert.equal(made, to);
  }
});

test("--json has the same facts as the text, and --store can replace the document", async () => {
  const backupPath = join(folder, "json.db");
  const made = await runCommand("backup", "--store", store, backupPath, "--json");
  assert.equal(made.code, 0, made.complaints);
  const { ms, last_event, ...facts } = JSON.parse(made.out);
  assert.ok(Number.isInteger(ms) && ms >= 0 && Number.isInteger(last_event) && last_event >= 0);
  const bytes = statSync(backupPath).size;
  assert.deepEqual(facts, { file: backupPath, document: "Parcel Desk", records: 7, bytes, removed: [] });
  const text = await runCommand("backup", file, join(folder, "text.db"), "--thorough");
  assert.match(
    text.out,
    new RegExp(
      `^${join(folder, "text.db")} is a copy of ${store}: 7 records, up to event ${last_event}, ${(bytes / 1e6).toFixed(1)} MB, verified in [0-9.]+ s\\.\n$`,
    ),
  );
  const to = join(folder, "json");
  const first = JSON.parse((await runCommand("backup", file, to, "--keep", "1", "--json")).out);
  assert.deepEqual(
    readdirSync(to).filter((name) => name.endsWith(".zst")),
    [basename(first.file)],
  );
  const none = await runCommand("backup", join(folder, "none.md"), to);
  assert.deepEqual([none.code, none.out], [3, ""]);
  assert.match(none.complaints, /There is no store at .*none\.ninefold\.db/);
});

test("with --every a failed backup is reported, and the next one starts at its time", async () => {
  const args = ["backup", "--store", join(folder, "none.db"), join(folder, "none"), "--every", "1h"];
  const backups = watched(process.execPath, [bin, ...args]);
  await backups.until(/ninefold backup: There is no store/);
  backups.child.kill("SIGTERM");
  assert.deepEqual(await backups.ended, { code: 0, signal: null });
  assert.match(
    backups.output(),
    /^\d{4}-\d\d-\d\dT\S+Z ninefold backup: There is no store at .*none\.db\.\s.*\n$/,
  );
});

test("a restore reports the previous store, the verification, and what it accepts without a log", async () => {
  const copy = join(folder, "whole.db");
  await runCommand("backup", file, copy);
  const to = join(folder, "to.db");
  const first = await runCommand("restore", copy, file, "--store", to, "--thorough");
  assert.deepEqual([first.code, first.complaints], [0, ""]);
  assert.match(first.out, /^\S+to\.db was restored from \S+whole\.db: 7 records, up to event \d+\.\n$/);
  const second = await runCommand("restore", copy, file, "--store", to);
  assert.match(second.out, /The previous store is in \S+to\.db\.before-\S+Z\.\n$/);
  const { former, last_event, ...facts } = JSON.parse(
    (await runCommand("restore", copy, file, "--store", to, "--json")).out,
  );
  assert.ok(existsSync(former) && last_event >= 0);
  assert.deepEqual(facts, { store: to, document: "Parcel Desk", records: 7, verified: true });
  const unsummed = join(folder, "unsummed.db");
  copyFileSync(copy, unsummed);
  const unverified = await runCommand("restore", unsummed, file, "--store", to, "--json");
  assert.equal(JSON.parse(unverified.out).verified, false);
  assert.match(unverified.complaints, /unsummed\.db has no checksum file: only its format was checked/);
  // A copy of the open file alone, without its log.
  const torn = join(folder, "torn.db");
  const service = served([file, "--store", to, "--no-operations"]);
  await addressOf(service);
  copyFileSync(to, torn);
  service.child.kill("SIGTERM");
  await service.ended;
  const refused = await runCommand("restore", torn, file, "--store", to);
  assert.equal(refused.code, 3);
  assert.match(refused.complaints, /was open when it was left or copied/);
  const accepted = await runCommand("restore", torn, file, "--store", to, "--accept-missing-log");
  assert.equal(accepted.code, 0, accepted.complaints);
  const restored = await runCommand("restore", copy, join(examples, "conduit.md"), "--store", to);
  assert.equal(restored.code, 3);
  assert.match(restored.complaints, /belongs to another document/);
  const wrong = join(folder, "wrong.md");
  writeFileSync(wrong, "# Wrong\n\n## What the service does\n\n- Purpos: x\n");
  const mistaken = await runCommand("restore", copy, wrong, "--store", to);
  assert.equal(mistaken.code, 1);
  assert.match(mistaken.complaints, /Nothing was changed\./);
});

test("wrong usage is reported", async () => {
  for (const [args, message] of [
    [[file], /TO is missing/],
    [[file, "x", "--keep", "-1"], /--keep/],
    [[file, "x", "--keep", "0"], /--keep takes 1 or more/],
    [[file, "x", "--every", "soon"], /--every takes a time such as 1h/],
  ] as const) {
    const { code, complaints } = await runCommand("backup", ...args);
    assert.equal(code, 2);
    assert.match(complaints, message);
  }
});
