/** Functions of numbers, and the conversions between kinds of values. */
import {
  decimalOf,
  fixedDecimal,
  negateDecimal,
  numberOf,
  readDecimal,
  roundDecimal,
  type Rounding,
} from "../decimal.ts";
import { formatDuration, millisecondsOf } from "../time.ts";
import { types } from "../type.ts";
import type { Value } from "../value.ts";
import type { FunctionDefinition, Signature } from "./definition.ts";

const { string, integer, number, decimal, boolean, timestamp, date, duration, bytes } = types;

export const numberFunctions: readonly FunctionDefinition[] = [
  {
    name: "string",
    form: "function",
    deterministic: true,
    sentence:
      "A value as a text: numbers as JSON writes them, timestamps in RFC 3339, durations as `1m30s`, bytes as UTF-8.",
    example: "string(this.number)",
    signatures: [
      { parameters: [string], result: string, evaluate: ([text]) => text as Value },
      { parameters: [number], result: string, evaluate: ([value]) => String(value) },
      { parameters: [decimal], result: string, evaluate: ([value]) => value as Value },
      { parameters: [boolean], result: string, evaluate: ([value]) => String(value) },
      { parameters: [timestamp], result: string, evaluate: ([at]) => at as Value },
      { parameters: [date], result: string, evaluate: ([day]) => day as Value },
      { parameters: [duration], result: string, evaluate: ([span]) => formatDuration(span as number) },
      { parameters: [bytes], result: string, evaluate: ([value]) => utf8(value as Uint8Array) },
    ],
  },
  {
    name: "int",
    form: "function",
    deterministic: true,
    sentence:
      "An integer of a number (its fraction is cut), a text, or the unix seconds of a timestamp or a duration.",
    example: "int(query.page)",
    signatures: [
      { parameters: [number], result: integer, evaluate: ([value]) => safe(Math.trunc(value as number)) },
      {
        parameters: [decimal],
        result: integer,
        evaluate: ([value]) => safe(numberOf(roundDecimal(value as string, 0, "toward zero"))),
      },
      {
        parameters: [timestamp],
        result: integer,
        evaluate: ([at]) => Math.floor(millisecondsOf(at as string) / 1000),
      },
      {
        parameters: [duration],
        result: integer,
        evaluate: ([span]) => Math.trunc((span as number) / 1000) + 0,
      },
      { parameters: [string], result: integer, evaluate: ([text]) => integerOf(text as string) },
    ],
  },
  {
    name: "double",
    form: "function",
    deterministic: true,
    sentence:
      "A number of a text or of a decimal, or the unix seconds of a timestamp or a duration with their fraction.",
    example: "double(query.rate)",
    signatures: [
      { parameters: [number], result: number, evaluate: ([value]) => value as Value },
      { parameters: [decimal], result: number, evaluate: ([value]) => finite(numberOf(value as string)) },
      { parameters: [timestamp], result: number, evaluate: ([at]) => millisecondsOf(at as string) / 1000 },
      { parameters: [duration], result: number, evaluate: ([span]) => (span as number) / 1000 },
      { parameters: [string], result: number, evaluate: ([text]) => doubleOf(text as string) },
    ],
  },
  {
    name: "decimal",
    form: "function",
    deterministic: true,
    sentence: "An exact decimal of a text, an integer or a number.",
    example: `decimal("12.50") * 3`,
    literals: ([text]) =>
      typeof text === "string" && readDecimal(text) === undefined
        ? { argument: 0, wanted: "a decimal, `12.50`" }
        : undefined,
    signatures: [
      { parameters: [number], result: decimal, evaluate: ([value]) => decimalOf(value as number) },
      { parameters: [decimal], result: decimal, evaluate: ([value]) => value as Value },
      { parameters: [string], result: decimal, evaluate: ([text]) => readDecimal(text as string) ?? null },
    ],
  },
  {
    name: "bool",
    form: "function",
    deterministic: true,
    sentence: "True or false of the texts `true` and `false`.",
    example: "bool(query.archived)",
    signatures: [
      { parameters: [boolean], result: boolean, evaluate: ([value]) => value as Value },
      {
        parameters: [string],
        result: boolean,
        evaluate: ([text]) => (text === "true" ? true : text === "false" ? false : null),
      },
    ],
  },
  rounding(
    "round",
    "nearest",
    "The nearest integer, halves away from zero.",
    (value) => Math.sign(value) * Math.round(Math.abs(value)),
  ),
  rounding("floor", "down", "The integer at or below a number.", Math.floor),
  rounding("ceil", "up", "The integer at or above a number.", Math.ceil),
  {
    name: "abs",
    form: "function",
    deterministic: true,
    sentence: "A number, decimal or duration without its sign.",
    example: "abs(this.balance)",
    signatures: [
      { parameters: [integer], result: integer, evaluate: ([value]) => Math.abs(value as number) },
      { parameters: [number], result: number, evaluate: ([value]) => Math.abs(value as number) },
      {
        parameters: [decimal],
        result: decimal,
        evaluate: ([value]) =>
          (value as string).startsWith("-") ? negateDecimal(value as string) : (value as Value),
      },
      { parameters: [duration], result: duration, evaluate: ([value]) => Math.abs(value as number) },
    ],
  },
  {
    name: "fixed",
    form: "function",
    deterministic: true,
    sentence: "A number as a text with exactly so many digits behind the point, halves away from zero.",
    example: "fixed(this.rate, 2)",
    literals: ([, digits]) =>
      typeof digits === "number" && !isDigitCount(digits)
        ? { argument: 1, wanted: `a number of digits from 0 to ${digitsMax}` }
        : undefined,
    signatures: [
      {
        parameters: [decimal, integer],
        result: string,
        evaluate: ([value, digits]) => fixed(value as string, digits as number),
      },
      {
        parameters: [number, integer],
        result: string,
        evaluate: ([value, digits]) => fixed(decimalOf(value as number), digits as number),
      },
    ],
  },
];

function rounding(
  name: string,
  way: Rounding,
  sentence: string,
  ofNumber: (value: number) => number,
): FunctionDefinition {
  const signatures: readonly Signature[] = [
    { parameters: [integer], result: integer, evaluate: ([value]) => value as Value },
    { parameters: [number], result: integer, evaluate: ([value]) => safe(ofNumber(value as number)) },
    { parameters: [decimal], result: decimal, evaluate: ([value]) => roundDecimal(value as string, 0, way) },
  ];
  return {
    name,
    form: "function",
    deterministic: true,
    sentence,
    example: `${name}(this.amount * 0.19)`,
    signatures,
  };
}

const digitsMax = 15;

function isDigitCount(digits: number): boolean {
  return Number.isInteger(digits) && digits >= 0 && digits <= digitsMax;
}

function fixed(value: string | null, digits: number): Value {
  return value === null || !isDigitCount(digits) ? null : fixedDecimal(value, digits);
}

function integerOf(text: string): number | null {
  return /^[+-]?\d{1,16}$/.test(text) ? safe(Number(text)) : null;
}

function doubleOf(text: string): number | null {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) && text.length <= 400
    ? finite(Number(text))
    : null;
}

/** Integers beyond ±(2^53−1) are an overflow (decision "Overflow and division by zero"). Adding 0 turns −0 into 0. */
function safe(value: number): number | null {
  return Number.isSafeInteger(value) ? value + 0 : null;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}

const utf8Reader = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function utf8(bytes: Uint8Array): string | null {
  try {
    const text = utf8Reader.decode(bytes);
    // Like a text from outside, it has no U+0000, which not every database can keep.
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
