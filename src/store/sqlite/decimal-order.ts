/** Decimals as texts whose order is that of the numbers, for a database that has no decimals. */
import { canonicalDecimal } from "../../expressions/decimal.ts";

/** Digits of the count of digits: decimals are at most 400 characters long. */
const countDigits = 3;

/**
 * The sort key of a decimal, shared by equal values: its sign, the number of digits before the
 * point, then the digits. Digits of negative numbers are complemented (9 for 0), with an end that
 * sorts after all digits, so that -1.5 comes before -1.
 */
export function decimalOrderKey(decimal: string): string {
  const canonical = canonicalDecimal(decimal);
  if (canonical === "0") return "1";
  const negative = canonical.startsWith("-");
  const [whole, fraction = ""] = (negative ? canonical.slice(1) : canonical).split(".") as [string, string?];
  const significant = whole === "0" ? "" : whole;
  const key = String(significant.length).padStart(countDigits, "0") + significant + fraction;
  if (!negative) return `2${key}`;
  return `0${key.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`;
}
