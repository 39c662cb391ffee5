/**
 * `integer`: an integer within ±(2^53−1), which all JSON readers support (RFC 7493). `1.0` and
 * `1e3` are integers.
 */
import { Refusal, type ScalarType } from "./scalar-type.ts";

const notWhole = new Refusal("must be an integer");
const outside = new Refusal(`must be between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`);

/** Without leading zeros, because `/articles/007` must not be a second address of `/articles/7`. */
const textForm = /^-?(?:0|[1-9]\d{0,300})$/;

function readNumber(number: number): number | Refusal {
  // Adding zero converts -0, which databases don't keep, to 0.
  if (Number.isSafeInteger(number)) return number + 0;
  return Number.isInteger(number) ? outside : notWhole;
}

export const integer: ScalarType = {
  kind: "integer",
  sentence: "a whole number",
  read: (json) => (typeof json === "number" ? readNumber(json) : notWhole),
  readText: (text) => (textForm.test(text) ? readNumber(Number(text)) : notWhole),
  schema: () => ({ type: "integer", format: "int64" }),
};
