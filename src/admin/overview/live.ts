/**
 * The present activity of a data space: its traffic, due work, pending deliveries, its store, and
 * its process.
 */
import type { StoreStatus } from "../../store/store.ts";
import { machine } from "../../support/machine.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { AdminSpace } from "../context.ts";
import { createHourlyTraffic, type HourlyTraffic } from "./hourly-traffic.ts";
import { createTraffic, type LastMinute, type Traffic } from "./traffic.ts";

/** The count stops here: the rows themselves show the rest. */
const countMost = 10_001;

export interface Live {
  readonly traffic: LastMinute;
  /**
   * Timed transitions that are due and not done, counted up to 10,001, and when the next one is
   * due.
   */
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

/** Counts from its first use, which is when the operations address opens. */
export const trafficOf = memoizeBy((space: AdminSpace): Traffic => {
  const traffic = createTraffic();
  space.requests.watch((noted) => {
    // A streaming response is reported again when its stream closes.
    if (noted.stream !== "ended") traffic.count(noted);
  });
  return traffic;
});

/** The same for the last hour, by endpoint. */
export const hourlyTrafficOf = memoizeBy((space: AdminSpace): HourlyTraffic => {
  const traffic = createHourlyTraffic(machine.elapsed);
  space.requests.watch((noted) => {
    if (noted.stream !== "ended") traffic.count(noted);
  });
  return traffic;
});

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
