/**
 * `ninefold migrate --apply`, killed at each step of the initial copy and just after it: the store is as before or
 * done, and done after a second run. A kill leaves the files as they are at that moment, so one process copies its
 * folder at each step for all kills at once.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { bin } from "../../src/cli/testing/served-command.ts";
import { documentOf, resource } from "../changes/desk.ts";
import { change, rowsOf } from "../changes/support.ts";

/**
 * Copies the folder LIVE to KILLED/1, KILLED/2 … before each call on MARK and the calls after it.
 * Another process makes the copies, because closing a file here would release SQLite's locks. An
 * unfinished copy of the store is recognised by its inode.
 */
const copier = `
import fs from "node:fs";
import { execFileSync } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
let calls = 0;
const { LIVE, KILLED, MARK } = process.env;
const count = (...given) => {
  if (calls === 0 && !given.some((one) => String(one).includes(MARK))) return;
  calls += 1;
  const to = KILLED + "/" + calls;
  const link = 'for one in "$0"/*.before-words*; do [ ! -e "$one" ] || ln -f "$one" "$1"; done';
  execFileSync("sh", ["-e", "-c", 'cp -a "$0" "$1"; ' + link, LIVE, to]);
};
for (const name of ["openSync", "fsyncSync", "renameSync", "rmSync"]) {
  const call = fs[name];
  fs[name] = (...given) => { count(...given); return call(...given); };
}
syncBuiltinESMExports();
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) { if (/BEGIN|COMMIT/.test(sql)) count(sql); return exec.call(this, sql); };
`;

const before = documentOf(resource("Note", "text | string |"));
const after = documentOf(
  resource("Note", "words | string |"),
  change("words", "Renamed: Note.text to Note.words"),
);

/**
 * The folders that `migrate` leaves when it is killed at each of its steps, and the one that it
 * leaves without a kill. Each has `notes.md`, the changed document, and its store.
 */
async function killedAtEachStep(
  folder: string,
  how: "--apply" | "--plan",
  mark: string,
): Promise<{ readonly killed: readonly string[]; readonly ended: string }> {
  const preload = join(folder, "copy.mjs");
  writeFileSync(preload, copier);
  const [live, copies] = [join(folder, "live"), join(folder, "killed")];
  for (const directory of [live, copies]) mkdirSync(directory);
  const file = join(live, "notes.md");
  writeFileSync(file, before);
  assert.equal((await runCommand("data", "add", file, "Note", 'id = "a", text = "b"')).code, 0);
  writeFileSync(join(live, "notes.ninefold.db.before-mine"), "a file of somebody's own");
  writeFileSync(file, after);
  const { status, stderr } = spawnSync(process.execPath, [bin, "migrate", file, how], {
    encoding: "utf8",
    env: {
      ...process.env,
      ...{ LIVE: live, KILLED: copies, MARK: mark },
      NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`,
    },
  });
  assert.ok(status === 0 || how === "--plan", stderr);
  const steps = readdirSync(copies).length;
  assert.ok(steps > 0 && steps < 40);
  return { killed: Array.from({ length: steps }, (_, at) => join(copies, String(at + 1))), ended: live };
}

const isChanged = async (folder: string) =>
  (await rowsOf(join(folder, "notes.ninefold.db"), "SELECT name FROM ninefold_changes")).length > 0;

test("killed at any step of the copy, the store is unchanged or migrated, and a second run completes it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-killed-migrate-"));
  try {
    const { killed, ended } = await killedAtEachStep(folder, "--apply", ".before-");
    const seen = new Set<string>();
    for (const left of [...killed, ended]) {
      const store = join(left, "notes.ninefold.db");
      const isDone = await isChanged(left);
      seen.add(left === ended ? "ended" : isDone ? "done" : "as before");
      assert.deepEqual(await rowsOf(store, `SELECT id, ${isDone ? "words" : "text"} FROM Note`), [
        ["a", "b"],
      ]);
      const again = await runCommand("migrate", join(left, "notes.md"), "--apply");
      assert.equal(again.code, 0, again.complaints);
      assert.deepEqual(await rowsOf(store, "SELECT id, words FROM Note"), [["a", "b"]]);
      const copies = readdirSync(left).filter((name) => /\.before-(?!mine)/.test(name));
      // Files of the killed process were deleted; one backup remains, with the content before the
      // changes.
      assert.deepEqual(copies, ["notes.ninefold.db.before-words"]);
      assert.deepEqual(await rowsOf(join(left, copies[0] as string), "SELECT id, text FROM Note"), [
        ["a", "b"],
      ]);
    }
    assert.deepEqual([...seen].toSorted(), ["as before", "done", "ended"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the next start deletes the files of a killed copy", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-left-behind-"));
  try {
    const leftOver = new Set<string>();
    for (const [how, mark] of [
      ["--apply", ".before-"],
      ["--plan", ".plan-"],
    ] as const) {
      const own = join(folder, how);
      mkdirSync(own);
      const { killed } = await killedAtEachStep(own, how, mark);
      for (const left of killed) {
        const alongside = () => readdirSync(left).filter((name) => /\.(?:before|plan)-/.test(name));
        const isDone = await isChanged(left);
        for (const name of isDone ? [] : alongside())
          leftOver.add(name.replace("notes.ninefold.db.", "").replaceAll(/\d+/g, "N"));
        writeFileSync(join(left, "notes.md"), isDone ? after : before);
        const row = `id = "c", ${isDone ? "words" : "text"} = "d"`;
        assert.equal((await runCommand("data", "add", join(left, "notes.md"), "Note", row)).code, 0);
        assert.deepEqual(alongside().toSorted(), [
          "notes.ninefold.db.before-mine",
          ...(isDone ? ["notes.ninefold.db.before-words"] : []),
        ]);
      }
    }
    // Each kind of remaining file occurred.
    for (const kind of ["before-words", "before-words.making", "plan-N"])
      assert.ok(leftOver.has(kind), [...leftOver].join(", "));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
