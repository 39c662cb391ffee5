/** Part 1: scenarios are told and run by their names, so each has one of its own, whatever its case. */
import type { Scenario } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const scenarioTwice: Check = ({ scenarios }, reporter) => {
  const first = new Map<string, Scenario>();
  for (const scenario of scenarios) {
    const { name, position } = scenario;
    // One without a name was told where it was read.
    if (name === "") continue;
    const twin = first.get(name.toLowerCase());
    if (twin) {
      const related = [{ position: twin.position, message: "The other one stands here." }];
      reporter.report("purpose/duplicate-scenario", position, { name }, related);
    } else first.set(name.toLowerCase(), scenario);
  }
};
