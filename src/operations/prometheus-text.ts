/** Figures in the text format of Prometheus: what a metric is, and how it is written. What is told in it is said elsewhere. */
import type { Histogram } from "../support/histogram.ts";

/** The media type of the format. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number, suffix?: string];

export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

export function gauge(name: string, help: string, value: number | readonly Sample[]): Metric {
  return { name, type: "gauge", help, samples: typeof value === "number" ? [[{}, value]] : value };
}

export function counter(name: string, help: string, value: number): Metric {
  return { name, type: "counter", help, samples: [[{}, value]] };
}

/** @param all of milliseconds; they are told in seconds, as is everything there */
export function histogram(
  name: string,
  help: string,
  all: readonly (readonly [Labels, Histogram])[],
): Metric {
  return {
    name,
    type: "histogram",
    help,
    samples: all.flatMap(([labels, one]) => histogramSamples(labels, one)),
  };
}

function histogramSamples(labels: Labels, { bounds, counts, sum }: Histogram): readonly Sample[] {
  let total = 0;
  const buckets = counts.map((count, at): Sample => {
    total += count;
    const bound = bounds[at];
    return [{ ...labels, le: bound === undefined ? "+Inf" : String(bound / 1000) }, total, "_bucket"];
  });
  return [...buckets, [labels, sum / 1000, "_sum"], [labels, total, "_count"]];
}

/** The same metric with one more label on everything. */
export function labelled(metric: Metric, name: string, text: string): Metric {
  return {
    ...metric,
    samples: metric.samples.map(([labels, value, suffix]) => [
      { ...labels, [name]: text },
      value,
      suffix ?? "",
    ]),
  };
}

export function metricText({ name, type, help, samples }: Metric): string {
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
