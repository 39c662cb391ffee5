/** Part 8, `page`: the default page size must not exceed the maximum. */
import type { Check } from "../check.ts";

export const defaultOverMaximum: Check = ({ limits }, reporter) => {
  for (const { default: given, maximum, boundAt } of limits.pages)
    if (given !== undefined && maximum !== undefined && given > maximum)
      reporter.report("limits/default-over-maximum", boundAt, { default: given, maximum });
};
