/**
 * Shared rates: the instances of a service count in the store, with the same buckets and windows as
 * in memory. The shared clock measures elapsed times and leads; times in a response use the clock
 * of the request.
 */
import type { RateRequest, RateRule, RateBalance, SharedRates } from "../../store/shared.ts";
import {
  type RateBound,
  type RateCounter,
  type RateState,
  bucketOf,
  bucketState,
  windowState,
} from "./rates.ts";

/**
 * @param name the name of the rate, the same on every instance
 * @param isSet whether the service's clock was set; then that clock counts
 */
export function createSharedRateCounter(
  rates: SharedRates,
  bound: RateBound,
  name: string,
  isSet: boolean,
): RateCounter {
  const rule = ruleOf(bound, name);
  const orderOf = (holder: string, nowMs: number, cost: number): RateRequest => ({
    rule,
    holder,
    cost,
    atMs: isSet ? nowMs : null,
  });
  return {
    isShared: true,
    async take(key, nowMs, cost) {
      return stateOf(bound, await rates.take(orderOf(key, nowMs, cost)), nowMs, cost);
    },
    async refund(key, nowMs, cost, charged) {
      return stateOf(bound, await rates.refund(orderOf(key, nowMs, cost), charged.since ?? 0), nowMs, 0);
    },
    async peek(key, nowMs) {
      return stateOf(bound, await rates.peek(orderOf(key, nowMs, 0)), nowMs, 0);
    },
  };
}

/**
 * Returns the rule of a rate. If the document changes a rate, instances with the new document
 * restart its count, as a single instance does at its next start.
 */
function ruleOf(bound: RateBound, rate: string): RateRule {
  const { count, periodMs, burst } = bound;
  const name = `${rate} ${count}/${periodMs}/${burst ?? "window"}`;
  if (burst === undefined) return { name, kind: "window", unitMs: periodMs, room: count };
  const { unitMs, roomMs } = bucketOf(bound, burst);
  return { name, kind: "bucket", unitMs, room: roomMs };
}

function stateOf(
  bound: RateBound,
  { isAllowed: allowed, ms, used, since }: RateBalance,
  nowMs: number,
  cost: number,
): RateState {
  const { burst } = bound;
  if (burst === undefined) {
    const startedAt = Math.round(nowMs - ms);
    return { ...windowState(bound, { used, startedAt, allowed, nowMs }), since };
  }
  const { unitMs, roomMs } = bucketOf(bound, burst);
  const retryAfterMs = allowed ? 0 : Math.max(0, ms + unitMs * cost - roomMs);
  return bucketState(bound, burst, { aheadMs: ms, nowMs, allowed, retryAfterMs });
}
