/** Part 3: a required field is never set to null. */
import { hasRule } from "../../fields/rule.ts";
import { ofAssignments } from "../assignments.ts";
import type { Check } from "../check.ts";

export const requiredCleared: Check = ofAssignments(({ resource, fields }, reporter, model) => {
  const known = model.resources.find(({ name }) => name === resource)?.fields;
  for (const { field, value } of fields) {
    const rules = known?.find((known) => known.name === field)?.rules ?? [];
    if (value.node.op === "literal" && value.node.value === null && hasRule(rules, "required"))
      reporter.report("states/required-cleared", value.position, { field, resource });
  }
});
