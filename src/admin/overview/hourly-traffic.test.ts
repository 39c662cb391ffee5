/** Traffic of the last hour: counts by endpoint and minute, and drops older minutes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HourlyTraffic, type Failure } from "./hourly-traffic.ts";

test("requests are counted by key and minute, and dropped after an hour", () => {
  let now = 5_000;
  const traffic = new HourlyTraffic<string>(() => now);
  const count = (failure: Failure, tookMs: number) => traffic.count("GET /", failure, tookMs);
  assert.deepEqual(traffic.lastHour(), []);
  for (const tookMs of [1, 1, 1, 40]) count(null, tookMs);
  count("refused", 2);
  now += 2 * 60_000;
  count("errors", 900);
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

test("beyond the maximum, the key that had no request for longest is dropped", () => {
  let now = 0;
  const traffic = new HourlyTraffic<string>(() => now, 2);
  for (const key of ["a", "b", "a", "c"]) {
    traffic.count(key, null, 1);
    now += 60_000;
  }
  assert.deepEqual([traffic.lastHourOf("a")?.requests, traffic.lastHourOf("b")], [2, undefined]);
  assert.equal(traffic.lastHourOf("c")?.requests, 1);
});
