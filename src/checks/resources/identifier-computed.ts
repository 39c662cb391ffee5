/**
 * Part 2, `Identifier`: an identifying field is stored, so a field that is computed on read can't
 * identify. `not-comparable` reports the same for several identifying fields.
 */
import { hasRule } from "../../fields/rule.ts";
import type { Check } from "../check.ts";

export const identifierComputed: Check = (model, reporter) => {
  for (const { identifier, fields } of model.resources) {
    const name = "field" in identifier ? identifier.field : undefined;
    const field = fields.find((field) => field.name === name);
    if (field && hasRule(field.rules, "computed"))
      reporter.report("resources/identifier-computed", field.position, { field: field.name });
  }
};
