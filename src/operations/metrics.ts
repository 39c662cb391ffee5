/**
 * `/metrics`, in the text format of Prometheus. Requests are told of by the document's endpoints and never by the paths that were asked for,
 * so that nobody outside can make more of them. All is read when it is asked for; only commits and the event loop are watched. Of a sandbox
 * it is the data space of requests that name none, and each of its figures says so.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Service } from "../engine/service.ts";
import type { CommittedDeliveries } from "../store/deliveries.ts";
import { oncePer } from "../support/once-per.ts";
import type { Operated, OperatedSpace } from "./operated.ts";
import { liveOf, trafficOf } from "./overview/live.ts";
import { boundsMs, type EndpointTraffic } from "./overview/traffic.ts";

/** The media type of the format. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number, suffix?: string];

interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Of the process, whatever is served in it. */
const loopDelay = monitorEventLoopDelay({ resolution: 20 });

/** What has to be watched from the start: how many commits have changed something. */
export const commitsOf = oncePer((operated: Operated): (() => number) => {
  loopDelay.enable();
  let commits = 0;
  const watch = async () => {
    const { service, onReplaced } = await operated.space();
    const listen = ({ inside }: Service) =>
      inside.context.store.onCommit(() => {
        commits += 1;
      });
    let stop = listen(service);
    onReplaced((next) => {
      stop();
      if (next) stop = listen(next);
    });
  };
  // A data space that can't be opened is told of where it is asked for.
  watch().catch(() => {});
  return () => commits;
});

export async function metricsText(operated: Operated): Promise<string> {
  const space = await operated.space();
  const leave = await space.enter();
  try {
    return await metricsOf(operated, space);
  } finally {
    leave();
  }
}

async function metricsOf(operated: Operated, space: OperatedSpace): Promise<string> {
  const live = await liveOf(space);
  const { store } = space.service.inside.context;
  const { system } = store.session;
  const longestDue = await longestDueSeconds(system.deliveries, space.clock.now());
  const cpu = process.cpuUsage();
  const metrics: readonly Metric[] = [
    gauge("ninefold_info", "What runs here.", [
      [{ version: operated.ninefold, node: process.version, document: operated.model.name }, 1],
    ]),
    ...requestMetrics(trafficOf(space).byEndpoint()),
    gauge(
      "ninefold_timers_due",
      "Timed transitions that are due and not done, counted up to 1001.",
      live.timers.due,
    ),
    gauge("ninefold_deliveries_open", "Deliveries still to be made, counted up to 10001.", live.undelivered),
    gauge(
      "ninefold_delivery_longest_due_seconds",
      "How long the delivery that waits longest has been due.",
      longestDue,
    ),
    counter("ninefold_events_total", "Events that were ever stored.", (await system.logSpan()).last),
    counter("ninefold_commits_total", "Commits that changed something.", commitsOf(operated)()),
    gauge("ninefold_store_bytes", "What the store takes.", live.store.bytes),
    gauge(
      "ninefold_store_log_bytes",
      "Changes that are safe, and not yet in their place.",
      live.store.logBytes,
    ),
    gauge(
      "ninefold_store_free_bytes",
      "What is left for the store.",
      live.store.freeBytes === null ? [] : [[{}, live.store.freeBytes]],
    ),
    gauge(
      "ninefold_store_trouble",
      "1 where the next change would not be stored.",
      live.store.trouble === null ? 0 : 1,
    ),
    gauge("ninefold_event_loop_delay_seconds", "How late the event loop is, since this was asked for last.", [
      [{ quantile: "0.5" }, loopDelay.percentile(50) / 1e9],
      [{ quantile: "0.99" }, loopDelay.percentile(99) / 1e9],
    ]),
    counter("process_cpu_seconds_total", "Processor time of the process.", (cpu.user + cpu.system) / 1e6),
    gauge("process_resident_memory_bytes", "Memory of the process.", live.process.memoryBytes),
    gauge("nodejs_heap_size_used_bytes", "Of it, what its objects take.", live.process.heapBytes),
    gauge(
      "process_start_time_seconds",
      "When it began, since 1970.",
      Math.round(Date.now() / 1000 - process.uptime()),
    ),
  ];
  loopDelay.reset();
  const shown = operated.spaces ? metrics.map((metric) => labelledBySpace(metric, space.name)) : metrics;
  return shown.map(textOf).join("");
}

/** What is told of one data space has its name on it; what is of the process has none. */
function labelledBySpace(metric: Metric, space: string): Metric {
  if (!metric.name.startsWith("ninefold_") || ofProcess.has(metric.name)) return metric;
  return {
    ...metric,
    samples: metric.samples.map(([labels, value, suffix]) => [{ ...labels, space }, value, suffix ?? ""]),
  };
}

const ofProcess: ReadonlySet<string> = new Set(["ninefold_info", "ninefold_event_loop_delay_seconds"]);

/** Of the deliveries that are due, how long that one is which waits longest. */
async function longestDueSeconds(deliveries: CommittedDeliveries, nowMs: number): Promise<number> {
  const waits: number[] = [0];
  for (const isFailing of [false, true]) {
    const [receiver] = await deliveries.dueReceivers(nowMs, isFailing, 1);
    const [first] = receiver ? await deliveries.due(receiver, nowMs, 1) : [];
    if (first) waits.push((nowMs - (first.dueAt ?? nowMs)) / 1000);
  }
  return Math.max(...waits);
}

function requestMetrics(traffic: readonly EndpointTraffic[]): readonly Metric[] {
  return [
    {
      name: "ninefold_requests_total",
      type: "counter",
      help: "Requests that were answered, by endpoint of the document; those of none have empty labels.",
      samples: traffic.flatMap(({ endpoint, byStatus }) =>
        [...byStatus].map(
          ([status, count]): Sample => [{ ...labelsOf(endpoint), status: String(status) }, count],
        ),
      ),
    },
    {
      name: "ninefold_request_duration_seconds",
      type: "histogram",
      help: "How long their answers took; of a stream, until it began.",
      samples: traffic.flatMap(histogramOf),
    },
  ];
}

function histogramOf({ endpoint, counts, sumMs }: EndpointTraffic): readonly Sample[] {
  const labels = labelsOf(endpoint);
  let sum = 0;
  const buckets = counts.map((count, at): Sample => {
    sum += count;
    const bound = boundsMs[at];
    return [{ ...labels, le: bound === undefined ? "+Inf" : String(bound / 1000) }, sum, "_bucket"];
  });
  return [...buckets, [labels, sumMs / 1000, "_sum"], [labels, sum, "_count"]];
}

function labelsOf(endpoint: EndpointTraffic["endpoint"]): Labels {
  return { method: endpoint?.method ?? "", path: endpoint?.path.text ?? "" };
}

function gauge(name: string, help: string, value: number | readonly Sample[]): Metric {
  return { name, type: "gauge", help, samples: typeof value === "number" ? [[{}, value]] : value };
}

function counter(name: string, help: string, value: number): Metric {
  return { name, type: "counter", help, samples: [[{}, value]] };
}

function textOf({ name, type, help, samples }: Metric): string {
  const lines = samples.map(
    ([labels, value, suffix = ""]) => `${name}${suffix}${labelText(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Backslashes, quotes and line breaks have to be. */
function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
