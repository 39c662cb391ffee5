import assert from "node:assert/strict";
import { test } from "node:test";
import { loopMetrics } from "./metrics.ts";

const told = (measured: Parameters<typeof loopMetrics>[0]) =>
  loopMetrics(measured).map(({ name, samples }) => [name, samples[0]?.[1]]);

test("an event loop that nothing holds up isn't late, though it is looked at every 20 ms alone", () => {
  const idle = { count: 100, mean: 20e6, max: 20e6, percentile: () => 20e6 };
  assert.deepEqual(told(idle), [
    ["nodejs_eventloop_lag_seconds", 0],
    ["nodejs_eventloop_lag_p99_seconds", 0],
    ["nodejs_eventloop_lag_max_seconds", 0],
  ]);
});

test("what it was late by is told, and nothing where it wasn't looked at since", () => {
  const late = { count: 100, mean: 30e6, max: 520e6, percentile: () => 120e6 };
  assert.deepEqual(
    told(late).map(([, seconds]) => Number(Number(seconds).toFixed(6))),
    [0.01, 0.1, 0.5],
  );
  const unseen = { count: 0, mean: Number.NaN, max: 0, percentile: () => 0 };
  assert.deepEqual(
    told(unseen).map(([, seconds]) => seconds),
    [0, 0, 0],
  );
});
