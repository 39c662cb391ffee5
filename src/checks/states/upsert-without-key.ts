/** Part 3: an `upsert` needs the identifier or unique fields, by which it finds a record. */
import { hasRule } from "../../fields/rule.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Resource } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { effectsOf } from "../effects-of.ts";

export const upsertWithoutKey: Check = (model, reporter) => {
  for (const effect of effectsOf(model)) {
    if (effect.kind !== "create" || !effect.upsert) continue;
    const resource = model.resources.find(({ name }) => name === effect.resource);
    if (!resource || resource.gap || resource.openItems?.unique) continue;
    const keys = keysOf(resource);
    const given = new Set(effect.fields.map(({ field }) => field));
    if (keys.some((key) => key.every((name) => given.has(name)))) continue;
    const by = keys.map((key) => key.join(" and "));
    reporter.report("states/upsert-without-key", effect.resourceAt, { resource: resource.name, by });
  }
};

function keysOf(resource: Resource): readonly (readonly string[])[] {
  const unique = resource.fields.filter(({ rules }) => hasRule(rules, "unique"));
  return [
    identifierFields(resource),
    ...unique.map(({ name }) => [name]),
    ...resource.unique.map(({ fields }) => fields),
  ].filter((key) => key.length > 0);
}
