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
import type { FunctionDefinition, Signature } from "./definition.ts";

const { string, integer, number, timestamp, date, duration } = types;
const dayMs = 86_400_000;

export const timeFunctions: readonly FunctionDefinition[] = [
  {
    name: "timestamp",
    form: "function",
    deterministic: true,
    sentence: "A timestamp of an RFC 3339 text, of a date (its first moment) or of unix seconds.",
    example: `timestamp("2026-11-20T10:00:00Z")`,
    literals: ([text]) =>
      typeof text === "string" && readTimestamp(text) === undefined
        ? { argument: 0, wanted: "an RFC 3339 timestamp, `2026-11-20T10:00:00Z`" }
        : undefined,
    signatures: [
      { parameters: [timestamp], result: timestamp, evaluate: ([at]) => at as Value },
      { parameters: [date], result: timestamp, evaluate: ([day]) => `${day}T00:00:00.000Z` },
      {
        parameters: [string],
        result: timestamp,
        evaluate: ([text]) => readTimestamp(text as string) ?? null,
      },
      {
        parameters: [number],
        result: timestamp,
        evaluate: ([seconds]) => timestampAt((seconds as number) * 1000),
      },
    ],
  },
  {
    name: "date",
    form: "function",
    deterministic: true,
    sentence: "A date of a text, `2026-11-20`, or the day of a timestamp in UTC.",
    example: "date(now)",
    literals: ([text]) =>
      typeof text === "string" && readDate(text) === undefined
        ? { argument: 0, wanted: "a date, `2026-11-20`" }
        : undefined,
    signatures: [
      { parameters: [date], result: date, evaluate: ([day]) => day as Value },
      { parameters: [timestamp], result: date, evaluate: ([at]) => (at as string).slice(0, 10) },
      { parameters: [string], result: date, evaluate: ([text]) => readDate(text as string) ?? null },
    ],
  },
  {
    name: "duration",
    form: "function",
    deterministic: true,
    sentence: "A duration of a text as CEL writes it, `1m30s`, or of seconds.",
    example: `now + duration("10m")`,
    literals: ([text]) =>
      typeof text === "string" && readDuration(text) === undefined
        ? { argument: 0, wanted: "a duration in hours, minutes and seconds, `24h` or `1m30s`" }
        : undefined,
    signatures: [
      { parameters: [duration], result: duration, evaluate: ([span]) => span as Value },
      { parameters: [string], result: duration, evaluate: ([text]) => readDuration(text as string) ?? null },
      {
        parameters: [number],
        result: duration,
        evaluate: ([seconds]) => wholeMs((seconds as number) * 1000),
      },
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
      {
        parameters: [{ kind: "enum", values: startUnits }, timestamp],
        result: timestamp,
        evaluate: ([unit, at]) => startOf(unit as string, at as string, timestampAt),
      },
      {
        parameters: [{ kind: "enum", values: startUnits }, date],
        result: date,
        evaluate: ([unit, day]) => startOf(unit as string, day as string, dateAt),
      },
    ],
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

/** A part of a timestamp (of a date, where it has one) and, with a step, of a duration. */
function part(
  name: string,
  sentence: string,
  example: string,
  of: (at: Date) => number,
  ofDuration?: number | "rest",
): FunctionDefinition {
  const signatures: Signature[] = [
    { parameters: [timestamp], result: integer, evaluate: ([at]) => of(new Date(at as string)) },
  ];
  if (ofDuration === undefined) {
    signatures.push({
      parameters: [date],
      result: integer,
      evaluate: ([day]) => of(new Date(day as string)),
    });
  } else {
    const inside = (span: number) => (ofDuration === "rest" ? span % 1000 : Math.trunc(span / ofDuration));
    // Adding 0 turns −0 into 0, which is written otherwise in JSON.
    signatures.push({
      parameters: [duration],
      result: integer,
      evaluate: ([span]) => inside(span as number) + 0,
    });
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

function wholeMs(milliseconds: number): number | null {
  const whole = Math.trunc(milliseconds) + 0;
  return Number.isSafeInteger(whole) ? whole : null;
}
