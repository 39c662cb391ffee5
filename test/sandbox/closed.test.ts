/**
 * Closed data spaces: a request that finds a data space before it is closed, and reaches it
 * afterwards, gets an error that says to retry, and never a fault.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { SandboxRefusal } from "../../src/engine/sandbox/refusal.ts";
import { Spaces } from "../../src/engine/sandbox/spaces.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { pathOf } from "../repository/repository.ts";

test("a data space that was closed meanwhile serves nothing, and says so", async (t) => {
  const file = "test/documents/courier.md";
  const { model } = compile(readFileSync(pathOf(file), "utf8"), { file });
  assert.ok(model);
  const faults: unknown[] = [];
  const log = { ...silentLog, error: (what: object) => void faults.push(what) };
  const spaces = await Spaces.open({
    model,
    seed: [],
    spaceHeader: "Ninefold-Space",
    spacesMax: 3,
    storePath: () => null,
    service: { origin: () => "http://127.0.0.1" },
    ports: { clock: systemClock, log, randomBytes: createRandomPool() },
  });
  t.after(() => spaces.close());
  const found = await spaces.named("gone");
  let ends = 0;
  found.onReplaced(() => {
    ends += 1;
  });
  // Requests during the closing wait at the data space's gate. They must not continue into the
  // closed data space.
  const removed = spaces.remove("gone");
  await new Promise((resolve) => setImmediate(resolve));
  const request = createRequest({ method: "GET", target: "/parcels" });
  const works = [
    () => found.fetch(request),
    () => found.takeSnapshot("late"),
    () => found.reset(false),
    () => found.createGiven([]),
    () => found.move({ byMs: 1000 }),
    async () => found.service,
  ];
  assert.equal(await removed, true);
  assert.equal(ends, 1);
  for (const work of works) await assert.rejects(work, isClosed);
  // A reader that subscribes only now gets the event as well.
  const reported = await new Promise((resolve) => found.onReplaced(resolve));
  assert.equal(reported, undefined);
  assert.deepEqual(faults, []);
});

function isClosed(error: unknown): boolean {
  return (
    error instanceof SandboxRefusal && error.status === 503 && /was closed before this/.test(error.message)
  );
}
