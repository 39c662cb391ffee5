/** Part 1: reports and commands name scenarios, so their names are unique without case. */
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

export const duplicateScenario: Check = ({ scenarios }, reporter) =>
  reportRepeated(
    scenarios,
    // Scenarios without a name are reported by another check.
    ({ name }) => (name === "" ? undefined : name.toLowerCase()),
    ({ name, position }, related) =>
      reporter.report("purpose/duplicate-scenario", position, { name }, related),
    "First defined here.",
  );
