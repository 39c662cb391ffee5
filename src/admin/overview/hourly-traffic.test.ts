/** Traffic of the last hour: counts by endpoint and minute, and drops older minutes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createHourlyTraffic } from "./hourly-traffic.ts";

test("requests are counted by endpoint and minute, and dropped after an hour", () => {
  let now = 5_000;
  const traffic = createHourlyTraffic(() => now);
  const count = (status: number, tookMs: number) =>
    traffic.count({ endpoint: null, method: "GET", status, tookMs });
  assert.deepEqual(traffic.lastHour(), []);
  for (const tookMs of [1, 1, 1, 40]) count(200, tookMs);
  count(404, 2);
  now += 2 * 60_000;
  count(500, 900);
  const [all] = traffic.lastHour();
  assert.deepEqual([all?.requests, all?.refused, all?.errors], [6, 1, 1]);
  assert.deepEqual(
    all?.minutes.map(({ requests }) => requests),
    [5, 0, 1],
  );
  assert.deepEqual(
    all?.minutes.map(({ p95Ms }) => p95Ms !== null && p95Ms >= 40),
    [true, false, true],
  );
  assert.ok((all?.p50Ms ?? 0) >= 1 && (all?.p50Ms ?? 0) <= 3, String(all?.p50Ms));
  assert.ok((all?.p99Ms ?? 0) >= 900, String(all?.p99Ms));
  now += 59 * 60_000;
  const [later] = traffic.lastHour();
  assert.deepEqual([later?.requests, later?.minutes.length], [1, 60]);
  now += 60_000;
  assert.deepEqual(traffic.lastHour(), []);
});
