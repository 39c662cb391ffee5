/**
 * Prometheus text format: each function writes one metric. Label values are escaped once for all
 * lines with them, because a histogram has many lines. Other files choose the metrics.
 */
import type { Histogram } from "../support/histogram.ts";

/** The media type of the format. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;

export function gauge(name: string, help: string, value: number, labels: Labels = {}): string {
  return `${head(name, "gauge", help)}${name}${inBraces(labelsText(labels))} ${value}\n`;
}

export function counter(name: string, help: string, value: number, labels: Labels = {}): string {
  return `${head(name, "counter", help)}${name}${inBraces(labelsText(labels))} ${value}\n`;
}

/** The header lines of a histogram, which occur once for all its label sets. */
export function histogramHead(name: string, help: string): string {
  return head(name, "histogram", help);
}

/** @param amounts in milliseconds; written in seconds, the unit of Prometheus */
export function histogramLines(name: string, { bounds, counts, sum }: Histogram, labels: Labels): string {
  const own = labelsText(labels);
  const before = own === "" ? "" : `${own},`;
  let total = 0;
  let text = "";
  for (const [at, count] of counts.entries()) {
    total += count;
    const bound = bounds[at];
    text += `${name}_bucket{${before}le="${bound === undefined ? "+Inf" : bound / 1000}"} ${total}\n`;
  }
  return `${text}${name}_sum${inBraces(own)} ${sum / 1000}\n${name}_count${inBraces(own)} ${total}\n`;
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function inBraces(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}

/** Escapes backslashes, quotes and line breaks. */
function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
