/** Metrics: event loop delay. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loopLag } from "./metrics.ts";

test("an idle event loop has no delay, although it is sampled every 20 ms", () => {
  const idle = { count: 100, mean: 20e6, max: 20e6, percentile: () => 20e6 };
  assert.deepEqual(loopLag(idle), { mean: 0, p99: 0, max: 0 });
});

test("event loop delay is reported, and 0 without samples", () => {
  const { mean, p99, max } = loopLag({ count: 100, mean: 30e6, max: 520e6, percentile: () => 120e6 });
  assert.deepEqual(
    [mean, p99, max].map((seconds) => seconds.toFixed(6)),
    ["0.010000", "0.100000", "0.500000"],
  );
  const unseen = { count: 0, mean: Number.NaN, max: 0, percentile: () => 0 };
  assert.deepEqual(loopLag(unseen), { mean: 0, p99: 0, max: 0 });
});
