/** Sort keys of decimals: texts in the order of the numbers, for a database without decimals. */
import { canonicalDecimal } from "../../../expressions/decimal.ts";

/** The number of digits of the digit count. Decimals have at most 400 characters. */
const countDigits = 3;

/**
 * The sort key of a decimal, which equal values share.
 *
 * It has the sign, the number of digits before the point, and the digits. For negative numbers,
 * digits are complemented (9 for 0), and the end sorts after all digits, so that -1.5 comes before
 * -1.
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
