/**
 * Renders an anomaly as text: the violated invariant, and the involved operations with their starts
 * and ends.
 */
import type { Anomaly, Done, History } from "./check.ts";

export function storyOf({ done }: Pick<History, "done">, { invariant, message, about }: Anomaly): string {
  const chosen = done.filter(({ op }) => about.includes(op));
  const lines = chosen
    .flatMap((entry) => [
      { at: entry.began, text: `client ${entry.client} requests ${entry.op}: ${requestedOf(entry)}` },
      { at: entry.answer?.ended ?? Number.POSITIVE_INFINITY, text: `  ${entry.op} ${answeredOf(entry)}` },
    ])
    .toSorted((a, b) => a.at - b.at);
  return [`${invariant}: ${message}`, ...lines.map(({ text }) => `  ${text}`)].join("\n");
}

function requestedOf({ operation: { does, ...rest } }: Done): string {
  return `${does} ${Object.values(rest).join(" ")}`;
}

function answeredOf({ answer }: Done): string {
  return answer
    ? `is answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`
    : "is never answered";
}
