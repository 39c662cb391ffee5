/** `decimal`: an exact number, written as a text so that no reader rounds it. Kept without needless zeros. */
import { Refusal, textType } from "./scalar-type.ts";

const form = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Digits of a decimal: far more than money or measurement need, few enough for exact arithmetic to stay cheap. */
const digitsMax = 100;

const tooLong = new Refusal(`must have at most ${digitsMax} digits`);

/** `"007.50"` is `"7.5"`, `"-0.0"` is `"0"`. */
export function readDecimal(text: string): string | Refusal | undefined {
  const match = form.exec(text);
  if (!match) return undefined;
  if (text.length > digitsMax) return tooLong;
  const whole = (match[2] as string).replace(/^0+(?=\d)/, "");
  const fraction = withoutFinalZeros(match[3] ?? "");
  const digits = fraction === "" ? whole : `${whole}.${fraction}`;
  return digits === "0" ? digits : `${match[1]}${digits}`;
}

function withoutFinalZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** Below, at or above zero as the first decimal is smaller than, equal to or greater than the second; both canonical. */
export function compareDecimals(a: string, b: string): number {
  const negative = a.startsWith("-");
  if (negative !== b.startsWith("-")) return negative ? -1 : 1;
  return negative ? compareMagnitudes(b.slice(1), a.slice(1)) : compareMagnitudes(a, b);
}

function compareMagnitudes(a: string, b: string): number {
  const [wholeA = "", fractionA = ""] = a.split(".");
  const [wholeB = "", fractionB = ""] = b.split(".");
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1;
  return fractionA === fractionB ? 0 : fractionA < fractionB ? -1 : 1;
}

export const decimal = textType(
  "decimal",
  {
    refusal: 'must be a decimal number in a string, such as "12.50"',
    sentence: "an exact decimal number, written as a text",
    schema: { type: "string", pattern: "^-?\\d+(\\.\\d+)?$" },
  },
  readDecimal,
);
