/**
 * Exact decimals: texts (`-12.50`, without leading zeros or exponent) and arithmetic by big
 * integers with a scale. Written decimals keep their trailing zeros, because `12.50` is deliberate;
 * they are compared by value, and computed ones have none. Only quotients and the results of
 * `round` and `fixed` are rounded.
 */

interface Scaled {
  /** The value multiplied by ten to the power of `scale`. */
  readonly units: bigint;
  readonly scale: number;
}

/**
 * Number of fraction digits of a quotient. The rest is cut, because division truncates towards
 * zero.
 */
const quotientDigits = 18;

/** Maximum length of a decimal in characters. A longer result is an overflow, and null. */
export const decimalLengthMax = 400;

/**
 * The stored form of `007.50` (`7.50`), or undefined if the text is no decimal. Zero has no sign.
 */
export function readDecimal(text: string): string | undefined {
  const match = text.length > decimalLengthMax ? null : /^(-?)0*(\d+(?:\.\d+)?)$/.exec(text);
  if (!match) return undefined;
  const [, sign = "", digits = ""] = match;
  return /[1-9]/.test(digits) ? sign + digits : digits;
}

/** The text that equal decimals share: `12.5` for `12.50`. */
export function canonicalDecimal(decimal: string): string {
  return decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal;
}

/** The decimal of a number as it is printed: 0.1 is `0.1` and not the nearest binary fraction. Null if it isn't finite. */
export function decimalOf(number: number): string | null {
  if (!Number.isFinite(number)) return null;
  const text = String(number);
  if (!text.includes("e")) return text === "-0" ? "0" : text;
  const [mantissa, exponent] = text.split("e") as [string, string];
  const { units, scale } = scaled(mantissa);
  const shifted = scale - Number(exponent);
  const whole =
    shifted < 0 ? { units: units * 10n ** BigInt(-shifted), scale: 0 } : { units, scale: shifted };
  return bounded(canonical(whole));
}

export function numberOf(decimal: string): number {
  return Number(decimal);
}

/** Negative, zero or positive, if `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function addDecimals(a: string, b: string): string | null {
  const [left, right, scale] = aligned(a, b);
  return bounded(canonical({ units: left + right, scale }));
}

export function subtractDecimals(a: string, b: string): string | null {
  const [left, right, scale] = aligned(a, b);
  return bounded(canonical({ units: left - right, scale }));
}

export function multiplyDecimals(a: string, b: string): string | null {
  const [left, right] = [scaled(a), scaled(b)];
  return bounded(canonical({ units: left.units * right.units, scale: left.scale + right.scale }));
}

/** Null for a division by zero (decision "Overflow and division by zero"). */
export function divideDecimals(a: string, b: string): string | null {
  const [left, right] = aligned(a, b);
  if (right === 0n) return null;
  return bounded(canonical({ units: (left * 10n ** BigInt(quotientDigits)) / right, scale: quotientDigits }));
}

export function negateDecimal(a: string): string {
  if (!/[1-9]/.test(a)) return a;
  return a.startsWith("-") ? a.slice(1) : `-${a}`;
}

export type Rounding = "nearest" | "down" | "up" | "toward zero";

/** Rounded to a number of fraction digits; `nearest` rounds halves away from zero. */
export function roundDecimal(a: string, digits: number, rounding: Rounding): string {
  const { units, scale } = scaled(a);
  if (scale <= digits) return a;
  const step = 10n ** BigInt(scale - digits);
  const quotient = units / step;
  const rest = units % step;
  const away = units < 0n ? -1n : 1n;
  const further =
    (rounding === "nearest" && absolute(rest) * 2n >= step) ||
    (rounding === "down" && rest < 0n) ||
    (rounding === "up" && rest > 0n);
  return canonical({ units: quotient + (further ? away : 0n), scale: digits });
}

/** With an exact number of fraction digits: `12.5` as `12.50`. */
export function fixedDecimal(a: string, digits: number): string {
  const rounded = roundDecimal(a, digits, "nearest");
  if (digits === 0) return rounded;
  const [whole, fraction = ""] = rounded.split(".") as [string, string?];
  return `${whole}.${fraction.padEnd(digits, "0")}`;
}

function scaled(text: string): Scaled {
  const point = text.indexOf(".");
  if (point === -1) return { units: BigInt(text), scale: 0 };
  return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

function aligned(a: string, b: string): [bigint, bigint, number] {
  const [left, right] = [scaled(a), scaled(b)];
  const scale = Math.max(left.scale, right.scale);
  return [
    left.units * 10n ** BigInt(scale - left.scale),
    right.units * 10n ** BigInt(scale - right.scale),
    scale,
  ];
}

function canonical({ units, scale }: Scaled): string {
  const digits = absolute(units)
    .toString()
    .padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  const text = scale > 0 && fraction !== "" ? `${whole}.${fraction}` : whole;
  return units < 0n ? `-${text}` : text;
}

function bounded(text: string): string | null {
  return text.length > decimalLengthMax ? null : text;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
