/** Part 3: an identifier never changes, and a state does, so a state field can't identify. */
import { identifierFields } from "../../model/meaning.ts";
import type { Check } from "../check.ts";

export const identifierAsState: Check = ({ resources }, reporter) => {
  for (const resource of resources) {
    const { field, fieldAt } = resource.states ?? {};
    if (field !== undefined && fieldAt && identifierFields(resource).includes(field))
      reporter.report("states/identifier-as-state", fieldAt, { field });
  }
};
