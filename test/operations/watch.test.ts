/**
 * `serve --watch` and its operations address: the address stays, reports documents that can't be
 * served, and shows the next service.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { served } from "../../src/cli/testing/served-command.ts";
import { pathOf } from "../repository/repository.ts";
import { openStream } from "./open-stream.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("operations");

const token = "a-token-for-tests-that-is-long-enough";
const good = readFileSync(pathOf("examples/unidentified-service.md"), "utf8");

test("the address outlives its service: a broken document is reported, and a corrected one replaces it", async () => {
  const file = join(folder, "served.md");
  writeFileSync(file, good);
  const environment = {
    XDG_RUNTIME_DIR: mkdtempSync(join(folder, "run-")),
    NINEFOLD_OPERATIONS_TOKEN: token,
  };
  const service = served([file, "--store", ":memory:", "--watch", "--log", "none"], {
    env: { ...process.env, ...environment },
  });
  const url = (await service.until(/^Console: (http:[^\s]+)/m))[1] as string;
  await service.until(/\n\n$/);
  const overview = async () => {
    const answer = await fetch(`${url}/api/overview`, { headers: { Authorization: `Bearer ${token}` } });
    return (await answer.json()) as { readonly name: string; readonly instance: { readonly pid: number } };
  };
  const door = { door: { url, token } } as Parameters<typeof openStream>[0];
  const stream = await openStream(door, "trouble");
  const before = await overview();
  writeFileSync(file, `${good}\n## Nonsense\n`);
  const { data } = await stream.until((frame) => frame.event === "trouble" && frame.data.value.document);
  assert.ok(data.value.document.mistakes >= 1);
  assert.ok(data.value.document.line > good.split("\n").length - 1);
  assert.equal((await overview()).name, before.name);
  // Another title would mean another document's store; this service stores nothing.
  writeFileSync(file, good.replace(/^# .*$/m, "# Interface Specification: Another One"));
  await stream.ended;
  // A client that connects during the restart waits.
  const again = await openStream(door, "trouble");
  const first = await again.until((frame) => frame.event === "trouble");
  assert.equal(first.data.value.document, null);
  const now = await overview();
  assert.equal(now.name, "Another One");
  assert.equal(now.instance.pid, before.instance.pid);
  again.close();
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
});
