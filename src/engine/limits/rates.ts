/**
 * Rate limits (part 8): refilling buckets (GCRA) if the document states a `burst`, otherwise
 * windows that start with the first request. A single instance counts in memory, several instances
 * count in shared storage (`shared-rates.ts`). Both kinds create their results here.
 */
import type { Awaitable } from "../../support/awaitable.ts";

export interface RateBound {
  /** Number of requests, or total cost, per period. */
  readonly count: number;
  readonly periodMs: number;
  readonly burst?: number;
}

export interface RateState {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly used: number;
  readonly limit: number;
  /** When the quota is whole again, in milliseconds since 1970. */
  readonly resetAt: number;
  /**
   * How long the client must wait before a request of this cost, in milliseconds; 0 if the request
   * is allowed.
   */
  readonly retryAfterMs: number;
  /** The id of the window, if instances share it. */
  readonly since?: number;
}

/** The charge of one request for one rate. */
export interface RateCharge {
  readonly state: RateState;
  readonly cost: number;
}

/** The charges of a request, by the index of the rate at its endpoint. */
export interface RateCharges {
  readonly charged: (RateCharge | undefined)[];
  /** The states of rates without a charge, so that the headers need no further query. */
  readonly remaining: (RateState | undefined)[];
}

export interface RateCounter {
  /** Charges `cost` to a key, if its quota allows it. */
  take(key: string, nowMs: number, cost: number): Awaitable<RateState>;
  /** Refunds the charge of a request, and returns the new state of the key. */
  refund(key: string, nowMs: number, cost: number, charged: RateState): Awaitable<RateState>;
  /** Returns the state of a key without a charge. */
  peek(key: string, nowMs: number): Awaitable<RateState>;
  /** Whether the count is in shared storage, whose response may take a while. */
  readonly isShared?: true;
}

/** A counter in memory. */
export interface OwnRateCounter extends RateCounter {
  take(key: string, nowMs: number, cost: number): RateState;
  refund(key: string, nowMs: number, cost: number, charged: RateState): RateState;
  peek(key: string, nowMs: number): RateState;
}

/**
 * Maximum number of keys for one limit. If there are more, the counter removes keys with a whole
 * quota first, then the oldest keys.
 */
const keysMax = 100_000;

export function createRateCounter(bound: RateBound): OwnRateCounter {
  return bound.burst === undefined ? createWindow(bound) : createBucket(bound, bound.burst);
}

/**
 * Returns the capacity of a bucket and the time in which one unit refills, both in milliseconds.
 */
export function bucketOf(
  bound: RateBound,
  burst: number,
): { readonly unitMs: number; readonly roomMs: number } {
  const unitMs = bound.periodMs / bound.count;
  return { unitMs, roomMs: unitMs * burst };
}

/** Creates the state of a bucket that is full in `aheadMs`. */
export function bucketState(
  bound: RateBound,
  burst: number,
  { aheadMs, nowMs, allowed, retryAfterMs }: BucketBalance,
): RateState {
  const { unitMs, roomMs } = bucketOf(bound, burst);
  const remaining = Math.max(0, Math.floor((roomMs - aheadMs) / unitMs + 1e-9));
  return {
    allowed,
    remaining,
    used: Math.max(0, burst - remaining),
    limit: burst,
    resetAt: nowMs + aheadMs,
    retryAfterMs,
  };
}

interface BucketBalance {
  readonly aheadMs: number;
  readonly nowMs: number;
  readonly allowed: boolean;
  readonly retryAfterMs: number;
}

/** Creates the state of a window that started at `startedAt`. */
export function windowState(bound: RateBound, { used, startedAt, allowed, nowMs }: WindowBalance): RateState {
  const resetAt = startedAt + bound.periodMs;
  return {
    allowed,
    remaining: Math.max(0, bound.count - used),
    used,
    limit: bound.count,
    resetAt,
    retryAfterMs: allowed ? 0 : resetAt - nowMs,
  };
}

interface WindowBalance {
  readonly used: number;
  readonly startedAt: number;
  readonly allowed: boolean;
  readonly nowMs: number;
}

