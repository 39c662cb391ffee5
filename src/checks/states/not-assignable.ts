/**
 * Part 3: effects can't assign computed fields, fields that only transitions change, or identifying
 * fields.
 */
import { hasRule } from "../../fields/rule.ts";
import type { Field } from "../../model/model.ts";
import { ofAssignments } from "../assignments.ts";
import type { Check } from "../check.ts";

export const notAssignable: Check = ofAssignments(({ resource, making, fields }, reporter, model) => {
  const known = model.resources.find(({ name }) => name === resource)?.fields;
  for (const { field: name, fieldAt } of fields) {
    const field = known?.find((field) => field.name === name);
    const why = field && refusal(field, making);
    if (field && why)
      reporter.report("states/not-assignable", fieldAt, { field: name, resource, why }, [
        { position: field.position, message: "The field is defined here." },
      ]);
  }
});

function refusal({ rules, role }: Field, making: boolean) {
  if (hasRule(rules, "computed")) return "computed";
  if (role === "state") return "state";
  return role === "identifier" && !making ? "identifier" : undefined;
}
