/**
 * PostgreSQL values by form: their SQL types, their parameters and their decoders.
 *
 * Nothing here depends on connection settings: each new connection decodes its results with
 * `resultTypes`.
 */
import type { Value } from "../../../expressions/value.ts";
import { timestampAt } from "../../../expressions/time.ts";
import { type Decode, type Encode, type Form, usualDecoder, usualEncoder } from "../../sql/form.ts";

/** Collation in code-point order, whatever the database's own collation. */
export const codePoints = `COLLATE "C"`;

/** The SQL type of values of a form. JSON is sent as text, which the database returns unchanged. */
export function typeOf(form: Form): string {
  switch (form) {
    case "integer":
    case "duration":
      return "bigint";
    case "number":
      return "double precision";
    case "boolean":
      return "boolean";
    case "timestamp":
      return "timestamptz";
    case "date":
      return "date";
    case "bytes":
      return "bytea";
    default:
      return "text";
  }
}

/** The encoder of a form's values as parameters. */
export function encoderOfForm(form: Form): Encode {
  switch (form) {
    case "boolean":
      return (value) => (typeof value === "boolean" ? String(value) : null);
    case "integer":
    case "duration":
      return (value) => (Number.isSafeInteger(value) ? String(value) : null);
    case "number":
      // Adding 0 turns −0 into 0, as JSON does.
      return (value) => (Number.isFinite(value) ? (value as number) + 0 : null);
    case "timestamp":
    case "date":
    case "text":
    case "decimal":
      return (value) => (typeof value === "string" ? value : null);
    default:
      return usualEncoder(form);
  }
}

/** The decoder of a form's results. */
export function decoderOfForm(form: Form): Decode {
  switch (form) {
    case "integer":
    case "duration":
    case "number":
      return (stored) => (stored === null || stored === undefined ? null : Number(stored) + 0);
    case "boolean":
      return (stored) =>
        stored === null || stored === undefined
          ? null
          : stored === true || stored === "t" || stored === "true";
    case "timestamp":
      return (stored) => (stored === null || stored === undefined ? null : readTimestamp(String(stored)));
    default:
      return usualDecoder(form);
  }
}

const isoTimestamp =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-]\d\d)(?::?(\d\d))?(?::?(\d\d))?( BC)?$/;

/** Converts a moment, which PostgreSQL writes in any time zone, to the notation's only form. */
export function readTimestamp(text: string): Value {
  const match = isoTimestamp.exec(text);
  if (!match) return text;
  const [, year, month, day, hour, minute, second, fraction = "", hours, minutes, seconds, before] = match;
  const milliseconds = fraction.slice(0, 3).padEnd(3, "0");
  if (!before && hours === "+00" && !minutes && !seconds)
    return `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`;
  const at = new Date(0);
  at.setUTCFullYear(before ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  at.setUTCHours(Number(hour), Number(minute), Number(second), Number(milliseconds));
  const offset = (Number(String(hours).slice(1)) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0);
  return timestampAt(at.getTime() - (String(hours).startsWith("-") ? -offset : offset) * 1000);
}

/**
 * What the driver makes of results, by type number: the texts that the decoders above read, plain
 * numbers and booleans.
 */
export const resultTypes = {
  getTypeParser(type: number): (text: string) => unknown {
    return parsers.get(type) ?? plain;
  },
};

const plain = (text: string) => text;

const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"],
  [17, (text) => Buffer.from(text.slice(2), "hex")],
  [20, Number],
  [21, Number],
  [23, Number],
  [700, Number],
  [701, Number],
]);
