/**
 * Traffic counters: requests, their results and durations, for the last minute by second, and for
 * each endpoint since the start. Counting a request only increments counters; figures are computed
 * on request.
 */
import { nonNull } from "../../support/non-null.ts";
import { methodOf } from "../../engine/observability/request-span.ts";
import type { Endpoint } from "../../model/model.ts";
import { Histogram, bucketIndex } from "../../support/histogram.ts";
import { machine } from "../../support/machine.ts";

/** The counted properties of a request. */
export interface CountedRequest {
  readonly endpoint: Endpoint | null;
  readonly method: string;
  readonly status: number;
  readonly tookMs: number;
}

export interface LastMinute {
  /** The average over the last complete seconds, about ten of them. */
  readonly perSecond: number;
  readonly requests: number;
  /** The share of responses with 5xx, from 0 to 1. */
  readonly errorShare: number;
  /** The share of responses with 4xx, from 0 to 1. */
  readonly refusedShare: number;
  /** The median duration; null without requests. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Requests in each second, oldest first, without the current one. */
  readonly history: readonly number[];
}

/** Requests of one kind since the start, by duration in milliseconds. */
export interface KindOfRequest {
  /** Null for requests whose path has no endpoint. */
  readonly endpoint: Endpoint | null;
  /** `_OTHER` for unknown methods. */
  readonly method: string;
  readonly status: number;
  readonly durations: Histogram;
}

export interface Traffic {
  count(request: CountedRequest): void;
  lastMinute(): LastMinute;
  byKind(): readonly KindOfRequest[];
}

/** Upper bounds of the duration buckets, in milliseconds. Each is 1.25 times the previous one. */
const fineBoundsMs = Array.from({ length: 64 }, (_, at) => 0.05 * 1.25 ** at);
/** Coarser bounds for metrics, in milliseconds: those of OpenTelemetry's conventions. */
export const boundsMs = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000] as const;

const secondsRetained = 60;
const secondsOfRate = 10;

interface Second {
  /** The number of the second since the start; -1 before its first use. */
  at: number;
  requests: number;
  errors: number;
  refused: number;
  readonly durations: Uint32Array;
}

/** @param nowMs a monotonic clock of real time, from any origin */
export function createTraffic(nowMs: () => number = machine.elapsed): Traffic {
  const beganMs = nowMs();
  // One more than reported, because the current second is incomplete.
  const seconds: readonly Second[] = Array.from({ length: secondsRetained + 1 }, () => ({
    at: -1,
    requests: 0,
    errors: 0,
    refused: 0,
    durations: new Uint32Array(fineBoundsMs.length + 1),
  }));
  // An endpoint has few kinds, so a linear search is fast.
  const kinds = new Map<Endpoint | null, KindOfRequest[]>();
  const secondNow = () => Math.floor((nowMs() - beganMs) / 1000);

  const current = (): Second => {
    const at = secondNow();
    const second = seconds[at % seconds.length] as Second;
    if (second.at === at) return second;
    second.durations.fill(0);
    return Object.assign(second, { at, requests: 0, errors: 0, refused: 0 });
  };

  const kindOf = (endpoint: Endpoint | null, method: string, status: number): KindOfRequest => {
    const known = kinds.get(endpoint) ?? [];
    const found = known.find((kind) => kind.status === status && kind.method === method);
    if (found) return found;
    const made = { endpoint, method, status, durations: new Histogram(boundsMs) };
    kinds.set(endpoint, [...known, made]);
    return made;
  };

  return {
    count({ endpoint, method, status, tookMs }) {
      const second = current();
      second.requests += 1;
      if (status >= 500) second.errors += 1;
      else if (status >= 400) second.refused += 1;
      const index = bucketIndex(fineBoundsMs, tookMs);
      second.durations[index] = (second.durations[index] as number) + 1;
      kindOf(endpoint, methodOf(method), status).durations.add(tookMs);
    },
    lastMinute() {
      const now = secondNow();
      const first = Math.max(0, now - secondsRetained);
      const fullSeconds = Array.from({ length: now - first }, (_, index) => {
        const second = seconds[(first + index) % seconds.length] as Second;
        return second.at === first + index ? second : undefined;
      });
      const there = fullSeconds.filter((second) => second !== undefined);
      const requests = sumOf(there, (second) => second.requests);
      const recent = fullSeconds.slice(-secondsOfRate);
      const share = (count: number) => (requests === 0 ? 0 : count / requests);
      return {
        perSecond: recent.length === 0 ? 0 : sumOf(recent, (second) => second?.requests ?? 0) / recent.length,
        requests,
        errorShare: share(sumOf(there, (second) => second.errors)),
        refusedShare: share(sumOf(there, (second) => second.refused)),
        p50Ms: quantile(there, requests, 0.5),
        p95Ms: quantile(there, requests, 0.95),
        history: fullSeconds.map((second) => second?.requests ?? 0),
      };
    },
    byKind: () => [...kinds.values()].flat(),
  };
}

function sumOf<T>(all: readonly T[], of: (item: T) => number): number {
  return all.reduce((sum, item) => sum + of(item), 0);
}

/** The bucket bound that this share of the requests doesn't exceed. */
function quantile(seconds: readonly Second[], requests: number, share: number): number | null {
  if (requests === 0) return null;
  let left = share * requests;
  for (let index = 0; index < fineBoundsMs.length; index += 1) {
    left -= sumOf(seconds, ({ durations }) => durations[index] as number);
    if (left <= 0) return rounded(fineBoundsMs[index] as number);
  }
  return rounded(nonNull(fineBoundsMs.at(-1)));
}

function rounded(milliseconds: number): number {
  return Number(milliseconds.toPrecision(2));
}
