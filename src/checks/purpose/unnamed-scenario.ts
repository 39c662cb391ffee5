/** Part 1: reports and commands name scenarios, so each has a name. */
import type { Check } from "../check.ts";

export const unnamedScenario: Check = ({ scenarios }, reporter) => {
  for (const { name, position } of scenarios)
    if (name === "") reporter.report("purpose/unnamed-scenario", position, {});
};