/**
 * GCRA: the lead is the time until a key's bucket is full again. A request of cost c is allowed if
 * the lead plus c·T is at most τ = T·burst, where T is the time for one unit. The lead never
 * exceeds τ, so a clock that is set back locks no caller out. The bucket stores the lead at the
 * last request rather than the time itself, because large numbers lose fractions of a millisecond.
 */
function createBucket(bound: RateBound, burst: number): OwnRateCounter {
  const { unitMs: unit, roomMs: tolerance } = bucketOf(bound, burst);
  const buckets = new Map<string, { atMs: number; aheadMs: number }>();
  const state = (aheadMs: number, nowMs: number, allowed: boolean, retryAfterMs: number): RateState =>
    bucketState(bound, burst, { aheadMs, nowMs, allowed, retryAfterMs });
  const aheadOf = (key: string, nowMs: number) => {
    const bucket = buckets.get(key);
    return bucket ? Math.min(Math.max(0, bucket.aheadMs - (nowMs - bucket.atMs)), tolerance) : 0;
  };
  return {
    take(key, nowMs, cost) {
      const before = aheadOf(key, nowMs);
      const after = before + unit * cost;
      const over = after - tolerance;
      if (over > 1e-6) {
        // A lead that was reduced for a clock that was set back stays reduced. Otherwise the next
        // request would wait as long again.
        if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: before });
        return state(before, nowMs, false, over);
      }
      remember(buckets, key, { atMs: nowMs, aheadMs: after }, (item) => item.atMs + item.aheadMs <= nowMs);
      return state(Math.max(0, after), nowMs, true, 0);
    },
    refund(key, nowMs, cost) {
      const left = Math.max(0, aheadOf(key, nowMs) - unit * cost);
      if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: left });
      return state(aheadOf(key, nowMs), nowMs, true, 0);
    },
    peek: (key, nowMs) => state(aheadOf(key, nowMs), nowMs, true, 0),
  };
}

function createWindow(bound: RateBound): OwnRateCounter {
  const windows = new Map<string, { startedAt: number; used: number }>();
  const current = (key: string, nowMs: number) => {
    const window = windows.get(key);
    // A window that starts in the future comes from a clock that was set back.
    return window && nowMs >= window.startedAt && nowMs < window.startedAt + bound.periodMs
      ? window
      : undefined;
  };
  const state = (used: number, startedAt: number, allowed: boolean, nowMs: number): RateState =>
    windowState(bound, { used, startedAt, allowed, nowMs });
  return {
    take(key, nowMs, cost) {
      const window = current(key, nowMs) ?? { startedAt: nowMs, used: 0 };
      if (window.used + cost > bound.count) return state(window.used, window.startedAt, false, nowMs);
      window.used += cost;
      remember(windows, key, window, (value) => value.startedAt + bound.periodMs <= nowMs);
      return state(window.used, window.startedAt, true, nowMs);
    },
    refund(key, nowMs, cost, charged) {
      const window = current(key, nowMs);
      // A newer window has started, which the request did not charge.
      if (window && window.startedAt + bound.periodMs === charged.resetAt)
        window.used = Math.max(0, window.used - cost);
      return state(window?.used ?? 0, window?.startedAt ?? nowMs, true, nowMs);
    },
    peek(key, nowMs) {
      const window = current(key, nowMs);
      return state(window?.used ?? 0, window?.startedAt ?? nowMs, true, nowMs);
    },
  };
}

function remember<T>(map: Map<string, T>, key: string, value: T, isWhole: (value: T) => boolean): void {
  if (map.size >= keysMax && !map.has(key)) {
    for (const [mapKey, kept] of map) if (isWhole(kept)) map.delete(mapKey);
    // The map is still full: remove the oldest tenth.
    if (map.size >= keysMax) {
      let left = keysMax / 10;
      for (const mapKey of map.keys()) {
        map.delete(mapKey);
        left -= 1;
        if (left <= 0) break;
      }
    }
  }
  map.set(key, value);
}
