import assert from "node:assert/strict";
import { test } from "node:test";
import { createRateCounter } from "./rates.ts";

test("a bucket gives its burst at once, then one unit for each T", () => {
  const counter = createRateCounter({ count: 10, periodMs: 1000, burst: 3 });
  for (let at = 0; at < 3; at += 1) assert.equal(counter.take("a", 1000, 1).allowed, true);
  const refused = counter.take("a", 1000, 1);
  assert.equal(refused.allowed, false);
  assert.equal(Math.round(refused.retryAfterMs), 100);
  assert.equal(counter.take("a", 1100, 1).allowed, true);
  assert.equal(counter.take("a", 1100, 1).allowed, false);
  assert.equal(counter.take("b", 1100, 1).allowed, true);
});

test("a clock that is set back locks nobody out of a bucket", () => {
  const counter = createRateCounter({ count: 1, periodMs: 1000, burst: 1 });
  counter.take("a", 1_000_000, 1);
  assert.equal(counter.take("a", 0, 1).allowed, false);
  assert.equal(counter.take("a", 1000, 1).allowed, true);
});

test("a window starts with the first request and ends a period later", () => {
  const counter = createRateCounter({ count: 2, periodMs: 60_000 });
  assert.equal(counter.take("a", 5000, 1).remaining, 1);
  assert.equal(counter.take("a", 6000, 1).remaining, 0);
  const refused = counter.take("a", 7000, 1);
  assert.deepEqual([refused.allowed, refused.retryAfterMs, refused.resetAt], [false, 58_000, 65_000]);
  assert.equal(counter.take("a", 65_000, 1).allowed, true);
});

test("a refused request takes nothing", () => {
  const counter = createRateCounter({ count: 5, periodMs: 1000 });
  assert.equal(counter.take("a", 0, 4).allowed, true);
  assert.equal(counter.take("a", 0, 2).allowed, false);
  assert.equal(counter.take("a", 0, 1).allowed, true);
});

test("what is given back can be taken again, and never more than was there", () => {
  for (const burst of [undefined, 2]) {
    const counter = createRateCounter({ count: 2, periodMs: 60_000, ...(burst ? { burst } : {}) });
    const first = counter.take("a", 1000, 1);
    const second = counter.take("a", 1000, 1);
    assert.equal(counter.take("a", 1000, 1).allowed, false);
    assert.equal(counter.giveBack("a", 1000, 1, second).remaining, 1);
    assert.equal(counter.giveBack("a", 1000, 1, first).remaining, 2);
    assert.equal(counter.giveBack("a", 200_000, 1, first).remaining, 2);
    assert.equal(counter.take("a", 200_000, 3).allowed, false);
  }
});

test("what a window has given since is left alone", () => {
  const counter = createRateCounter({ count: 2, periodMs: 1000 });
  const taken = counter.take("a", 0, 1);
  counter.take("a", 1500, 1);
  assert.equal(counter.giveBack("a", 1600, 1, taken).remaining, 1);
});
