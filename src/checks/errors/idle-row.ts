/** Part 7: a row without code and condition is never used. */
import type { Check } from "../check.ts";

export const idleRow: Check = ({ errors }, reporter) => {
  for (const { code, when, gaps, unread, position } of errors.rows)
    if (code === undefined && when.length === 0 && gaps.length === 0 && !unread)
      reporter.report("errors/idle-row", position, {});
};
