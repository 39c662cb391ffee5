/** Shared rates: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fixed-seed.ts";
import type { RateRequest, RateBalance, SharedRates } from "../../store/shared.ts";
import { createRateCounter, type RateState } from "./rates.ts";
import { createSharedRateCounter } from "./shared-rates.ts";

/**
 * A reference model of shared counting: keeps the state of each key of each rule, as a store does.
 * Only the time of a request counts.
 */
function createPaper(): { readonly rates: SharedRates; readonly requested: RateRequest[] } {
  const requested: RateRequest[] = [];
  const holders = new Map<string, { at: number; used: number }>();
  const keyOf = ({ rule, holder }: RateRequest) => `${rule.name} ${holder}`;
  /** For a bucket, `used` is the lead of the key. */
  const standing = (rateRequest: RateRequest) => {
    const { rule, atMs } = rateRequest;
    const nowMs = atMs ?? 0;
    const known = holders.get(keyOf(rateRequest)) ?? { at: nowMs, used: 0 };
    if (rule.kind === "bucket") return { at: nowMs, used: Math.max(0, known.used - (nowMs - known.at)) };
    return nowMs < known.at + rule.unitMs ? known : { at: nowMs, used: 0 };
  };
  const reported = (
    { rule, atMs }: RateRequest,
    { at, used }: { at: number; used: number },
    isAllowed = true,
  ): RateBalance =>
    rule.kind === "bucket"
      ? { isAllowed, ms: used, used: 0, since: 0 }
      : { isAllowed, ms: (atMs ?? 0) - at, used, since: at };
  const rates: SharedRates = {
    async take(rateRequest) {
      requested.push(rateRequest);
      const { at, used } = standing(rateRequest);
      const after =
        used + (rateRequest.rule.kind === "bucket" ? rateRequest.rule.unitMs : 1) * rateRequest.cost;
      if (after > rateRequest.rule.room) return reported(rateRequest, { at, used }, false);
      holders.set(keyOf(rateRequest), { at, used: after });
      return reported(rateRequest, { at, used: after });
    },
    async refund(rateRequest, since) {
      const { at, used } = standing(rateRequest);
      const isOver = rateRequest.rule.kind === "window" && at !== since;
      const back = isOver
        ? 0
        : (rateRequest.rule.kind === "bucket" ? rateRequest.rule.unitMs : 1) * rateRequest.cost;
      const left = { at, used: Math.max(0, used - back) };
      if (!isOver && holders.has(keyOf(rateRequest))) holders.set(keyOf(rateRequest), left);
      return reported(rateRequest, left);
    },
    peek: async (rateRequest) => reported(rateRequest, standing(rateRequest)),
  };
  return { rates, requested };
}

const steps = fc.array(
  fc.record({
    waitMs: fc.constantFrom(0, 0, 0, 50, 400, 1000),
    act: fc.constantFrom("take", "take", "take", "peek", "give back"),
    cost: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 5, maxLength: 30 },
);

test("shared counting gives the same results as counting in memory, for windows and buckets", async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.constantFrom(1, 2, 4, 5),
      fc.constantFrom(undefined, 1, 3),
      async (history, count, burst) => {
        const bound = { count, periodMs: 1000, ...(burst === undefined ? {} : { burst }) };
        const own = createRateCounter(bound);
        const shared = createSharedRateCounter(createPaper().rates, bound, "rate", true);
        const taken: { cost: number; own: RateState; shared: RateState }[] = [];
        let nowMs = 10_000;
        for (const { waitMs, act, cost } of history) {
          nowMs += waitMs;
          const last = act === "give back" ? taken.pop() : undefined;
          let reported: { own: RateState; shared: RateState };
          if (last)
            reported = {
              own: own.refund("a", nowMs, last.cost, last.own),
              shared: await shared.refund("a", nowMs, last.cost, last.shared),
            };
          else if (act === "take")
            reported = { own: own.take("a", nowMs, cost), shared: await shared.take("a", nowMs, cost) };
          else reported = { own: own.peek("a", nowMs), shared: await shared.peek("a", nowMs) };
          const { since: _, ...sharedState } = reported.shared;
          assert.deepEqual(sharedState, reported.own);
          if (act === "take" && reported.own.allowed) taken.push({ cost, ...reported });
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("the shared clock counts, unless the service's own clock was set", async () => {
  for (const isSet of [false, true]) {
    const { rates, requested } = createPaper();
    const counter = createSharedRateCounter(rates, { count: 1, periodMs: 1000 }, "rate", isSet);
    assert.equal(counter.isShared, true);
    await counter.take("a", 5000, 1);
    assert.deepEqual(
      requested.map(({ atMs, holder, cost }) => [atMs, holder, cost]),
      [[isSet ? 5000 : null, "a", 1]],
    );
  }
});

test("a rate that changed in the document is counted anew, and so is another rate", async () => {
  const { rates, requested } = createPaper();
  const bounds = [
    { count: 1, periodMs: 1000 },
    { count: 2, periodMs: 1000 },
    { count: 1, periodMs: 2000 },
    { count: 1, periodMs: 1000, burst: 1 },
    { count: 1, periodMs: 1000, burst: 2 },
  ];
  for (const bound of bounds) await createSharedRateCounter(rates, bound, "rate", true).take("a", 5000, 1);
  await createSharedRateCounter(rates, { count: 1, periodMs: 1000 }, "rate other", true).take("a", 5000, 1);
  assert.equal(new Set(requested.map(({ rule }) => rule.name)).size, 6);
});
