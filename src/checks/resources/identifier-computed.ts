/**
 * Part 2, `Identifier`: what identifies a record is stored with it. A field that is worked out when it is read has no place in the store. Of
 * several fields that identify together, `not-comparable` says the same.
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
