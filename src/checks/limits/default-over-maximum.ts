/** Part 8, `page`: what is given where nothing is asked for may be asked for too. */
import type { Check } from "../check.ts";

export const defaultOverMaximum: Check = ({ limits }, reporter) => {
  for (const { default: given, maximum, boundAt } of limits.pages)
    if (given !== undefined && maximum !== undefined && given > maximum)
      reporter.report("limits/default-over-maximum", boundAt, { default: given, maximum });
};
