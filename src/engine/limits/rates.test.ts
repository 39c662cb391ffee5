/** Rate limits (part 8): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc, times } from "../../../test/fixed-seed.ts";
import { createRateCounter, type RateState } from "./rates.ts";

test("a bucket allows its burst at once, then one unit for each T", () => {
  const counter = createRateCounter({ count: 10, periodMs: 1000, burst: 3 });
  for (let at = 0; at < 3; at += 1) assert.equal(counter.take("a", 1000, 1).allowed, true);
  const refused = counter.take("a", 1000, 1);
  assert.equal(refused.allowed, false);
  assert.equal(Math.round(refused.retryAfterMs), 100);
  assert.equal(counter.take("a", 1100, 1).allowed, true);
  assert.equal(counter.take("a", 1100, 1).allowed, false);
  assert.equal(counter.take("b", 1100, 1).allowed, true);
});

test("a bucket allows its whole burst at the times that clocks show, whatever the fraction of its unit", () => {
  for (let count = 1; count <= 200; count += 1)
    for (const burst of [1, 7, count]) {
      const counter = createRateCounter({ count, periodMs: 60_000, burst });
      const nowMs = 1_795_000_000_000 + count;
      const allowed = Array.from({ length: burst + 2 }, () => counter.take("a", nowMs, 1).allowed);
      assert.equal(allowed.filter(Boolean).length, burst, `${count} a minute, burst ${burst}`);
    }
});

test("a clock that is set back does not lock a caller out of a bucket", () => {
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

test("a rejected request is not charged", () => {
  const counter = createRateCounter({ count: 5, periodMs: 1000 });
  assert.equal(counter.take("a", 0, 4).allowed, true);
  assert.equal(counter.take("a", 0, 2).allowed, false);
  assert.equal(counter.take("a", 0, 1).allowed, true);
});

test("a refunded charge can be used again, but never more than the charge", () => {
  for (const burst of [undefined, 2]) {
    const counter = createRateCounter({ count: 2, periodMs: 60_000, ...(burst ? { burst } : {}) });
    const first = counter.take("a", 1000, 1);
    const second = counter.take("a", 1000, 1);
    assert.equal(counter.take("a", 1000, 1).allowed, false);
    assert.equal(counter.refund("a", 1000, 1, second).remaining, 1);
    assert.equal(counter.refund("a", 1000, 1, first).remaining, 2);
    assert.equal(counter.refund("a", 200_000, 1, first).remaining, 2);
    assert.equal(counter.take("a", 200_000, 3).allowed, false);
  }
});

test("a window ignores the refund of an earlier window's charge", () => {
  const counter = createRateCounter({ count: 2, periodMs: 1000 });
  const taken = counter.take("a", 0, 1);
  counter.take("a", 1500, 1);
  assert.equal(counter.refund("a", 1600, 1, taken).remaining, 1);
});

/** A reference model of a bucket: its level drains evenly, and each request needs free capacity. */
function createPaperBucket(count: number, periodMs: number, burst: number) {
  let level = 0;
  let at = 0;
  const runTo = (nowMs: number) => {
    level = Math.max(0, level - ((nowMs - at) * count) / periodMs);
    at = nowMs;
  };
  return {
    take(nowMs: number, cost: number): boolean {
      runTo(nowMs);
      if (level + cost > burst + 1e-9) return false;
      level += cost;
      return true;
    },
    giveBack(nowMs: number, cost: number): void {
      runTo(nowMs);
      level = Math.max(0, level - cost);
    },
    left(nowMs: number): number {
      runTo(nowMs);
      return Math.floor(burst - level + 1e-6);
    },
  };
}

/** A reference model of a window: it counts requests until it expires. */
function createPaperWindow(count: number, periodMs: number) {
  let beganMs: number | undefined;
  let taken: number[] = [];
  const used = () => taken.reduce((sum, cost) => sum + cost, 0);
  const runTo = (nowMs: number) => {
    if (beganMs === undefined || nowMs < beganMs + periodMs) return;
    beganMs = undefined;
    taken = [];
  };
  return {
    take(nowMs: number, cost: number): boolean {
      runTo(nowMs);
      if (used() + cost > count) return false;
      beganMs ??= nowMs;
      taken.push(cost);
      return true;
    },
    giveBack(nowMs: number, cost: number, takenInMs: number): void {
      runTo(nowMs);
      const at = taken.indexOf(cost);
      if (beganMs === takenInMs && at >= 0) taken.splice(at, 1);
    },
    left(nowMs: number): number {
      runTo(nowMs);
      return count - used();
    },
  };
}

