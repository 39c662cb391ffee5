/**
 * Whether a number that was read from JSON is the one that was written. Integers from 10^21 on are written with an exponent by JavaScript, and
 * nobody means them to be exact. Those below are identifiers of other systems as often as not, and a rounded one is a wrong one.
 */
export function isExactNumber(number: number): boolean {
  return !Number.isInteger(number) || Number.isSafeInteger(number) || Math.abs(number) >= exponentFrom;
}

const exponentFrom = 1e21;
