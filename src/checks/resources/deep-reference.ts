/**
 * Part 2: a deletion finds references inside embedded values to a fixed depth. In a value that
 * contains itself, the deeper ones stay, and lead nowhere.
 */
import { deepReferences } from "../../model/resources/reference-places.ts";
import type { Check } from "../check.ts";

export const deepReference: Check = (model, reporter) => {
  for (const { resource, value, field } of deepReferences(model))
    reporter.report("resources/deep-reference", field.position, { resource, value, name: field.name });
};
