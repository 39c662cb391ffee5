/** `ninefold migrate --apply`, killed at each step of the copy that comes first, and just behind it: as before or done, and done when begun again. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { bin } from "../../src/cli/testing/served.ts";
import { documentOf, resource } from "../changes/desk.ts";
import { change, rowsOf } from "../changes/support.ts";

/** Kills its process before the call of that number that is about the copy or comes behind it. */
const killer = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
let calls = 0;
const count = (...given) => {
  if (calls === 0 && !given.some((one) => String(one).includes(".before-"))) return;
  calls += 1;
  if (calls === Number(process.env.KILL_AT)) process.kill(process.pid, "SIGKILL");
};
for (const name of ["openSync", "fsyncSync", "renameSync", "rmSync"]) {
  const call = fs[name];
  fs[name] = (...given) => { count(...given); return call(...given); };
}
syncBuiltinESMExports();
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) { if (/BEGIN|COMMIT/.test(sql)) count(sql); return exec.call(this, sql); };
`;

test("killed at any step of the copy, the store is as before or done, and begun again it is done", {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-killed-migrate-"));
  try {
    const preload = join(folder, "kill.mjs");
    writeFileSync(preload, killer);
    const before = documentOf(resource("Note", "text | string |"));
    const after = documentOf(
      resource("Note", "words | string |"),
      change("words", "Renamed: Note.text to Note.words"),
    );
    const seen = new Set<string>();
    let isEnded = false;
    for (let at = 1; !isEnded; at += 1) {
      assert.ok(at < 40);
      const file = join(folder, `notes-${at}.md`);
      const store = join(folder, `notes-${at}.ninefold.db`);
      writeFileSync(file, before);
      assert.equal((await runCommand("data", "add", file, "Note", 'id = "a", text = "b"')).code, 0);
      writeFileSync(file, after);
      const { status, signal, stderr } = spawnSync(process.execPath, [bin, "migrate", file, "--apply"], {
        encoding: "utf8",
        env: { ...process.env, KILL_AT: String(at), NODE_OPTIONS: `--import ${pathToFileURL(preload).href}` },
      });
      isEnded = status === 0;
      assert.ok(isEnded || signal === "SIGKILL" || status === 137, stderr);
      const isDone = (await rowsOf(store, "SELECT name FROM ninefold_changes")).length > 0;
      seen.add(isEnded ? "ended" : isDone ? "done" : "as before");
      assert.deepEqual(await rowsOf(store, `SELECT id, ${isDone ? "words" : "text"} FROM Note`), [
        ["a", "b"],
      ]);
      const again = await runCommand("migrate", file, "--apply");
      assert.equal(again.code, 0, again.complaints);
      assert.deepEqual(await rowsOf(store, "SELECT id, words FROM Note"), [["a", "b"]]);
      const copies = readdirSync(folder).filter((name) => name.startsWith(`notes-${at}.ninefold.db.before-`));
      // Whatever was left by who was killed is gone: one copy is there, of what the changes were made to.
      assert.deepEqual(copies, [`notes-${at}.ninefold.db.before-words`]);
      assert.deepEqual(await rowsOf(join(folder, copies[0] as string), "SELECT id, text FROM Note"), [
        ["a", "b"],
      ]);
    }
    assert.deepEqual([...seen].toSorted(), ["as before", "done", "ended"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("what was killed in the middle of a copy leaves nothing behind the next start, whatever that does", {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-left-behind-"));
  try {
    const preload = join(folder, "kill.mjs");
    writeFileSync(preload, killer);
    const planning = join(folder, "kill-plan.mjs");
    writeFileSync(planning, killer.replaceAll(".before-", ".plan-"));
    const before = documentOf(resource("Note", "text | string |"));
    const after = documentOf(
      resource("Note", "words | string |"),
      change("words", "Renamed: Note.text to Note.words"),
    );
    const left = new Set<string>();
    for (const [how, script, kind] of [
      ["--apply", preload, "before-words"],
      ["--plan", planning, "plan-N"],
    ] as const)
      for (let at = 1; at < 40 && !left.has(kind); at += 1) {
        const name = `notes${how}-${at}`;
        const file = join(folder, `${name}.md`);
        const beside = () =>
          readdirSync(folder).filter((one) => /\.(?:before|plan)-/.test(one) && one.startsWith(`${name}.`));
        writeFileSync(file, before);
        assert.equal((await runCommand("data", "add", file, "Note", 'id = "a", text = "b"')).code, 0);
        writeFileSync(join(folder, `${name}.ninefold.db.before-mine`), "a file of somebody's own");
        writeFileSync(file, after);
        spawnSync(process.execPath, [bin, "migrate", file, how], {
          encoding: "utf8",
          env: {
            ...process.env,
            KILL_AT: String(at),
            NODE_OPTIONS: `--import ${pathToFileURL(script).href}`,
          },
        });
        const isDone =
          (await rowsOf(join(folder, `${name}.ninefold.db`), "SELECT name FROM ninefold_changes")).length > 0;
        for (const one of isDone ? [] : beside())
          left.add(one.replace(/^[^.]*\.ninefold\.db\./, "").replaceAll(/\d+/g, "N"));
        writeFileSync(file, isDone ? after : before);
        const field = isDone ? "words" : "text";
        assert.equal((await runCommand("data", "add", file, "Note", `id = "c", ${field} = "d"`)).code, 0);
        assert.deepEqual(beside().toSorted(), [
          `${name}.ninefold.db.before-mine`,
          ...(isDone ? [`${name}.ninefold.db.before-words`] : []),
        ]);
      }
    // Each kind of what may be left was.
    for (const kind of ["before-words", "before-words.making", "plan-N"])
      assert.ok(left.has(kind), [...left].join(", "));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
