/**
 * Part 2, `Visible`: tenancy is one line per resource and is easily forgotten. If a resource hides
 * the records of other tenants (`this.shop == caller.shop`), another resource with a reference to
 * the same tenant should hide them too. Otherwise its endpoints should read the caller.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Endpoint, Model, Resource } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const visibleForgotten: Check = (model, reporter) => {
  const tenants = tenantsOf(model);
  const hidden = new Set(
    model.resources.filter((resource) => resource.visible).map((resource) => resource.name),
  );
  for (const resource of model.resources) {
    if (resource.visible || resource.identifier.kind === "none" || tenants.has(resource.name)) continue;
    const field = resource.fields.find(
      (field) => field.type.kind === "reference" && tenants.has(field.type.resource),
    );
    if (field?.type.kind !== "reference") continue;
    const open = model.endpoints.find(
      (endpoint) => endpoint.resource === resource.name && isOpenToAll(endpoint, hidden),
    );
    if (!open) continue;
    const tenant = field.type.resource;
    const params = {
      resource: resource.name,
      field: field.name,
      tenant,
      other: tenants.get(tenant) as string,
    };
    reporter.report("resources/visible-forgotten", resource.position, params, [
      { position: open.position, message: "Its records can be read here." },
    ]);
  }
};

/** The resources that some `Visible` compares with the caller's, each with the name of a resource that has such a `Visible`. */
function tenantsOf(model: Model): Map<string, string> {
  const tenants = new Map<string, string>();
  for (const resource of model.resources) {
    const node = resource.visible?.node;
    if (!node) continue;
    someNode(node, (node) => {
      const tenant = comparedTenant(node, resource);
      if (tenant !== undefined && !tenants.has(tenant)) tenants.set(tenant, resource.name);
      return false;
    });
  }
  return tenants;
}

/** `this.shop == caller.shop` → `Shop` */
function comparedTenant(node: Node, resource: Resource): string | undefined {
  if (node.op !== "binary" || node.operator !== "==") return undefined;
  const { left, right } = node;
  const own = [left, right].find(
    (side) => side.op === "field" && side.of.op === "fixed" && side.of.name === "this",
  );
  const otherSide = own === left ? right : left;
  if (own?.op !== "field" || own.type.kind !== "record" || own.type.resource === resource.name)
    return undefined;
  return someNode(otherSide, (other) => other.op === "fixed" && other.name === "caller")
    ? own.type.resource
    : undefined;
}

/**
 * A create shows no existing records. Every other operation does, unless one of its expressions
 * reads the caller.
 */
function isOpenToAll(endpoint: Endpoint, hidden: ReadonlySet<string>): boolean {
  if (endpoint.gap || endpoint.does.length === 0 || endpoint.does.every((action) => action.kind === "create"))
    return false;
  // Records that belong to a hidden record are hidden, too.
  if (endpoint.scope && endpoint.records.some((record) => hidden.has(record.resource))) return false;
  const allowed = [endpoint.allowed, ...endpoint.records.map((record) => record.allowed)].flat();
  const conditions: readonly Expression[] = [
    ...endpoint.where,
    ...endpoint.records.flatMap((record) => record.where),
    ...allowed.flatMap((allowed) => (allowed.kind === "condition" ? [allowed.condition] : [])),
    ...endpoint.fails.map((fail) => fail.when),
  ];
  return !conditions.some((expression) =>
    someNode(expression.node, (node) => node.op === "fixed" && node.name === "caller"),
  );
}
