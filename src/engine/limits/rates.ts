/**
 * Rate limits (part 8), in memory: refilling buckets (GCRA) where a `burst` is stated, else windows that start with the first request.
 */

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
}

/** What was taken for one request. */
export interface RateTaken {
  readonly state: RateState;
  readonly cost: number;
}

/** By the place of the rate among its endpoint's. */
export type RatesTaken = (RateTaken | undefined)[];

export interface RateCounter {
  /** Takes `cost` for a key, if there is that much left. */
  take(key: string, nowMs: number, cost: number): RateState;
  /** Gives back what was taken for a request, and tells what the key has then. */
  giveBack(key: string, nowMs: number, cost: number, taken: RateState): RateState;
  /** What a key has, without taking. */
  peek(key: string, nowMs: number): RateState;
}

/** Keys kept for one limit. Beyond, those whose quota is whole are forgotten first, then the oldest. */
const keysMax = 100_000;

export function createRateCounter(bound: RateBound): RateCounter {
  return bound.burst === undefined ? createWindow(bound) : createBucket(bound, bound.burst);
}

/**
 * GCRA: one number for a key, the time at which its bucket is full again (TAT). T is the time for one unit, τ = T·burst. A request is
 * allowed if TAT' − now ≤ τ. TAT is never further ahead than τ, so that a clock set back can't lock anybody out.
 */
function createBucket(bound: RateBound, burst: number): RateCounter {
  const unit = bound.periodMs / bound.count;
  const tolerance = unit * burst;
  const fullAt = new Map<string, number>();
  const state = (at: number, nowMs: number, allowed: boolean, retryAfterMs: number): RateState => {
    const ahead = Math.max(0, at - nowMs);
    const remaining = Math.max(0, Math.floor((tolerance - ahead) / unit + 1e-9));
    return {
      allowed,
      remaining,
      used: Math.max(0, burst - remaining),
      limit: burst,
      resetAt: nowMs + ahead,
      retryAfterMs,
    };
  };
  const current = (key: string, nowMs: number) =>
    Math.min(Math.max(fullAt.get(key) ?? nowMs, nowMs), nowMs + tolerance);
  return {
    take(key, nowMs, cost) {
      const before = current(key, nowMs);
      const after = before + unit * cost;
      const over = after - nowMs - tolerance;
      if (over > 1e-6) {
        // What a clock that was set back has cut off stays cut off, else the next request would wait as long again.
        if ((fullAt.get(key) ?? before) > before) fullAt.set(key, before);
        return state(before, nowMs, false, over);
      }
      remember(fullAt, key, after, (value) => value <= nowMs);
      return state(after, nowMs, true, 0);
    },
    giveBack(key, nowMs, cost) {
      if (fullAt.has(key)) fullAt.set(key, current(key, nowMs) - unit * cost);
      return state(current(key, nowMs), nowMs, true, 0);
    },
    peek: (key, nowMs) => state(current(key, nowMs), nowMs, true, 0),
  };
}

function createWindow(bound: RateBound): RateCounter {
  const windows = new Map<string, { startedAt: number; used: number }>();
  const current = (key: string, nowMs: number) => {
    const window = windows.get(key);
    // A window that seems to start in the future belongs to a clock that was set back.
    return window && nowMs >= window.startedAt && nowMs < window.startedAt + bound.periodMs
      ? window
      : undefined;
  };
  const state = (used: number, startedAt: number, allowed: boolean, nowMs: number): RateState => ({
    allowed,
    remaining: Math.max(0, bound.count - used),
    used,
    limit: bound.count,
    resetAt: startedAt + bound.periodMs,
    retryAfterMs: allowed ? 0 : startedAt + bound.periodMs - nowMs,
  });
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
      // Another window has begun since: nothing of this one was taken.
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
    // Still full: forget the longest known tenth.
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
