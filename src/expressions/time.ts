/** Written forms of timestamps, dates and durations, all in UTC (decision "Days in UTC"). */
import { dayMs } from "../support/quantity.ts";

/** The first instant. Years have four digits, and databases have no year 0. */
const earliestMs = Date.parse("0001-01-01T00:00:00.000Z");
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const timestampForm =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,20}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * The canonical form of an RFC 3339 timestamp with any offset, cut to milliseconds. Undefined if
 * the text isn't one. A second of 60 is rejected, because no clock here can verify a leap second.
 */
export function readTimestamp(text: string): string | undefined {
  const match = timestampForm.exec(text);
  if (!match || readDate(match[1] as string) === undefined) return undefined;
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const [offsetHours, offsetMinutes] = [Number(match[7] ?? 0), Number(match[8] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offsetMs = (match[6] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes) * 60_000;
  const milliseconds = Number((match[5] ?? "").slice(0, 3).padEnd(3, "0"));
  const time = ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
  return timestampAt(Date.parse(`${match[1]}T00:00:00.000Z`) + time - offsetMs) ?? undefined;
}

/** The timestamp of milliseconds since 1970. Null outside of the years 1 to 9999. */
export function timestampAt(milliseconds: number): string | null {
  const integerPart = Math.floor(milliseconds);
  if (!(integerPart <= latestMs) || !(integerPart >= earliestMs)) return null;
  const text = new Date(integerPart).toISOString();
  return text.length === 24 ? text : null;
}

/** Milliseconds since 1970 of a canonical timestamp or date. */
export function millisecondsOf(timestamp: string): number {
  return Date.parse(timestamp);
}

/** The text, if it is a calendar date such as `2026-11-20`. Otherwise undefined. */
export function readDate(text: string): string | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match || match[1] === "0000") return undefined;
  const day = Date.parse(`${text}T00:00:00.000Z`);
  // `Date.parse` reads 30 February as 1 March, so a date must be printed in the same way as it was written.
  return Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== text ? undefined : text;
}

/** The date of milliseconds since 1970. Null outside of the years 1 to 9999. */
export function dateAt(milliseconds: number): string | null {
  return timestampAt(milliseconds)?.slice(0, 10) ?? null;
}

const durationUnitsMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};

/** The milliseconds of a duration in CEL's form, `1h30m`, `-1.5s`. Undefined if the text is invalid or too long. */
export function readDuration(text: string): number | undefined {
  if (text === "0" || text === "-0" || text === "+0") return 0;
  if (text.length > 64 || !/^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns))+$/.test(text))
    return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)/g)) {
    total += Number(amount) * (durationUnitsMs[unit as string] as number);
  }
  // 0.3 of a second is 300 milliseconds, although the product differs slightly: near integers are rounded, other
  // fractions are cut off.
  const rounded = Math.round(total);
  const integerPart = Math.abs(rounded - total) < 1e-6 ? rounded : Math.trunc(total);
  if (!Number.isSafeInteger(integerPart)) return undefined;
  return text.startsWith("-") && integerPart !== 0 ? -integerPart : integerPart;
}

/** Formats a duration, without parts that are zero: `1m30s`, `24h`, `1.5s`, `500ms`, `0s`. CEL reads all of these. */
export function formatDuration(milliseconds: number): string {
  const integerPart = Math.abs(Math.trunc(milliseconds));
  if (integerPart === 0) return "0s";
  const sign = milliseconds < 0 ? "-" : "";
  if (integerPart < 1000) return `${sign}${integerPart}ms`;
  const hours = Math.floor(integerPart / 3_600_000);
  const minutes = Math.floor((integerPart % 3_600_000) / 60_000);
  const seconds = (integerPart % 60_000) / 1000;
  return `${sign}${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${seconds > 0 ? `${seconds}s` : ""}`;
}

export const startUnits = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"] as const;
export type StartUnit = (typeof startUnits)[number];

/** The start of the year, quarter, month, ISO week (Monday), day … that contains an instant. */
export function startOfUnit(unit: StartUnit, milliseconds: number): number {
  const at = new Date(milliseconds);
  const year = at.getUTCFullYear();
  switch (unit) {
    case "year":
      return utcMidnight(year, 0, 1);
    case "quarter":
      return utcMidnight(year, at.getUTCMonth() - (at.getUTCMonth() % 3), 1);
    case "month":
      return utcMidnight(year, at.getUTCMonth(), 1);
    case "week":
      return floorTo(milliseconds, dayMs) - ((at.getUTCDay() + 6) % 7) * dayMs;
    case "day":
      return floorTo(milliseconds, dayMs);
    case "hour":
      return floorTo(milliseconds, 3_600_000);
    case "minute":
      return floorTo(milliseconds, 60_000);
    case "second":
      return floorTo(milliseconds, 1000);
  }
}

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999. This function doesn't. */
function utcMidnight(year: number, month: number, day: number): number {
  const at = new Date(0);
  at.setUTCFullYear(year, month, day);
  return at.getTime();
}

function floorTo(milliseconds: number, step: number): number {
  return Math.floor(milliseconds / step) * step;
}
