/**
 * A time: relative, in the local time zone, or in UTC. All times switch together, and the browser
 * remembers it. The tooltip shows the other forms. In a sandbox `now` is the sandbox's time,
 * because its clock may have been moved.
 */
import type { VNode } from "preact";
import { preference } from "../api/preference.ts";
import { derived, state } from "../state.ts";
import { language, t } from "../words/words.ts";

export const timeFormatSetting = preference("times", ["relative", "local", "utc"]);

/** How far the service's clock is ahead of this machine's, in milliseconds. */
export const clockAheadMs = state(0);

const tick = state(Date.now());
setInterval(() => {
  if (!document.hidden) tick.value = Date.now();
}, 5_000);

const now = derived(tick, (ms) => ms + clockAheadMs.value);

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
function relativeText(at: number, from: number = now.value): string {
  const seconds = Math.round((at - from) / 1000);
  if (Math.abs(seconds) < 5) return t(at > from && isToCome(at) ? "parts.soon" : "parts.justNow");
  const [size, unit] = steps.find(([size]) => Math.abs(seconds) >= size) ?? [1, "second"];
  return relative.format(Math.trunc(seconds / size), unit);
}

/**
 * Whether a time is in the future; the page may be seconds old, so a past event must not count as
 * upcoming.
 */
function isToCome(at: number): boolean {
  return at > Date.now() + clockAheadMs.value + 500;
}

/** The displayed time zone: UTC, unless the user chose local times. */
export function zoneText(): string {
  return isLocal() ? new Intl.DateTimeFormat(language).resolvedOptions().timeZone : "UTC";
}

const isLocal = () => timeFormatSetting.value === "local";

/** `2026-05-01 14:02:11.000` in the displayed time zone. */
export function clockText(at: number, isThere = isLocal()): string {
  const offsetMs = isThere ? new Date(at).getTimezoneOffset() * -60_000 : 0;
  return new Date(at + offsetMs).toISOString().slice(0, 23).replace("T", " ");
}

/**
 * The time of a text in the displayed time zone, in milliseconds; NaN for a text that is not a
 * time.
 */
export function clockTime(text: string): number {
  return Date.parse(isLocal() ? text : `${text}Z`);
}

export interface TimeProperties {
  readonly at: string | number;
  /** Whether the other forms are the time of day to a millisecond, as for recent requests. */
  readonly isRecent?: boolean;
}

export function Time({ at, isRecent = false }: TimeProperties): VNode {
  const ms = typeof at === "number" ? at : Date.parse(at);
  if (Number.isNaN(ms)) return <span>{at}</span>;
  const isRelative = timeFormatSetting.value === "relative";
  const exact = `${clockText(ms, false).slice(0, isRecent ? undefined : 19)} UTC`;
  return (
    <time
      class="number"
      dateTime={new Date(ms).toISOString()}
      title={isRelative ? exact : `${relativeText(ms)} · ${exact}`}
    >
      {isRelative ? relativeText(ms) : clockText(ms).slice(isRecent ? 11 : 0, isRecent ? undefined : 19)}
    </time>
  );
}
