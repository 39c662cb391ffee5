/** Fields that are never null: `required` ones, and those that every write sets. */
import { hasRule } from "../../fields/rule.ts";
import type { Field, Model, Resource } from "../model.ts";
import { nullnessOf } from "./nullness.ts";

const known = new WeakMap<Model, ReadonlyMap<string, ReadonlySet<string>>>();

/**
 * The stored fields that no write leaves or sets to null without `required`, by resource: their `default` or
 * `on create` always has a value, and nothing clears them.
 */
export function alwaysSetFields(model: Model): ReadonlyMap<string, ReadonlySet<string>> {
  const found = known.get(model) ?? determined(model);
  known.set(model, found);
  return found;
}

function determined(model: Model): ReadonlyMap<string, ReadonlySet<string>> {
  const nullness = nullnessOf(model, "certain");
  const isAlwaysSet = (resource: Resource, { name, role, rules, gap }: Field): boolean =>
    role === "plain" &&
    !gap &&
    !hasRule(rules, "required") &&
    !hasRule(rules, "computed") &&
    nullness.field(resource.name, name).length === 0;
  return new Map(
    model.resources.map((resource) => [
      resource.name,
      new Set(resource.fields.filter((field) => isAlwaysSet(resource, field)).map(({ name }) => name)),
    ]),
  );
}
