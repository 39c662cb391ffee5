/** Part 3: an effect that assigns a field twice leaves its value unclear. */
import { ofAssignments } from "../assignments.ts";
import type { Check } from "../check.ts";

export const assignedTwice: Check = ofAssignments(({ fields }, reporter) => {
  for (const [at, { field, fieldAt }] of fields.entries())
    if (fields.slice(0, at).some((assignment) => assignment.field === field))
      reporter.report("states/assigned-twice", fieldAt, { name: field });
});
