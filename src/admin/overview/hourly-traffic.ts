/**
 * Traffic of the last hour by minute: requests of each endpoint, or attempts to each receiver.
 * Counting only increments counters; figures are computed on request. Only keys with requests take
 * memory, about 10 KiB each.
 */
import { bucketIndex } from "../../support/histogram.ts";

export const minutesRetained = 60;

/** Upper bounds of the duration buckets, in milliseconds. Each is 1.5 times the previous one. */
const boundsMs = Array.from({ length: 34 }, (_, at) => 0.1 * 1.5 ** at);

interface Minute {
  /** The number of the minute since the start. */
  at: number;
  requests: number;
  errors: number;
  refused: number;
  readonly durations: Uint32Array;
}

export interface HourOf<Key> {
  readonly key: Key;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  /** From the oldest minute to the current one. */
  readonly minutes: readonly TrafficMinute[];
}

export interface TrafficMinute {
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** How a request is counted: as neither, as an error (5xx), or as refused (4xx). */
export type Failure = "errors" | "refused" | null;

/**
 * @param nowMs a monotonic clock of real time, from any origin @param keysMax the number of keys
 * that are kept: those with the latest requests
 */
export class HourlyTraffic<Key> {
  readonly #nowMs: () => number;
  readonly #keysMax: number;
  readonly #beganMs: number;
  readonly #byKey = new Map<Key, Map<number, Minute>>();

  constructor(nowMs: () => number, keysMax = Number.POSITIVE_INFINITY) {
    this.#nowMs = nowMs;
    this.#keysMax = keysMax;
    this.#beganMs = nowMs();
  }

  count(key: Key, failure: Failure, tookMs: number): void {
    const minute = this.#current(key);
    minute.requests += 1;
    if (failure !== null) minute[failure] += 1;
    const index = bucketIndex(boundsMs, tookMs);
    minute.durations[index] = (minute.durations[index] ?? 0) + 1;
  }

  /** The keys with the most requests first. */
  lastHour(): readonly HourOf<Key>[] {
    return [...this.#byKey]
      .map(([key, minutes]) => this.#hourOf(key, minutes))
      .filter(({ requests }) => requests > 0)
      .toSorted((a, b) => b.requests - a.requests);
  }

  /** One key; undefined if it had no requests. */
  lastHourOf(key: Key): HourOf<Key> | undefined {
    const minutes = this.#byKey.get(key);
    return minutes && this.#hourOf(key, minutes);
  }

  #minuteNow(): number {
    return Math.floor((this.#nowMs() - this.#beganMs) / 60_000);
  }

  #current(key: Key): Minute {
    const at = this.#minuteNow();
    const minutes = this.#byKey.get(key) ?? new Map<number, Minute>();
    const slot = at % minutesRetained;
    let minute = minutes.get(slot);
    if (minute?.at !== at) {
      // Keys are in the order of their latest minute with requests.
      this.#byKey.delete(key);
      this.#byKey.set(key, minutes);
      for (const oldest of this.#byKey.keys()) {
        if (this.#byKey.size <= this.#keysMax) break;
        this.#byKey.delete(oldest);
      }
    }
    if (!minute) {
      minute = { at, requests: 0, errors: 0, refused: 0, durations: new Uint32Array(boundsMs.length + 1) };
      minutes.set(slot, minute);
    }
    if (minute.at !== at) {
      minute.durations.fill(0);
      Object.assign(minute, { at, requests: 0, errors: 0, refused: 0 });
    }
    return minute;
  }

  #hourOf(key: Key, minutes: ReadonlyMap<number, Minute>): HourOf<Key> {
    const last = this.#minuteNow();
    const first = Math.max(0, last - minutesRetained + 1);
    const all = Array.from({ length: last - first + 1 }, (_, index) => {
      const minute = minutes.get((first + index) % minutesRetained);
      return minute?.at === first + index ? minute : undefined;
    });
    const there = all.filter((minute) => minute !== undefined);
    const sum = (of: (minute: Minute) => number) => there.reduce((total, minute) => total + of(minute), 0);
    return {
      key,
      requests: sum(({ requests }) => requests),
      errors: sum(({ errors }) => errors),
      refused: sum(({ refused }) => refused),
      p50Ms: quantile(there, 0.5),
      p95Ms: quantile(there, 0.95),
      p99Ms: quantile(there, 0.99),
      minutes: all.map((minute) => ({
        requests: minute?.requests ?? 0,
        errors: minute?.errors ?? 0,
        refused: minute?.refused ?? 0,
        p50Ms: minute ? quantile([minute], 0.5) : null,
        p95Ms: minute ? quantile([minute], 0.95) : null,
      })),
    };
  }
}

/** The bucket bound that this share of the requests doesn't exceed. */
function quantile(minutes: readonly Minute[], share: number): number | null {
  const requests = minutes.reduce((total, minute) => total + minute.requests, 0);
  if (requests === 0) return null;
  let left = share * requests;
  let last = 0;
  for (const [index, bound] of boundsMs.entries()) {
    last = bound;
    left -= minutes.reduce((total, { durations }) => total + (durations[index] ?? 0), 0);
    if (left <= 0) break;
  }
  return Number(last.toPrecision(2));
}
