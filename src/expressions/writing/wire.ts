/**
 * JSON forms of single values: the forms of timestamps, and texts exactly as `JSON.stringify`
 * writes them.
 */
import { millisecondsOf } from "../time.ts";

export const timestampForms = [
  "milliseconds",
  "seconds",
  "microseconds",
  "milliseconds without zone",
  "seconds without zone",
  "microseconds without zone",
  "unix seconds",
  "unix milliseconds",
  "RFC 2822",
] as const;

export type TimestampForm = (typeof timestampForms)[number];

/** Whether timestamps are in UTC without saying so: `2026-11-20T10:00:00`. */
export function isWithoutZone(form: TimestampForm): boolean {
  return form.endsWith(" without zone");
}

export interface WireForm {
  readonly timestamps: TimestampForm;
  /** Whether keys with a null value are written. */
  readonly nulls: boolean;
  /** Names of identifying fields in references, by resource, for clients of an older version. */
  readonly identifying?: {
    readonly version: string;
    readonly names: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

/** Identifies a way of writing values. */
export function wireName({ timestamps, nulls, identifying }: WireForm): string {
  return `${timestamps} ${nulls}${identifying ? ` of ${JSON.stringify(identifying.version)}` : ""}`;
}

/** Whether fractions of a second are omitted. */
export function includesSeconds(form: TimestampForm): boolean {
  return ["seconds", "seconds without zone", "unix seconds", "RFC 2822"].includes(form);
}

/**
 * The timestamp as it is serialized, at the precision of its last unit. Identifying timestamps are
 * stored at that precision, because clients find records by the serialized value.
 */
export function renderTimestamp(timestamp: string, form: TimestampForm): string {
  return includesSeconds(form) ? `${timestamp.slice(0, 19)}.000Z` : timestamp;
}

/** Writers of a canonical timestamp as JSON text. Digits beyond the form's precision are cut off. */
export const timestampWriters: Readonly<Record<TimestampForm, (timestamp: string) => string>> = {
  milliseconds: (at) => `"${at}"`,
  seconds: (at) => `"${at.slice(0, 19)}Z"`,
  microseconds: (at) => `"${at.slice(0, 23)}000Z"`,
  "milliseconds without zone": (at) => `"${at.slice(0, 23)}"`,
  "seconds without zone": (at) => `"${at.slice(0, 19)}"`,
  "microseconds without zone": (at) => `"${at.slice(0, 23)}000"`,
  "unix seconds": (at) => String(Math.floor(millisecondsOf(at) / 1000)),
  "unix milliseconds": (at) => String(millisecondsOf(at)),
  "RFC 2822": (at) => `"${new Date(at).toUTCString().replace("GMT", "+0000")}"`,
};
