/**
 * Rate limits (part 8): refilling buckets (GCRA) if a `burst` is stated, else windows that start
 * with the first request. A single instance counts in memory, several count in shared storage
 * (`shared-rates.ts`). Both create their results here.
 */
import type { Awaitable } from "../../support/awaitable.ts";

export interface RateBound {
  /** Requests (or cost) per period. */
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
  /** How long to wait for a request of this cost, in milliseconds; 0 where it is allowed. */
  readonly retryAfterMs: number;
  /** Which window it is, where instances share it. */
  readonly since?: number;
}

/** What was charged for one request. */
export interface RateTaken {
  readonly state: RateState;
  readonly cost: number;
}

/** The state of a request's rates, by their index at its endpoint. */
export interface RatesTaken {
  readonly taken: (RateTaken | undefined)[];
  /** The states of the other keys, so that reporting them needs no further request. */
  readonly remaining: (RateState | undefined)[];
}

export interface RateCounter {
  /** Takes `cost` for a key, if there is that much left. */
  take(key: string, nowMs: number, cost: number): Awaitable<RateState>;
  /** Refunds the charge of a request, and returns the key's state after that. */
  giveBack(key: string, nowMs: number, cost: number, taken: RateState): Awaitable<RateState>;
  /** What a key has, without taking. */
  peek(key: string, nowMs: number): Awaitable<RateState>;
  /** The count is in shared storage, which may take a while to answer. */
  readonly isShared?: true;
}

/** In memory. */
export interface OwnRateCounter extends RateCounter {
  take(key: string, nowMs: number, cost: number): RateState;
  giveBack(key: string, nowMs: number, cost: number, taken: RateState): RateState;
  peek(key: string, nowMs: number): RateState;
}

/**
 * Maximum number of keys for one limit. Beyond, those with a full quota are forgotten first, then
 * the oldest.
 */
const keysMax = 100_000;

export function createRateCounter(bound: RateBound): OwnRateCounter {
  return bound.burst === undefined ? createWindow(bound) : createBucket(bound, bound.burst);
}

/**
 * How far a bucket that is full may be emptied, and how long one unit takes to come back, in
 * milliseconds.
 */
export function bucketOf(
  bound: RateBound,
  burst: number,
): { readonly unitMs: number; readonly roomMs: number } {
  const unitMs = bound.periodMs / bound.count;
  return { unitMs, roomMs: unitMs * burst };
}

/** A bucket that is full in `aheadMs`. */
export function bucketState(
  bound: RateBound,
  burst: number,
  { aheadMs, nowMs, allowed, retryAfterMs }: BucketStanding,
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

interface BucketStanding {
  readonly aheadMs: number;
  readonly nowMs: number;
  readonly allowed: boolean;
  readonly retryAfterMs: number;
}

/** A window that began at `startedAt`. */
export function windowState(
  bound: RateBound,
  { used, startedAt, allowed, nowMs }: WindowStanding,
): RateState {
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

interface WindowStanding {
  readonly used: number;
  readonly startedAt: number;
  readonly allowed: boolean;
  readonly nowMs: number;
}

/**
 * GCRA: stores how far ahead the time is at which a key's bucket is full again. A request of cost c
 * is allowed if that lead plus c·T is at most τ = T·burst, T being the time for one unit. The lead
 * never exceeds τ, so that a clock that is set back locks no caller out. The bucket stores the lead
 * at the last request rather than the time itself: numbers as large as times lose parts of a
 * millisecond.
 */
function createBucket(bound: RateBound, burst: number): OwnRateCounter {
  const { unitMs: unit, roomMs: tolerance } = bucketOf(bound, burst);
  const buckets = new Map<string, { atMs: number; aheadMs: number }>();
  const state = (aheadMs: number, nowMs: number, allowed: boolean, retryAfterMs: number): RateState =>
    bucketState(bound, burst, { aheadMs, nowMs, allowed, retryAfterMs });
  const ahead = (key: string, nowMs: number) => {
    const bucket = buckets.get(key);
    return bucket ? Math.min(Math.max(0, bucket.aheadMs - (nowMs - bucket.atMs)), tolerance) : 0;
  };
  return {
    take(key, nowMs, cost) {
      const before = ahead(key, nowMs);
      const after = before + unit * cost;
      const over = after - tolerance;
      if (over > 1e-6) {
        // What a clock that was set back has cut off stays cut off, else the next request would
        // wait as long again.
        if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: before });
        return state(before, nowMs, false, over);
      }
      remember(buckets, key, { atMs: nowMs, aheadMs: after }, (item) => item.atMs + item.aheadMs <= nowMs);
      return state(Math.max(0, after), nowMs, true, 0);
    },
    giveBack(key, nowMs, cost) {
      const left = Math.max(0, ahead(key, nowMs) - unit * cost);
      if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: left });
      return state(ahead(key, nowMs), nowMs, true, 0);
    },
    peek: (key, nowMs) => state(ahead(key, nowMs), nowMs, true, 0),
  };
}

function createWindow(bound: RateBound): OwnRateCounter {
  const windows = new Map<string, { startedAt: number; used: number }>();
  const current = (key: string, nowMs: number) => {
    const window = windows.get(key);
    // A window that seems to start in the future belongs to a clock that was set back.
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
    giveBack(key, nowMs, cost, taken) {
      const window = current(key, nowMs);
      // Another window has started since, which was not charged.
      if (window && window.startedAt + bound.periodMs === taken.resetAt)
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
    for (const [other, kept] of map) if (isWhole(kept)) map.delete(other);
    // Still too many: forget the oldest tenth.
    if (map.size >= keysMax) {
      let left = keysMax / 10;
      for (const other of map.keys()) {
        map.delete(other);
        left -= 1;
        if (left <= 0) break;
      }
    }
  }
  map.set(key, value);
}
