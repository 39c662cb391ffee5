/**
 * Conversion between whole-value patterns and searched patterns. A field's rule matches the whole
 * value, while JSON Schema searches for a pattern anywhere in a text.
 */

/** Whether each alternative of a pattern begins with `^` and ends with `$`. */
function isAnchoredPattern(pattern: string): boolean {
  return /^\^.*\$$/s.test(pattern) && !/\\\$$/.test(pattern) && !hasAlternatives(pattern);
}

/** Whether a pattern has a `|` outside of groups and classes. */
function hasAlternatives(pattern: string): boolean {
  let depth = 0;
  let isInClass = false;
  for (const [sign] of pattern.matchAll(/\\.|./gs)) {
    if (sign === "[") isInClass = true;
    else if (sign === "]") isInClass = false;
    else if (isInClass) continue;
    else if (sign === "(") depth += 1;
    else if (sign === ")") depth -= 1;
    else if (sign === "|" && depth === 0) return true;
  }
  return false;
}

const before = "(?s:.*?)(?:";
const after = ")(?s:.*)";

/** The whole-value pattern that matches values in which a pattern is found. */
export function wholePattern(searched: string): string {
  return isAnchoredPattern(searched) ? searched : `${before}${searched}${after}`;
}

/** The searched pattern that matches the values of a whole-value pattern. */
export function searchedPattern(whole: string): string {
  if (whole.startsWith(before) && whole.endsWith(after)) return whole.slice(before.length, -after.length);
  return isAnchoredPattern(whole) ? whole : `^(?:${whole})$`;
}
