/**
 * Part 2, `Records of`: a reference of an initial record must lead to an initial record, because no
 * others exist at the start.
 */
import { keyLeaves, keyText } from "../../expressions/key.ts";
import { keyFormsOf } from "../../fields/key.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Model, Resource } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { Check } from "../check.ts";

export const recordReference: Check = (model, reporter) => {
  const resources = new Map(model.resources.map((resource) => [resource.name, resource]));
  const known = new Map<string, ReadonlySet<Json>>();
  for (const { refersTo } of model.resources.flatMap(({ records }) => records)) {
    for (const { resource, key, position } of refersTo) {
      const target = resources.get(resource);
      const names = target ? identifierFields(target) : [];
      if (!target || names.length === 0) continue;
      const keys = known.get(resource) ?? keysOf(target, names, model);
      known.set(resource, keys);
      if (keys.has(key)) continue;
      const value = names.length > 1 ? keyLeaves(String(key)).join(", ") : String(key);
      reporter.report("resources/record-reference", position, { resource, value });
    }
  }
};

function keysOf({ name, records }: Resource, names: readonly string[], model: Model): ReadonlySet<Json> {
  const forms = keyFormsOf(name, (other) => model.resources.find((resource) => resource.name === other));
  const keys = records.map(({ fields }) => {
    const values = names.map((name) => fields[name] ?? null);
    return values.length > 1 ? keyText(values, forms) : (values[0] ?? null);
  });
  return new Set(keys);
}
