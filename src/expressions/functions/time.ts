/** Functions of timestamps, dates and durations, all in UTC (decision "Days in UTC"). */
import {
  dateAt,
  millisecondsOf,
  readDate,
  readDuration,
  readTimestamp,
  type StartUnit,
  startOfUnit,
  startUnits,
  timestampAt,
} from "../time.ts";
import { types } from "../type.ts";
import type { Value } from "../value.ts";
import { type FunctionDefinition, type Signature, signature } from "./definition.ts";
import { dayMs } from "../../support/quantity.ts";

const { string, integer, number, timestamp, date, duration } = types;

export const timeFunctions: readonly FunctionDefinition[] = [
  {
    name: "timestamp",
    form: "function",
    deterministic: true,
    nullFor: "texts",
    sentence: "Converts an RFC 3339 text, a date (its first moment) or unix seconds to a timestamp.",
    example: `timestamp("2026-11-20T10:00:00Z")`,
    literals: ([text]) =>
      typeof text === "string" && readTimestamp(text) === undefined
        ? { argument: 0, expected: "an RFC 3339 timestamp, `2026-11-20T10:00:00Z`" }
        : undefined,
    signatures: [
      signature([timestamp], timestamp, ([at]) => at),
      signature([date], timestamp, ([day]) => `${day}T00:00:00.000Z`),
      signature([string], timestamp, ([text]) => readTimestamp(text) ?? null),
      signature([number], timestamp, ([seconds]) => timestampAt(seconds * 1000)),
    ],
  },
  {
    name: "date",
    form: "function",
    deterministic: true,
    nullFor: "texts",
    sentence: "Converts a text, `2026-11-20`, to a date; for a timestamp, its day in UTC.",
    example: "date(now)",
    literals: ([text]) =>
      typeof text === "string" && readDate(text) === undefined
        ? { argument: 0, expected: "a date, `2026-11-20`" }
        : undefined,
    signatures: [
      signature([date], date, ([day]) => day),
      signature([timestamp], date, ([at]) => at.slice(0, 10)),
      signature([string], date, ([text]) => readDate(text) ?? null),
    ],
  },
  {
    name: "duration",
    form: "function",
    deterministic: true,
    nullFor: "texts",
    sentence: "Converts a text in CEL's form, `1m30s`, or a number of seconds to a duration.",
    example: `now + duration("10m")`,
    literals: ([text]) =>
      typeof text === "string" && readDuration(text) === undefined
        ? { argument: 0, expected: "a duration in hours, minutes and seconds, `24h` or `1m30s`" }
        : undefined,
    signatures: [
      signature([duration], duration, ([span]) => span),
      signature([string], duration, ([text]) => readDuration(text) ?? null),
      signature([number], duration, ([seconds]) => toWholeMs(seconds * 1000)),
    ],
  },
  {
    name: "startOf",
    form: "function",
    deterministic: true,
    sentence:
      "The first moment of the year, quarter, month, week (Monday), day, hour, minute or second of a timestamp, in UTC.",
    example: `startOf("month", now)`,
    signatures: [
      signature([{ kind: "enum", values: startUnits }, timestamp], timestamp, ([unit, at]) =>
        startOf(unit, at, timestampAt),
      ),
      signature([{ kind: "enum", values: startUnits }, date], date, ([unit, day]) =>
        startOf(unit, day, dateAt),
      ),
    ],
  },
  {
    name: "addMonths",
    form: "function",
    deterministic: true,
    sentence:
      "A timestamp or date this many months later (or earlier), on the same day, or on the last day of a shorter month.",
    example: `addMonths(this.started_at, 1)`,
    signatures: [
      signature([timestamp, integer], timestamp, ([at, months]) => addMonths(at, months, timestampAt)),
      signature([date, integer], date, ([day, months]) => addMonths(day, months, dateAt)),
    ],
  },
  {
    name: "httpDate",
    form: "function",
    deterministic: true,
    sentence: "A timestamp in the form of HTTP headers (RFC 9110): `Fri, 20 Nov 2026 12:00:00 GMT`.",
    example: "httpDate(this.modified_at)",
    signatures: [signature([timestamp], string, ([at]) => new Date(at).toUTCString())],
  },
  part("getFullYear", "The year.", "now.getFullYear()", (at) => at.getUTCFullYear()),
  part("getMonth", "The month, January being 0.", "now.getMonth()", (at) => at.getUTCMonth()),
  part("getDate", "The day of the month, from 1.", "now.getDate()", (at) => at.getUTCDate()),
  part("getDayOfMonth", "The day of the month, from 0.", "now.getDayOfMonth()", (at) => at.getUTCDate() - 1),
  part("getDayOfWeek", "The day of the week, Sunday being 0.", "now.getDayOfWeek()", (at) => at.getUTCDay()),
  part("getDayOfYear", "The day of the year, from 0.", "now.getDayOfYear()", dayOfYear),
  part(
    "getHours",
    "The hour; of a duration, all of its hours.",
    "now.getHours()",
    (at) => at.getUTCHours(),
    3_600_000,
  ),
  part(
    "getMinutes",
    "The minute; of a duration, all of its minutes.",
    "now.getMinutes()",
    (at) => at.getUTCMinutes(),
    60_000,
  ),
  part(
    "getSeconds",
    "The second; of a duration, all of its seconds.",
    "now.getSeconds()",
    (at) => at.getUTCSeconds(),
    1000,
  ),
  part(
    "getMilliseconds",
    "The milliseconds within the second.",
    "now.getMilliseconds()",
    (at) => at.getUTCMilliseconds(),
    "rest",
  ),
];

/** A function that returns a part of a timestamp or date, or (with a step) of a duration. */
function part(
  name: string,
  sentence: string,
  example: string,
  of: (at: Date) => number,
  ofDuration?: number | "rest",
): FunctionDefinition {
  const signatures: Signature[] = [signature([timestamp], integer, ([at]) => of(new Date(at)))];
  if (ofDuration === undefined) {
    signatures.push(signature([date], integer, ([day]) => of(new Date(day))));
  } else {
    const inside = (span: number) => (ofDuration === "rest" ? span % 1000 : Math.trunc(span / ofDuration));
    // Adding 0 converts −0 to 0. JSON would distinguish them.
    signatures.push(signature([duration], integer, ([span]) => inside(span) + 0));
  }
  return { name, form: "both", deterministic: true, sentence, example, signatures };
}

function dayOfYear(at: Date): number {
  return Math.floor((at.getTime() - startOfUnit("year", at.getTime())) / dayMs);
}

function startOf(unit: string, at: string, write: (milliseconds: number) => string | null): Value {
  if (!(startUnits as readonly string[]).includes(unit)) return null;
  return write(startOfUnit(unit as StartUnit, millisecondsOf(at)));
}

/** 31 January and a month is the last day of February. */
function addMonths(at: string, months: number, write: (milliseconds: number) => string | null): Value {
  const moment = new Date(at);
  const day = moment.getUTCDate();
  moment.setUTCDate(1);
  moment.setUTCMonth(moment.getUTCMonth() + months);
  const next = new Date(moment);
  next.setUTCMonth(next.getUTCMonth() + 1, 0);
  moment.setUTCDate(Math.min(day, next.getUTCDate()));
  return Number.isNaN(moment.getTime()) ? null : write(moment.getTime());
}

function toWholeMs(milliseconds: number): number | null {
  const truncated = Math.trunc(milliseconds) + 0;
  return Number.isSafeInteger(truncated) ? truncated : null;
}
