/**
 * Present activity of a data space: its traffic, due work, pending deliveries, store and process.
 */
import type { Receiver } from "../../engine/deliveries/deliveries.ts";
import type { Service } from "../../engine/service.ts";
import type { Endpoint } from "../../model/model.ts";
import type { StoreStatus } from "../../store/store.ts";
import { machine } from "../../support/machine.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { AdminSpace } from "../context.ts";
import { HourlyTraffic } from "./hourly-traffic.ts";
import { createTraffic, type LastMinute, type Traffic } from "./traffic.ts";

/** Counting stops at this number, because lists show the rest. */
const countMost = 10_001;

export interface Live {
  readonly traffic: LastMinute;
  /** Due timed transitions, counted up to 10,001, and the time of the next one. */
  readonly timers: { readonly due: number; readonly nextMs: number | null };
  /** Pending deliveries, counted up to 10,001. */
  readonly undelivered: number;
  readonly store: StoreStatus;
  readonly process: {
    readonly uptimeSeconds: number;
    readonly memoryBytes: number;
    readonly heapBytes: number;
  };
}

/** Traffic since the first call, which opening the operations address makes. */
export const trafficOf = memoizeBy((space: AdminSpace): Traffic => {
  const traffic = createTraffic();
  space.requests.watch((noted) => {
    // A streaming response is reported a second time when its stream closes.
    if (noted.stream !== "ended") traffic.count(noted);
  });
  return traffic;
});

/** Traffic of the last hour by endpoint, since the first call. The endpoint is null for other paths. */
export const hourlyTrafficOf = memoizeBy((space: AdminSpace): HourlyTraffic<Endpoint | null> => {
  const traffic = new HourlyTraffic<Endpoint | null>(machine.elapsed);
  space.requests.watch(({ stream, endpoint, status, tookMs }) => {
    if (stream === "ended") return;
    traffic.count(endpoint, status >= 500 ? "errors" : status >= 400 ? "refused" : null, tookMs);
  });
  return traffic;
});

/** The number of receivers whose attempts of the last hour are counted. */
const receiversMax = 1_000;

/** Attempts of the last hour by receiver, since the first call. */
export const attemptsOf = memoizeBy((space: AdminSpace): HourlyTraffic<string> => {
  const attempts = new HourlyTraffic<string>(machine.elapsed, receiversMax);
  const watch = (service: Service | undefined) =>
    service?.deliveries.onAttempt(({ receiver, error, durationMs }) =>
      attempts.count(receiverKey(receiver), error === null ? null : "errors", durationMs),
    );
  watch(space.service);
  space.onReplaced(watch);
  return attempts;
});

export function receiverKey({ channel, resource, row }: Receiver): string {
  return `${channel} ${resource} ${row}`;
}

export async function liveOf(space: AdminSpace): Promise<Live> {
  const { service, clock } = space;
  const { store } = service.internals.context;
  const { system } = store.session;
  const { rss, heapUsed } = process.memoryUsage();
  return {
    traffic: trafficOf(space).lastMinute(),
    timers: { due: await system.countDue(clock.now(), countMost), nextMs: await system.nextDue() },
    undelivered: await system.deliveries.countOpen(countMost),
    store: store.status(),
    process: { uptimeSeconds: Math.floor(process.uptime()), memoryBytes: rss, heapBytes: heapUsed },
  };
}
