/**
 * Detects numbers that lost precision when JSON was parsed. JavaScript writes integers from 10^21
 * on with an exponent; such integers are rarely meant to be exact. Smaller ones are often
 * identifiers of other systems, where a rounded value is a wrong value.
 */
export function isExactNumber(number: number): boolean {
  return !Number.isInteger(number) || Number.isSafeInteger(number) || Math.abs(number) >= exponentFrom;
}

const exponentFrom = 1e21;
