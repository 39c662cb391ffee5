/** Part 4, `Does`: all alternatives of one endpoint concern one resource. */
import { choicesOf, subjectOf } from "../../model/endpoints/does.ts";
import type { Check } from "../check.ts";
import { ofAllEndpoints } from "../of-endpoints.ts";

export const severalResources: Check = ofAllEndpoints(({ does }, reporter) => {
  const [first, ...others] = choicesOf(does);
  for (const other of others) {
    const [here, there] = [subjectOf(other), subjectOf(first as typeof other)];
    if (!first || here === there) continue;
    const related = [{ position: first.position, message: "First defined here." }];
    reporter.report("endpoints/several-resources", other.position, { here, there }, related);
  }
});
