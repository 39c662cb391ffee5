import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addressOf, bin, served, watched } from "../testing/served.ts";
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
  assert.match(made.out, /one\.db holds .*desk\.ninefold\.db as it was: 7 records, up to event \d+/);
  const again = await runCommand("backup", file, text);
  assert.deepEqual([again.code, again.out], [3, ""]);
  assert.match(again.complaints, /^ninefold backup: .*one\.db is there already, and stays as it is\. .+\n$/);
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

test("with --every one is made after another, the last are kept, and a stop signal ends it well", async () => {
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

test("wrong usage is reported", async () => {
  for (const [args, message] of [
    [[file], /TO is missing/],
    [[file, "x", "--keep", "0"], /--keep takes 1 or more/],
    [[file, "x", "--every", "soon"], /--every takes a time such as 1h/],
  ] as const) {
    const { code, complaints } = await runCommand("backup", ...args);
    assert.equal(code, 2);
    assert.match(complaints, message);
  }
});
