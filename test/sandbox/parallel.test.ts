/** Parallel test processes: data spaces isolate them from each other. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { parcelDesk, startSandbox } from "./start-sandbox.ts";

test("two test processes use one sandbox with different data-space headers and never see each other's data", {
  timeout: 300_000,
}, async () => {
  const sandbox = await startSandbox(...parcelDesk);
  const suites = ["moved", "still"].map((space) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "suite.ts"), sandbox.service, sandbox.operations, space],
      { stdio: ["pipe", "pipe", "pipe"] },
    );
    let complaints = "";
    child.stderr.on("data", (piece) => (complaints += piece));
    return { child, ended: once(child, "close"), complaints: () => complaints };
  });
  try {
    for (let meeting = 0; meeting < 2; meeting += 1) {
      await Promise.all(suites.map(({ child, ended }) => Promise.race([once(child.stdout, "data"), ended])));
      for (const { child } of suites) goOn(child);
    }
    for (const { ended, complaints } of suites) {
      const [code] = await ended;
      assert.equal(code, 0, complaints());
    }
  } finally {
    for (const { child } of suites) child.kill();
    assert.equal(await sandbox.stop(), 0);
  }
});

function goOn({ stdin }: ChildProcess): void {
  // A process that has failed has closed its input.
  stdin?.on("error", () => {});
  stdin?.write("go\n");
}
