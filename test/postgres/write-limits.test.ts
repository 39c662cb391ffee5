/** The model of `bench/scaling-model.ts`: its limits, and which of them comes first. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstLimit, sharedLimit, writeLimits } from "../../bench/write-limits.ts";

const costs = { instance: 1 / 4_000, database: 1 / 8_000, commit: 1 / 500, group: 40, conflicts: 0 };
const machines = { instances: 1, databaseCores: 1 };

test("without conflicts, instances, cores and commits each have a limit of their own", () => {
  const limits = writeLimits(costs, machines);
  const expected = { "instance CPU": 4_000, "database CPU": 8_000, commits: 20_000, retries: Infinity };
  assert.deepEqual(limits, expected);
  assert.deepEqual(writeLimits(costs, { instances: 10, databaseCores: 16 }), {
    ...expected,
    "instance CPU": 40_000,
    "database CPU": 128_000,
  });
});

test("the lowest limit comes first: an instance, then the database, then commits", () => {
  const first = (instances: number, databaseCores: number) =>
    firstLimit(writeLimits(costs, { instances, databaseCores }));
  assert.deepEqual(first(1, 1), ["instance CPU", 4_000]);
  assert.deepEqual(first(3, 1), ["database CPU", 8_000]);
  assert.deepEqual(first(10, 16), ["commits", 20_000]);
});

test("one instance has no conflicts, and if all groups conflict, one runs at a time", () => {
  const hot = { ...costs, conflicts: 1 };
  assert.deepEqual(writeLimits(hot, machines), writeLimits(costs, machines));
  const limits = writeLimits(hot, { instances: 2, databaseCores: 16 });
  assert.deepEqual([limits["instance CPU"], limits["database CPU"]], [4_000, 64_000]);
  const seconds = 40 / 4_000 + 40 / 8_000 + 1 / 500;
  assert.deepEqual(firstLimit(limits), ["retries", 40 / seconds]);
});

test("with conflicts, each further instance adds less", () => {
  const hot = { ...costs, conflicts: 0.2 };
  const perSecond = (instances: number) => firstLimit(writeLimits(hot, { instances, databaseCores: 16 }))[1];
  assert.ok(perSecond(2) > perSecond(1));
  assert.ok(perSecond(10) < perSecond(3));
  assert.ok(perSecond(10) < firstLimit(writeLimits(costs, { instances: 10, databaseCores: 16 }))[1]);
});

test("on a shared machine, the costs of all add up", () => {
  assert.equal(sharedLimit({ instance: 0.0002, database: 0.0002 }, 0.0001, 2), 4_000);
});
