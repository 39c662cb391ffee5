/**
 * Part 2: a value may contain values, and each level may double the size of a record. The number of
 * all its fields, including those of its values, is limited.
 */
import type { FieldType } from "../../fields/type.ts";
import type { Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

/** Maximum number of fields of a record or a value, including the fields within it. Xero Accounting has more than 2,000. */
const fieldsMax = 10_000;

export const tooManyFields: Check = (model, reporter) => {
  const counts = countFields(model);
  for (const { name, position, fields } of model.resources) {
    const count = counts.get(name) ?? 0;
    // If several resources are too large because of each other, the innermost is reported.
    const isInner = fields.some(({ type }) =>
      valuesIn(type).some((inner) => (counts.get(inner) ?? 0) > fieldsMax),
    );
    if (count > fieldsMax && !isInner)
      reporter.report("resources/too-many-fields", position, { name, most: fieldsMax });
  }
};

/** Field counts by resource. Counting stops above the maximum. */
function countFields({ resources }: Model): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const ofType = (type: FieldType): number => {
    if (type.kind === "list" || type.kind === "map") return ofType(type.of);
    if (type.kind === "value") return ofResource(type.resource);
    if (type.kind !== "object") return 0;
    return type.parts.reduce((sum, part) => sum + 1 + ofType(part.type), 0);
  };
  const ofResource = (name: string): number => {
    const known = counts.get(name);
    if (known !== undefined) return known;
    // A value within itself is a different mistake, reported elsewhere.
    counts.set(name, 0);
    const fields = byName.get(name)?.fields ?? [];
    const count = fields.reduce((sum, { type }) => sum + 1 + ofType(type), 0);
    counts.set(name, Math.min(count, fieldsMax + 1));
    return Math.min(count, fieldsMax + 1);
  };
  for (const { name } of resources) ofResource(name);
  return counts;
}

function valuesIn(type: FieldType): readonly string[] {
  if (type.kind === "list" || type.kind === "map") return valuesIn(type.of);
  if (type.kind === "object") return type.parts.flatMap((part) => valuesIn(part.type));
  return type.kind === "value" ? [type.resource] : [];
}
