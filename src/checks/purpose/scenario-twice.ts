/** Part 1: scenarios are told and run by their names, so each has one of its own, whatever its case. */
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

export const scenarioTwice: Check = ({ scenarios }, reporter) =>
  reportRepeated(
    scenarios,
    // Of those without a name each is told to have none.
    ({ name }) => (name === "" ? undefined : name.toLowerCase()),
    ({ name, position }, related) =>
      reporter.report("purpose/duplicate-scenario", position, { name }, related),
    "The other one is here.",
  );
