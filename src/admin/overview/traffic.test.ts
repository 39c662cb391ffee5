/** Traffic counters: seconds, shares, quantiles and durations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../../model/model.ts";
import { boundsMs, createTraffic } from "./traffic.ts";

function started() {
  let nowMs = 5_000_000;
  const traffic = createTraffic(() => nowMs);
  return {
    traffic,
    count: (status = 200, tookMs = 1) => traffic.count({ endpoint: null, method: "GET", status, tookMs }),
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
  };
}

test("requests of the last minute are counted by second, without the current one", () => {
  const { traffic, count, pass } = started();
  assert.deepEqual(traffic.lastMinute().history, []);
  for (let second = 1; second <= 70; second += 1) {
    for (let times = 0; times < second; times += 1) count();
    pass(1);
  }
  count();
  const { history, requests, perSecond } = traffic.lastMinute();
  assert.deepEqual(
    history,
    Array.from({ length: 60 }, (_, at) => at + 11),
  );
  assert.equal(requests, (60 * (11 + 70)) / 2);
  assert.equal(perSecond, 65.5);
  // After a minute without requests, all of them are dropped.
  pass(200);
  assert.equal(traffic.lastMinute().requests, 0);
  assert.ok(traffic.lastMinute().history.every((count) => count === 0));
});

test("shares and quantiles cover the last minute, with an error of at most a quarter", () => {
  const { traffic, count, pass } = started();
  assert.equal(traffic.lastMinute().p50Ms, null);
  for (let at = 1; at <= 100; at += 1) count(at <= 2 ? 503 : at <= 12 ? 404 : 200, at);
  pass(1);
  const { p50Ms, p95Ms, errorShare, refusedShare } = traffic.lastMinute();
  assert.ok(p50Ms !== null && p50Ms >= 50 && p50Ms <= 63, String(p50Ms));
  assert.ok(p95Ms !== null && p95Ms >= 95 && p95Ms <= 119, String(p95Ms));
  assert.deepEqual([errorShare, refusedShare], [0.02, 0.1]);
});

test("requests since the start are counted by endpoint, method, status and duration", () => {
  const { traffic, pass } = started();
  const endpoint = {} as Endpoint;
  for (const tookMs of [5, 6, 99_999]) traffic.count({ endpoint, method: "POST", status: 201, tookMs });
  traffic.count({ endpoint, method: "POST", status: 409, tookMs: 1 });
  for (const method of ["BREW", "STEEP", ""])
    traffic.count({ endpoint: null, method, status: 501, tookMs: 1 });
  pass(1000);
  const [made, refused, none, ...more] = traffic.byKind();
  assert.deepEqual([made?.endpoint, made?.method, made?.status], [endpoint, "POST", 201]);
  assert.deepEqual(made?.durations.counts.slice(0, 2), [1, 1]);
  assert.equal(made?.durations.counts[boundsMs.length], 1);
  assert.equal(made?.durations.sum, 100_010);
  assert.equal(refused?.status, 409);
  // All unknown methods are counted together.
  assert.deepEqual([none?.endpoint, none?.method, none?.durations.counts[0]], [null, "_OTHER", 3]);
  assert.deepEqual(more, []);
});

test("a status from 400 is a rejection, and one from 500 an error", () => {
  for (const [status, errors, refused] of [
    [399, 0, 0],
    [400, 0, 1],
    [499, 0, 1],
    [500, 1, 0],
  ] as const) {
    const { traffic, count, pass } = started();
    count(status);
    pass(1);
    const { errorShare, refusedShare } = traffic.lastMinute();
    assert.deepEqual([errorShare, refusedShare], [errors, refused], String(status));
  }
});
