/** Part 1: a scenario is told and run by its name. */
import type { Check } from "../check.ts";

export const unnamedScenario: Check = ({ scenarios }, reporter) => {
  for (const { name, position } of scenarios)
    if (name === "") reporter.report("purpose/unnamed-scenario", position, {});
};
