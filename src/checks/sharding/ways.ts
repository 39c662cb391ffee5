/**
 * Which records belong to a tenant, and by which references: `Parcel.shop`, or `Line.order.shop`.
 * Only required references count. A record without one is shared by all tenants.
 */
import { hasRule } from "../../fields/rule.ts";
import type { Field, Model, Resource } from "../../model/model.ts";

export interface Ways {
  readonly tenant: string;
  /** The fields that lead from a record to its tenant, none from the tenant itself; undefined where it has none. */
  of(resource: string): readonly string[] | undefined;
}

export function waysTo(tenant: string, model: Model): Ways {
  const ways = new Map<string, readonly string[]>([[tenant, []]]);
  // The shortest first: each round adds those that are one reference further away.
  for (let added = true; added; ) {
    added = false;
    for (const resource of model.resources.filter(({ name }) => !ways.has(name))) {
      const way = wayOf(resource, ways);
      if (!way) continue;
      ways.set(resource.name, way);
      added = true;
    }
  }
  return { tenant, of: (resource) => ways.get(resource) };
}

function wayOf(
  resource: Resource,
  known: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const ways = resource.fields.flatMap((field) => {
    const rest = field.type.kind === "reference" ? known.get(field.type.resource) : undefined;
    return rest && isAlwaysThere(field) ? [[field.name, ...rest]] : [];
  });
  return ways.toSorted((a, b) => a.length - b.length)[0];
}

function isAlwaysThere({ rules, role }: Field): boolean {
  return role === "identifier" || hasRule(rules, "required") || hasRule(rules, "on create");
}

/** Resources that others always refer to: what a tenant may be. */
export function tenantsPossible(model: Model): readonly string[] {
  const found = model.resources
    .filter(({ identifier }) => identifier.kind !== "none")
    .flatMap(({ fields }) => fields)
    .flatMap((field) =>
      field.type.kind === "reference" && isAlwaysThere(field) ? [field.type.resource] : [],
    );
  return [...new Set(found)];
}
