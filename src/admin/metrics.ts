/**
 * Prometheus metrics at `/metrics`. Names and labels follow OpenTelemetry's conventions where these
 * exist. Requests are labelled with the document's endpoints and never with requested paths, so
 * clients can't create labels. Values are read on request; only commits and the event loop are
 * observed continuously. In a sandbox the metrics describe the default data space, and each figure
 * says so.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { routeOf } from "../engine/observability/request-span.ts";
import type { Service } from "../engine/service.ts";
import type { CommittedDeliveries } from "../store/deliveries.ts";
import { Histogram } from "../support/histogram.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import type { AdminContext, AdminSpace } from "./context.ts";
import { liveOf, trafficOf } from "./overview/live.ts";
import { counter, gauge, histogramHead, histogramLines, type Labels } from "./prometheus-text.ts";
import { machine } from "../support/machine.ts";

/** How often the event loop is sampled, in milliseconds. */
const lookEveryMs = 20;

/** Delay of the event loop of this process, independent of any service. */
const loopDelay = monitorEventLoopDelay({ resolution: lookEveryMs });

/** Upper bounds of the commit durations, in milliseconds. */
const commitBoundsMs = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000] as const;

/** Durations of commits with changes, observed from the first call. */
export const commitsOf = memoizeBy((admin: AdminContext): Histogram => {
  loopDelay.enable();
  const commits = new Histogram(commitBoundsMs);
  const watch = async () => {
    const { service, onReplaced } = await admin.space();
    const listen = ({ internals }: Service) =>
      internals.context.store.onCommit(({ tookMs }) => {
        if (tookMs !== undefined) commits.add(tookMs);
      });
    let stop = listen(service);
    onReplaced((next) => {
      stop();
      if (next) stop = listen(next);
    });
  };
  // Requests report a data space that can't be opened.
  watch().catch(() => {});
  return commits;
});

/** The number of series written in one tick: their text takes much less than a millisecond. */
const kindsAtOnce = 50;

export async function metricsText(admin: AdminContext): Promise<string> {
  const space = await admin.space();
  const leave = await space.enter();
  try {
    const labels: Labels = admin.spaces ? { space: space.name } : {};
    const lines = [...processMetrics(admin)];
    // Counting thousands of open deliveries gets a tick of its own.
    await turnOfTheLoop();
    lines.push(...(await storeMetrics(admin, space, labels)));
    for await (const piece of requestMetrics(admin, space, labels)) lines.push(piece);
    return lines.join("");
  } finally {
    leave();
  }
}

/**
 * Writes the request metrics piece by piece, each in its own tick of the event loop, so that no
 * request waits for all of them.
 */
async function* requestMetrics(
  { model }: AdminContext,
  space: AdminSpace,
  labels: Labels,
): AsyncGenerator<string> {
  const name = "http_server_request_duration_seconds";
  yield gauge(
    "http_server_active_requests",
    "Requests in progress.",
    space.service.internals.requestsInProgress(),
    labels,
  );
  yield histogramHead(
    name,
    "Duration of responses, by endpoint of the document; for a stream, until its start.",
  );
  for (const [at, { endpoint, method, status, durations }] of trafficOf(space).byKind().entries()) {
    if (at % kindsAtOnce === 0) await turnOfTheLoop();
    yield histogramLines(name, durations, {
      http_request_method: method,
      http_route: endpoint ? routeOf(model, endpoint) : "",
      http_response_status_code: String(status),
      ...labels,
    });
  }
}

async function storeMetrics(
  admin: AdminContext,
  space: AdminSpace,
  labels: Labels,
): Promise<readonly string[]> {
  const live = await liveOf(space);
  const { system } = space.service.internals.context.store.session;
  const { bytes, logBytes, freeBytes, obstacle } = live.store;
  const commits = "ninefold_commit_duration_seconds";
  return [
    histogramHead(commits, "Duration of making changes durable."),
    histogramLines(commits, commitsOf(admin), labels),
    gauge(
      "ninefold_timers_due",
      "Timed transitions that are due and not done, counted up to 10001.",
      live.timers.due,
      labels,
    ),
    gauge("ninefold_deliveries_open", "Pending deliveries, counted up to 10001.", live.undelivered, labels),
    gauge(
      "ninefold_delivery_oldest_seconds",
      "Age of the oldest due delivery.",
      await longestDueSeconds(system.deliveries, space.clock.now()),
      labels,
    ),
    counter(
      "ninefold_events_total",
      "Events stored since the store was created.",
      (await system.logSpan()).last,
      labels,
    ),
    gauge("ninefold_store_bytes", "Size of the store.", bytes, labels),
    gauge("ninefold_store_log_bytes", "Size of the write-ahead log.", logBytes, labels),
    ...(freeBytes === null
      ? []
      : [gauge("ninefold_store_free_bytes", "Free space for the store.", freeBytes, labels)]),
    gauge(
      "ninefold_store_trouble",
      "1 if the next change can't be stored.",
      obstacle === null ? 0 : 1,
      labels,
    ),
  ];
}

function processMetrics({ ninefold, model }: AdminContext): readonly string[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const lag = loopLag(loopDelay);
  loopDelay.reset();
  const since = "Event loop delay since the previous scrape";
  const about = { version: ninefold, node: process.version, document: model.name };
  return [
    gauge("ninefold_info", "The running version.", 1, about),
    gauge("nodejs_eventloop_lag_seconds", `${since}, on average.`, lag.mean),
    gauge("nodejs_eventloop_lag_p99_seconds", `${since}, but for 1 time in 100.`, lag.p99),
    gauge("nodejs_eventloop_lag_max_seconds", `${since}, at most.`, lag.max),
    counter("process_cpu_seconds_total", "Processor time of the process.", (user + system) / 1e6),
    gauge("process_resident_memory_bytes", "Memory of the process.", rss),
    gauge("nodejs_heap_size_used_bytes", "Memory of the heap's objects.", heapUsed),
    gauge(
      "process_start_time_seconds",
      "Start time, in seconds since 1970.",
      Math.round(machine.now() / 1000 - process.uptime()),
    ),
  ];
}

type LoopDelay = Pick<typeof loopDelay, "count" | "mean" | "max" | "percentile">;

/** Event loop lag in seconds: the measured time between two samples minus the sampling interval. */
export function loopLag(measured: LoopDelay): Readonly<Record<"mean" | "p99" | "max", number>> {
  const lagSeconds = (nanoseconds: number) =>
    measured.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - lookEveryMs / 1000);
  return {
    mean: lagSeconds(measured.mean),
    p99: lagSeconds(measured.percentile(99)),
    max: lagSeconds(measured.max),
  };
}

/** The age of the longest overdue delivery, in seconds. */
async function longestDueSeconds(deliveries: CommittedDeliveries, nowMs: number): Promise<number> {
  const waits: number[] = [0];
  for (const isFailing of [false, true]) {
    const [receiver] = await deliveries.dueReceivers(nowMs, isFailing, 1);
    const [first] = receiver ? await deliveries.due(receiver, nowMs, 1) : [];
    if (first) waits.push((nowMs - (first.dueAt ?? nowMs)) / 1000);
  }
  return Math.max(...waits);
}
