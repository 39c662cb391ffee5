/**
 * Quantities with units: `14 days`, `64 KiB`. Months and years are not durations, because their
 * lengths vary.
 */

export const dayMs = 86_400_000;

const unitsMs: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 604_800_000,
};

/**
 * Parses a duration to milliseconds: `14 days`, `1 hour`, `hour` (one), `1.5 seconds`. Undefined if
 * it can't be parsed.
 */
export function durationMs(text: string): number | undefined {
  const match = /^(?:(\d+(?:\.\d+)?)\s+)?(milliseconds?|seconds?|minutes?|hours?|days?|weeks?)$/i.exec(
    text.trim(),
  );
  if (!match) return undefined;
  const unit = unitsMs[(match[2] as string).toLowerCase().replace(/s$/, "")] as number;
  const milliseconds = Math.round(Number(match[1] ?? "1") * unit);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

/**
 * Formats a duration in the largest unit, up to days, of which it is a whole number: `14 days`, `90
 * seconds`.
 */
export function formatDuration(milliseconds: number): string {
  const [unit, ms] = Object.entries(unitsMs)
    .reverse()
    .find(([unit, ms]) => unit !== "week" && milliseconds >= ms && milliseconds % ms === 0) ?? [
    "millisecond",
    1,
  ];
  const count = milliseconds / ms;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const unitsBytes: Readonly<Record<string, number>> = {
  byte: 1,
  bytes: 1,
  b: 1,
  kb: 1000,
  mb: 1_000_000,
  gb: 1_000_000_000,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

/** Parses a size to bytes: `64 KiB`, `1 MB`, `500 bytes`. Undefined if it can't be parsed. */
export function sizeBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(text.trim());
  const unit = match && unitsBytes[(match[2] as string).toLowerCase()];
  if (!match || !unit) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Formats a size in the largest unit that divides it: `64 KiB`, `1 MiB`, `500 bytes`. */
export function formatExactSize(bytes: number): string {
  if (bytes > 0 && bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2} MiB`;
  if (bytes > 0 && bytes % 1024 === 0) return `${bytes / 1024} KiB`;
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

/** A count with its noun: `1 record`, `1,204 records`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a rounded size: `0.8 GB`, `12 MB`, `40 kB`. */
export function formatApproximateSize(bytes: number): string {
  const [unit, size] = bytes >= 1e8 ? ["GB", 1e9] : bytes >= 1e6 ? ["MB", 1e6] : ["kB", 1e3];
  const number = bytes / (size as number);
  return `${number < 10 ? Math.ceil(number * 10) / 10 : Math.round(number)} ${unit}`;
}
