/** Full visibility: the resources of which the callers of an endpoint may read every record. */
import { isSameText } from "../../expressions/analysis/exclusion.ts";
import type { Node } from "../../expressions/node.ts";
import { conjuncts, disjuncts } from "../../expressions/nodes.ts";
import type { Endpoint, Model, Resource } from "../model.ts";

/** Whether `Visible` shows all records of a resource to the callers that `Allowed` requires: `caller.role == "admin"`. */
export function fullyVisibleResources(
  { resources }: Model,
  { allowed, records }: Endpoint,
): ReadonlySet<string> {
  const facts = [...allowed, ...records.flatMap((record) => record.allowed)].flatMap((record) =>
    record.kind === "condition" ? conjuncts(record.condition.node) : [],
  );
  const isFact = (node: Node) => facts.some((fact) => isSameText(fact, node));
  const isVisible = ({ visible }: Resource) =>
    visible !== undefined &&
    disjuncts(visible.node).some((alternative) => conjuncts(alternative).every(isFact));
  return new Set(resources.filter(isVisible).map(({ name }) => name));
}
