/** Fields that are never null, whatever created or changed the record. */
import { hasRule } from "../../fields/rule.ts";
import type { Field, Model, Resource } from "../model.ts";
import { nullnessOf } from "./nullness.ts";

const known = new WeakMap<Model, ReadonlyMap<string, ReadonlySet<string>>>();

/**
 * Whether the field has a value in every record. A computed field is evaluated without a caller, too. Parts of
 * embedded values are never null only if they are `required`, because stored values aren't checked for more.
 */
export function isNeverNull(model: Model, resource: Resource, field: Field): boolean {
  const found = known.get(model) ?? determined(model);
  known.set(model, found);
  return found.get(resource.name)?.has(field.name) === true;
}

/** Whether every write sets the stored field, though it isn't `required`. */
export function isAlwaysSet(model: Model, resource: Resource, field: Field): boolean {
  const { role, rules } = field;
  if (role !== "plain" || hasRule(rules, "required") || hasRule(rules, "computed")) return false;
  return resource.identifier.kind !== "none" && isNeverNull(model, resource, field);
}

function determined(model: Model): ReadonlyMap<string, ReadonlySet<string>> {
  const nullness = nullnessOf(model, "certain");
  return new Map(
    model.resources.map((resource) => {
      const fields = resource.fields.filter(({ name, rules, gap }) => {
        const isOfRecord = resource.identifier.kind !== "none" || hasRule(rules, "computed");
        return (
          !gap &&
          (hasRule(rules, "required") || (isOfRecord && nullness.field(resource.name, name).length === 0))
        );
      });
      return [resource.name, new Set(fields.map(({ name }) => name))];
    }),
  );
}
