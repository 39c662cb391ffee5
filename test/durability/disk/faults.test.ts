/** A few faults of `npm run test:faults` for every test run. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { seed } from "../../fixed-seed.ts";
import { nothingJudged } from "./parcels.ts";
import { cutPower } from "./power-cuts.ts";
import { randomFrom } from "./random.ts";
import { makeShim, runWriter } from "./run-writer.ts";
import { callKinds } from "./trace.ts";
import { unsynced } from "./unsynced.ts";

const shim = makeShim();
after(() => shim?.clear());
const skip = shim ? false : "there is no C compiler, or this is not Linux";

test("acknowledged writes survive a power cut, whatever part of the others reaches the disk", {
  skip,
}, async () => {
  assert.ok(shim);
  const received = await cutPower(shim, { cuts: 24, clients: 4, turns: 4, draw: randomFrom(seed) });
  const { calls, cuts, acknowledged, ...judged } = received;
  assert.ok(calls > 100 && cuts === 24 && acknowledged > 100, JSON.stringify(received));
  assert.deepEqual(judged, nothingJudged());
});

test("the loss of writes that were acknowledged before a sync is detected", { skip }, async () => {
  assert.ok(shim);
  // The state at a cut also depends on the scheduling of processes, so there are several tries.
  const draw = randomFrom(seed);
  let lost = 0;
  for (let tries = 0; lost === 0 && tries < 6; tries += 1)
    lost = (await cutPower(shim, { cuts: 12, clients: 4, turns: 4, draw, mutant: unsynced() })).lost;
  assert.ok(lost > 0);
});

test("a start or a stop that the disk fails leaves a store that opens, with all that was acknowledged", {
  skip,
}, async () => {
  assert.ok(shim);
  const folder = join(shim.folder, "failing");
  const kinds = callKinds.write | callKinds.sync;
  const args = ["inject", folder, "5", String(kinds), "2500"];
  const { tried, calls, met, refused, ...judged } = JSON.parse(
    await runWriter(shim, args, { folder }),
  ) as Record<string, number>;
  assert.ok(Number(tried) > 0 && Number(met) > 0 && Number(calls) > 50 && Number(refused) >= 0);
  assert.deepEqual(judged, { behindSync: 0, ...nothingJudged() });
});

test("a full disk rejects writes and not reads, and writes succeed again when there is space", {
  skip,
}, async () => {
  assert.ok(shim);
  const folder = join(shim.folder, "full");
  mkdirSync(folder);
  const received = JSON.parse(await runWriter(shim, ["full", folder], { folder }));
  assert.deepEqual(Object.keys(received.statuses), ["503 and when to come back"]);
  assert.equal(received.whileFull, 0);
  assert.equal(received.read, received.of);
  assert.equal(received.after, received.before);
  assert.equal(received.lost + received.half + received.twice + received.corrupt + received.shut, 0);
});