const moves = fc.array(
  fc.record({
    waitMs: fc.constantFrom(0, 0, 0, 1, 40, 250, 999, 1000, 3000),
    key: fc.constantFrom("a", "b"),
    act: fc.constantFrom("take", "take", "take", "peek", "give back"),
    cost: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 10, maxLength: 80, size: "max" },
);

test("a bucket agrees with its reference model for all charges and refunds", () => {
  fc.assert(
    fc.property(
      moves,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 6 }),
      (history, count, burst) => {
        const counter = createRateCounter({ count, periodMs: 1000, burst });
        const paper = { a: createPaperBucket(count, 1000, burst), b: createPaperBucket(count, 1000, burst) };
        const taken: { key: "a" | "b"; cost: number; state: RateState }[] = [];
        let nowMs = 10_000;
        for (const { waitMs, key, act, cost } of history) {
          nowMs += waitMs;
          const of = key as "a" | "b";
          if (act === "take") {
            const state = counter.take(key, nowMs, cost);
            assert.equal(state.allowed, paper[of].take(nowMs, cost));
            if (state.allowed) taken.push({ key: of, cost, state });
            // The retry time is exact: a retry succeeds at that time, and not earlier.
            else if (cost <= burst)
              assert.ok(counter.peek(key, nowMs + state.retryAfterMs + 1).remaining >= cost);
          } else if (act === "give back") {
            const last = taken.pop();
            // Units that have drained since cannot be refunded, only units of the last request.
            if (!last || waitMs > 0) continue;
            counter.refund(last.key, nowMs, last.cost, last.state);
            paper[last.key].giveBack(nowMs, last.cost);
          } else {
            const { remaining, used, limit, allowed, retryAfterMs, resetAt } = counter.peek(key, nowMs);
            assert.equal(remaining, Math.max(0, paper[of].left(nowMs)));
            assert.deepEqual([limit, used, allowed, retryAfterMs], [burst, burst - remaining, true, 0]);
            // The bucket is full at the reported time, and not a millisecond earlier.
            assert.equal(counter.peek(key, resetAt).remaining, burst);
            if (resetAt > nowMs + 1) assert.ok(counter.peek(key, resetAt - 1).remaining < burst);
          }
        }
      },
    ),
    { numRuns: times(200) },
  );
});

test("a window agrees with its reference model for all charges and refunds", () => {
  fc.assert(
    fc.property(moves, fc.integer({ min: 1, max: 8 }), (history, count) => {
      const counter = createRateCounter({ count, periodMs: 1000 });
      const paper = { a: createPaperWindow(count, 1000), b: createPaperWindow(count, 1000) };
      const taken: { key: "a" | "b"; cost: number; state: RateState }[] = [];
      let nowMs = 10_000;
      for (const { waitMs, key, act, cost } of history) {
        nowMs += waitMs;
        const of = key as "a" | "b";
        if (act === "take") {
          const state = counter.take(key, nowMs, cost);
          assert.equal(state.allowed, paper[of].take(nowMs, cost));
          if (state.allowed) taken.push({ key: of, cost, state });
        } else if (act === "give back") {
          const last = taken.pop();
          if (!last) continue;
          counter.refund(last.key, nowMs, last.cost, last.state);
          paper[last.key].giveBack(nowMs, last.cost, last.state.resetAt - 1000);
        } else {
          const { remaining, used, limit, allowed, retryAfterMs } = counter.peek(key, nowMs);
          assert.equal(remaining, paper[of].left(nowMs));
          assert.deepEqual([limit, used, allowed, retryAfterMs], [count, count - remaining, true, 0]);
        }
      }
    }),
    { numRuns: times(200) },
  );
});

test("peeking and refunding never reject a request", () => {
  for (const burst of [undefined, 1]) {
    const counter = createRateCounter({ count: 1, periodMs: 1000, ...(burst ? { burst } : {}) });
    const taken = counter.take("a", 5000, 1);
    const states = [counter.peek("a", 5100), counter.peek("b", 5100), counter.refund("a", 5200, 1, taken)];
    assert.deepEqual(
      states.map(({ allowed, retryAfterMs }) => [allowed, retryAfterMs]),
      [
        [true, 0],
        [true, 0],
        [true, 0],
      ],
    );
    // A key without a window has its whole quota, in a window that starts now.
    assert.equal(counter.peek("c", 7000).resetAt, burst === undefined ? 8000 : 7000);
    assert.equal(counter.refund("c", 7000, 1, taken).resetAt, burst === undefined ? 8000 : 7000);
  }
});

/** Fills the counter with its maximum number of keys, each with one request at `nowMs`. */
function takenByAll(counter: ReturnType<typeof createRateCounter>, nowMs: number): void {
  for (let holder = 0; holder < 100_000; holder += 1) counter.take(`holder ${holder}`, nowMs, 1);
}

/**
 * By 1000, all keys with a request at `startedMs` have their whole quota again, except for the key
 * with another request at `againMs`.
 */
const ofEachKind = [
  { kind: "window", bound: { count: 2, periodMs: 1000 }, startedMs: 0, againMs: 1000 },
  { kind: "bucket", bound: { count: 2, periodMs: 1000, burst: 2 }, startedMs: 500, againMs: 900 },
];

for (const { kind, bound, startedMs, againMs } of ofEachKind) {
  test(`with too many keys of a ${kind}, those with a whole quota are removed first, however recent the others are`, () => {
    const counter = createRateCounter(bound);
    takenByAll(counter, startedMs);
    counter.take("holder 0", againMs, 1);
    counter.take("one more", 1000, 1);
    assert.equal(counter.peek("holder 0", 1000).remaining, 1);
  });

  test(`if all keys of a ${kind} were charged, only the oldest tenth is removed`, () => {
    const counter = createRateCounter(bound);
    takenByAll(counter, 5000);
    counter.take("holder 99999", 5000, 1);
    assert.equal(counter.peek("holder 0", 5000).remaining, 1, "one who is known takes no place of another");
    counter.take("one more", 5000, 1);
    const left = [0, 9_999, 10_000, 99_998].map((holder) => counter.peek(`holder ${holder}`, 5000).remaining);
    assert.deepEqual(left, [2, 2, 1, 1]);
  });
}
