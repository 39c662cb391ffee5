/** Days of the Gregorian calendar in UTC (decision "Days in UTC"). */

/** Whether a month of a year has that day. The year 0 doesn't exist. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month);
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Start of a day in milliseconds since 1970. `Date.UTC` alone would read the years 0 to 99 as 1900 to 1999. */
export function startOfDayMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

const firstMs = startOfDayMs(1, 1, 1);
const lastMs = startOfDayMs(10_000, 1, 1) - 1;

/**
 * The run-time form of an instant, `2026-11-20T10:00:00.000Z`. Undefined outside the years 1 to 9999, which all
 * databases support.
 */
export function timestampOfMs(milliseconds: number): string | undefined {
  if (!(milliseconds >= firstMs && milliseconds <= lastMs)) return undefined;
  return new Date(milliseconds).toISOString();
}
