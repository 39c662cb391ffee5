/**
 * Failing disk: one fsync returns EIO (injected by strace). From then on the service stores nothing
 * and reports that, continues to read, and after a restart has exactly the acknowledged writes.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../../src/cli/testing/served-command.ts";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;
const port = await freePort();
/** The number of syncs until the disk fails: enough for the start and some writes. */
const goodSyncs = 25;
const writes = 40;

function serve(store: string): ChildProcess {
  const root = join(import.meta.dirname, "..", "..");
  const fault = `inject=fsync,fdatasync:error=EIO:when=${goodSyncs}`;
  const command = [
    "-f",
    "-o",
    "/dev/null",
    "-e",
    "trace=fsync,fdatasync",
    "-e",
    fault,
    process.execPath,
    join(root, "bin", "ninefold"),
  ];
  const args = [
    "serve",
    join(import.meta.dirname, "parcels.md"),
    "--port",
    String(port),
    "--store",
    store,
    "--log",
    "none",
  ];
  return spawn("strace", [...command, ...args], { stdio: "ignore", detached: true });
}

async function untilThere(): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const isThere = await fetch(`http://127.0.0.1:${port}/v1/parcels/none`).then(
      (answer) => answer.status === 404,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("the service did not start");
}

async function make(reference: string): Promise<{ readonly status: number; readonly id: unknown }> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/parcels`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reference }),
  });
  return { status: answer.status, id: ((await answer.json()) as { id?: unknown }).id };
}

test("after a failed sync nothing is acknowledged, reads continue, and no acknowledged write is lost", {
  skip: hasStrace ? false : "there is no strace",
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-disk-"));
  const store = join(folder, "store.db");
  const service = serve(store);
  t.after(async () => {
    // strace and the service are one group; ending strace alone would leave the service.
    if (service.exitCode === null && service.pid !== undefined) process.kill(-service.pid, "SIGKILL");
    if (service.exitCode === null && service.signalCode === null) await once(service, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  await untilThere();
  const kept: unknown[] = [];
  const statuses: number[] = [];
  for (let number = 0; number < writes; number += 1) {
    const { status, id } = await make(`r${number}`);
    statuses.push(status);
    if (status === 201) kept.push(id);
  }
  const failedAt = statuses.indexOf(503);
  assert.ok(failedAt > 0, `the disk never failed: ${statuses.join(" ")}`);
  assert.ok(
    statuses.slice(failedAt).every((status) => status === 503),
    statuses.join(" "),
  );
  const read = await fetch(`http://127.0.0.1:${port}/v1/parcels/${kept[0]}`);
  assert.equal(read.status, 200);

  process.kill(-(service.pid as number), "SIGKILL");
  await once(service, "exit");
  const database = new DatabaseSync(store);
  const stored = database
    .prepare(`SELECT id FROM "Parcel"`)
    .all()
    .map((row) => row["id"]);
  database.close();
  assert.deepEqual(
    kept.filter((id) => !stored.includes(id as string)),
    [],
  );
});
