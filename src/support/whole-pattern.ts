/**
 * Patterns of a whole value and patterns that are searched for: rules of a field match the whole
 * value, and JSON Schema searches for a pattern anywhere in a text.
 */

/** Whether a pattern begins with `^` and ends with `$` in each of its alternatives. */
function isAnchoredPattern(pattern: string): boolean {
  return /^\^.*\$$/s.test(pattern) && !/\\\$$/.test(pattern) && !hasAlternatives(pattern);
}

/** `|` outside of groups and classes. */
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

/** The pattern of a whole value in which a pattern is found. */
export function wholePattern(searched: string): string {
  return isAnchoredPattern(searched) ? searched : `${before}${searched}${after}`;
}

/** The pattern to search for, in values that a pattern matches as a whole. */
export function searchedPattern(whole: string): string {
  if (whole.startsWith(before) && whole.endsWith(after)) return whole.slice(before.length, -after.length);
  return isAnchoredPattern(whole) ? whole : `^(?:${whole})$`;
}
