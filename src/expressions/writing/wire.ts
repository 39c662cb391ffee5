/** How single values stand in JSON: the six forms of timestamps, and texts exactly as `JSON.stringify` writes them. */
import { millisecondsOf } from "../time.ts";

export type TimestampForm =
  | "milliseconds"
  | "seconds"
  | "microseconds"
  | "unix seconds"
  | "unix milliseconds"
  | "RFC 2822";

export interface WireForm {
  readonly timestamps: TimestampForm;
  /** False: keys whose value is null are left out. */
  readonly nulls: boolean;
  /** How references name the fields that identify, where callers know other names: those of an older version. */
  readonly identifying?: { readonly version: string; nameOf(resource: string, field: string): string };
}

/** What tells apart how values are written. */
export function wireName({ timestamps, nulls, identifying }: WireForm): string {
  return `${timestamps} ${nulls}${identifying ? ` of ${JSON.stringify(identifying.version)}` : ""}`;
}

/** A canonical timestamp as JSON text. What is finer than the form is cut off. */
export const timestampWriters: Readonly<Record<TimestampForm, (timestamp: string) => string>> = {
  milliseconds: (at) => `"${at}"`,
  seconds: (at) => `"${at.slice(0, 19)}Z"`,
  microseconds: (at) => `"${at.slice(0, 23)}000Z"`,
  "unix seconds": (at) => String(Math.floor(millisecondsOf(at) / 1000)),
  "unix milliseconds": (at) => String(millisecondsOf(at)),
  "RFC 2822": (at) => `"${new Date(at).toUTCString().replace("GMT", "+0000")}"`,
};
