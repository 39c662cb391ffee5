/**
 * Traffic of the last hour by endpoint and minute. Counting a request only increments counters;
 * figures are computed on request. Only endpoints with requests take memory, about 10 KiB each.
 */
import type { Endpoint } from "../../model/model.ts";
import { bucketIndex } from "../../support/histogram.ts";
import type { CountedRequest } from "./traffic.ts";

export const minutesRetained = 60;

/** Upper bounds of the duration buckets, in milliseconds. Each is 1.5 times the previous one. */
const boundsMs = Array.from({ length: 34 }, (_, at) => 0.1 * 1.5 ** at);

interface Minute {
  /** The number of the minute since the start. */
  at: number;
  requests: number;
  errors: number;
  refused: number;
  readonly took: Uint32Array;
}

export interface EndpointTraffic {
  /** Null for requests whose path has no endpoint. */
  readonly endpoint: Endpoint | null;
  readonly requests: number;
  /** Responses with 5xx; `refused` counts those with 4xx. */
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

export interface HourlyTraffic {
  count(request: CountedRequest): void;
  /** The endpoints with the most requests first. */
  lastHour(): readonly EndpointTraffic[];
}

/** @param nowMs a monotonic clock of real time, from any origin */
export function createHourlyTraffic(nowMs: () => number): HourlyTraffic {
  const beganMs = nowMs();
  const byEndpoint = new Map<Endpoint | null, Map<number, Minute>>();
  const minuteNow = () => Math.floor((nowMs() - beganMs) / 60_000);

  const current = (endpoint: Endpoint | null): Minute => {
    const at = minuteNow();
    const minutes = byEndpoint.get(endpoint) ?? new Map<number, Minute>();
    byEndpoint.set(endpoint, minutes);
    const slot = at % minutesRetained;
    let minute = minutes.get(slot);
    if (!minute) {
      minute = { at, requests: 0, errors: 0, refused: 0, took: new Uint32Array(boundsMs.length + 1) };
      minutes.set(slot, minute);
    }
    if (minute.at !== at) {
      minute.took.fill(0);
      Object.assign(minute, { at, requests: 0, errors: 0, refused: 0 });
    }
    return minute;
  };

  const trafficOf = (endpoint: Endpoint | null, minutes: ReadonlyMap<number, Minute>): EndpointTraffic => {
    const last = minuteNow();
    const first = Math.max(0, last - minutesRetained + 1);
    const all = Array.from({ length: last - first + 1 }, (_, index) => {
      const minute = minutes.get((first + index) % minutesRetained);
      return minute?.at === first + index ? minute : undefined;
    });
    const there = all.filter((minute) => minute !== undefined);
    const sum = (of: (minute: Minute) => number) => there.reduce((total, minute) => total + of(minute), 0);
    return {
      endpoint,
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
  };

  return {
    count({ endpoint, status, tookMs }) {
      const minute = current(endpoint);
      minute.requests += 1;
      if (status >= 500) minute.errors += 1;
      else if (status >= 400) minute.refused += 1;
      const index = bucketIndex(boundsMs, tookMs);
      minute.took[index] = (minute.took[index] ?? 0) + 1;
    },
    lastHour: () =>
      [...byEndpoint]
        .map(([endpoint, minutes]) => trafficOf(endpoint, minutes))
        .filter(({ requests }) => requests > 0)
        .toSorted((a, b) => b.requests - a.requests),
  };
}

/** The bucket bound that this share of the requests doesn't exceed. */
function quantile(minutes: readonly Minute[], share: number): number | null {
  const requests = minutes.reduce((total, minute) => total + minute.requests, 0);
  if (requests === 0) return null;
  let left = share * requests;
  let last = 0;
  for (const [index, bound] of boundsMs.entries()) {
    last = bound;
    left -= minutes.reduce((total, { took }) => total + (took[index] ?? 0), 0);
    if (left <= 0) break;
  }
  return Number(last.toPrecision(2));
}
