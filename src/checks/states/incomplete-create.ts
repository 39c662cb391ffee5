/** Part 3, `create`: it must give every required field that nothing else fills in. */
import { hasRule } from "../../fields/rule.ts";
import type { Field, Resource } from "../../model/model.ts";
import { ofAssignments } from "../assignments.ts";
import type { Check } from "../check.ts";

export const incompleteCreate: Check = ofAssignments(
  ({ resource: name, fields, madeAt }, reporter, model) => {
    const resource = model.resources.find((resource) => resource.name === name);
    if (!madeAt || !resource) return;
    const missing = resource.fields.filter(
      (field) =>
        mustBeGiven(field, resource) && !fields.some((assignment) => assignment.field === field.name),
    );
    if (missing.length === 0) return;
    const related = missing.map((field) => ({
      position: field.position,
      message: `${field.name} is required.`,
    }));
    const params = { resource: name, missing: missing.map((field) => field.name) };
    reporter.report("states/incomplete-create", madeAt, params, related);
  },
);

function mustBeGiven({ role, rules, open }: Field, { identifier }: Resource): boolean {
  if (role === "state" || open?.made || rules.some(({ rule }) => fills.includes(rule))) return false;
  return role === "identifier" ? identifier.kind !== "made" : hasRule(rules, "required");
}

const fills = ["computed", "default", "on create"];
