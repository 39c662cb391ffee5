/**
 * A time, as how long ago or in UTC; all of them switch together, and the browser remembers it. The other one is told on hovering. Of a
 * sandbox `now` is the sandbox's: its clock may have been moved.
 */
import { computed, signal } from "@preact/signals";
import type { VNode } from "preact";
import { kept } from "../api/kept.ts";
import { language, t } from "../words/words.ts";

export const timesAre = kept("times", ["relative", "utc"]);

/** How far the service's clock is ahead of this machine's, in milliseconds. */
export const clockAheadMs = signal(0);

const tick = signal(Date.now());
setInterval(() => {
  if (!document.hidden) tick.value = Date.now();
}, 5_000);

export const now = computed(() => tick.value + clockAheadMs.value);

const relative = new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "always" });
const steps: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [31_557_600, "year"],
  [2_629_800, "month"],
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** `3m ago`, `in 2d`. */
export function relativeText(at: number, from: number = now.value): string {
  const seconds = Math.round((at - from) / 1000);
  if (Math.abs(seconds) < 5) return t("parts.justNow");
  const [size, unit] = steps.find(([size]) => Math.abs(seconds) >= size) ?? [1, "second"];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** `2026-05-01 14:02:11`; of today the time alone where it is `short`. */
export function utcText(at: number, { short = false }: { readonly short?: boolean } = {}): string {
  const text = new Date(at).toISOString();
  const today = new Date(now.value).toISOString().slice(0, 10);
  return short && text.startsWith(today) ? text.slice(11, 23) : `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

export function Time({ at }: { readonly at: string | number }): VNode {
  const ms = typeof at === "number" ? at : Date.parse(at);
  if (Number.isNaN(ms)) return <span>{at}</span>;
  const utc = utcText(ms);
  const isUtc = timesAre.value === "utc";
  return (
    <time
      class="number"
      dateTime={new Date(ms).toISOString()}
      title={isUtc ? relativeText(ms) : `${utc} UTC`}
    >
      {isUtc ? utc : relativeText(ms)}
    </time>
  );
}
