/** Functions of numbers, and conversions between kinds of values. */
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
import { type FunctionDefinition, type Signature, signature } from "./definition.ts";

const { string, integer, number, decimal, boolean, timestamp, date, duration, bytes } = types;

export const numberFunctions: readonly FunctionDefinition[] = [
  {
    name: "string",
    form: "function",
    deterministic: true,
    nullFor: "bytes",
    sentence:
      "A value as a text: numbers as JSON writes them, timestamps in RFC 3339, durations as `1m30s`, bytes as UTF-8.",
    example: "string(this.number)",
    signatures: [
      signature([string], string, ([text]) => text),
      signature([number], string, ([value]) => String(value)),
      signature([decimal], string, ([value]) => value),
      signature([boolean], string, ([value]) => String(value)),
      signature([timestamp], string, ([at]) => at),
      signature([date], string, ([day]) => day),
      signature([duration], string, ([span]) => formatDuration(span)),
      signature([bytes], string, ([value]) => utf8(value)),
    ],
  },
  {
    name: "int",
    form: "function",
    deterministic: true,
    nullFor: "texts",
    sentence:
      "Converts a number (without its fraction) or a text to an integer; for a timestamp or a duration, the seconds.",
    example: "int(query.page)",
    signatures: [
      signature([number], integer, ([value]) => safe(Math.trunc(value))),
      signature([decimal], integer, ([value]) => safe(numberOf(roundDecimal(value, 0, "toward zero")))),
      signature([timestamp], integer, ([at]) => Math.floor(millisecondsOf(at) / 1000)),
      signature([duration], integer, ([span]) => Math.trunc(span / 1000) + 0),
      signature([string], integer, ([text]) => integerOf(text)),
    ],
  },
  {
    name: "double",
    form: "function",
    deterministic: true,
    nullFor: "texts",
    sentence:
      "Converts a text or a decimal to a number; for a timestamp or a duration, the seconds with their fraction.",
    example: "double(query.rate)",
    signatures: [
      signature([number], number, ([value]) => value),
      signature([decimal], number, ([value]) => finite(numberOf(value))),
      signature([timestamp], number, ([at]) => millisecondsOf(at) / 1000),
      signature([duration], number, ([span]) => span / 1000),
      signature([string], number, ([text]) => doubleOf(text)),
    ],
  },
  {
    name: "decimal",
    form: "function",
    deterministic: true,
    nullFor: "texts",
    sentence: "Converts a text, an integer or a number to an exact decimal.",
    example: `decimal("12.50") * 3`,
    literals: ([text]) =>
      typeof text === "string" && readDecimal(text) === undefined
        ? { argument: 0, expected: "a decimal, `12.50`" }
        : undefined,
    signatures: [
      signature([number], decimal, ([value]) => decimalOf(value)),
      signature([decimal], decimal, ([value]) => value),
      signature([string], decimal, ([text]) => readDecimal(text) ?? null),
    ],
  },
  {
    name: "bool",
    form: "function",
    deterministic: true,
    nullFor: "texts",
    sentence: "Converts the texts `true` and `false` to a boolean.",
    example: "bool(query.archived)",
    signatures: [
      signature([boolean], boolean, ([value]) => value),
      signature([string], boolean, ([text]) => (text === "true" ? true : text === "false" ? false : null)),
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
      signature([integer], integer, ([value]) => Math.abs(value)),
      signature([number], number, ([value]) => Math.abs(value)),
      signature([decimal], decimal, ([value]) => (value.startsWith("-") ? negateDecimal(value) : value)),
      signature([duration], duration, ([value]) => Math.abs(value)),
    ],
  },
  {
    name: "fixed",
    form: "function",
    deterministic: true,
    sentence: "A number as a text with exactly this many decimal places, rounded half away from zero.",
    example: "fixed(this.rate, 2)",
    literals: ([, digits]) =>
      typeof digits === "number" && !isDigitCount(digits)
        ? { argument: 1, expected: `a number of digits from 0 to ${digitsMax}` }
        : undefined,
    signatures: [
      signature([decimal, integer], string, ([value, digits]) => fixed(value, digits)),
      signature([number, integer], string, ([value, digits]) => fixed(decimalOf(value), digits)),
    ],
  },
];

function rounding(
  name: string,
  mode: Rounding,
  sentence: string,
  ofNumber: (value: number) => number,
): FunctionDefinition {
  const signatures: readonly Signature[] = [
    signature([integer], integer, ([value]) => value),
    signature([number], integer, ([value]) => safe(ofNumber(value))),
    signature([decimal], decimal, ([value]) => roundDecimal(value, 0, mode)),
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

/** An integer beyond ±(2^53−1) is an overflow (decision "Overflow and division by zero"). Adding 0 converts −0 to 0. */
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
    // Like a sent text, it has no U+0000, which not every database can store.
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
