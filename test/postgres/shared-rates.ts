/** Shared rates: they give the same results as rates in the memory of one process. */
import assert from "node:assert/strict";
import { createRateCounter, type RateState } from "../../src/engine/limits/rates.ts";
import { createSharedRateCounter } from "../../src/engine/limits/shared-rates.ts";
import type { SharedRates } from "../../src/store/shared.ts";
import { fc, times } from "../fixed-seed.ts";

/**
 * With random times, costs and keys.
 * @param ratesOf the rates of the instance in this run
 */
export async function sayWhatMemorySays(ratesOf: (run: number) => SharedRates, runs: number): Promise<void> {
  let run = 0;
  const step = fc.record({
    key: fc.constantFrom("a", "b"),
    aheadMs: fc.integer({ min: 0, max: 700 }),
    cost: fc.integer({ min: 0, max: 3 }),
    what: fc.constantFrom("take", "take", "take", "peek", "give back"),
  });
  const bounds = fc.record({
    count: fc.integer({ min: 1, max: 5 }),
    periodMs: fc.constantFrom(1000, 1500),
    burst: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  });
  const property = fc.asyncProperty(bounds, fc.array(step, { maxLength: 25 }), async (given, steps) => {
    const { burst, ...rest } = given;
    const bound = burst === undefined ? rest : { ...rest, burst };
    run += 1;
    const own = createRateCounter(bound);
    const shared = createSharedRateCounter(ratesOf(run), bound, `as memory ${run}`, true);
    let nowMs = 1_700_000_000_000;
    let last: { key: string; cost: number; own: RateState; shared: RateState } | undefined;
    for (const { key, aheadMs, cost, what } of steps) {
      nowMs += aheadMs;
      if (what === "give back") {
        if (!last?.own.allowed) continue;
        const left = own.refund(last.key, nowMs, last.cost, last.own);
        assert.deepEqual(plain(await shared.refund(last.key, nowMs, last.cost, last.shared)), plain(left));
        last = undefined;
      } else if (what === "peek")
        assert.deepEqual(plain(await shared.peek(key, nowMs)), plain(own.peek(key, nowMs)));
      else {
        const taken = {
          key,
          cost,
          own: own.take(key, nowMs, cost),
          shared: await shared.take(key, nowMs, cost),
        };
        assert.deepEqual(plain(taken.shared), plain(taken.own));
        last = taken;
      }
    }
  });
  await fc.assert(property, { numRuns: times(runs) });
}

/** Ignores fractions of a millisecond. */
function plain({ since: _, resetAt, retryAfterMs, ...state }: RateState) {
  return { ...state, resetAt: Math.round(resetAt), retryAfterMs: Math.round(retryAfterMs) };
}
