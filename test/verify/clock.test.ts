/**
 * Clock verification (`verify --clock`): moving the clock of a service shows the effects of its
 * timers.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { ownFolder } from "../own-folder.ts";
import { pathOf } from "../repository/repository.ts";
import { type Sandbox, startSandbox } from "../sandbox/start-sandbox.ts";

const folder = ownFolder("verify-clock");
const file = pathOf("examples/parcel-desk.md");
const setup = pathOf("examples/parcel-desk.seed.md");
const sandboxes: Sandbox[] = [];
after(() => Promise.all(sandboxes.map((sandbox) => sandbox.stop())));

/** Verifies a sandbox of the parcel desk with one text of its document replaced. */
async function verified(text: string, replacement: string) {
  const served = join(folder, "served.md");
  writeFileSync(served, readFileSync(file, "utf8").replace(text, replacement));
  const sandbox = await startSandbox(served, "--seed", setup);
  sandboxes.push(sandbox);
  const bounds = ["--requests", "300", "--seed", "2", "--time", "5 minutes", "--rate", "1000"];
  const clock = ["--clock", sandbox.operations];
  return runCommand("verify", file, "--against", sandbox.service, "--setup", setup, ...bounds, ...clock);
}

test("a timed transition of a sandbox holds", async () => {
  const { code, out } = await verified("after 14 days", "after 14 days");
  assert.equal(code, 0, out);
  assert.match(out, /holds +207 +transition: Parcel lapse/);
});

test("a timer that fires too late is broken", async () => {
  const { code, out } = await verified("after 14 days", "after 15 days");
  assert.equal(code, 1, out);
  assert.match(out, /broken +207 +transition: Parcel lapse/);
  assert.match(out, /# \d+ \w+ pass/);
});
