/** Creation value: the expression that fills a field of a new record. */
import type { Node } from "../../expressions/node.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { Field, Resource } from "../model.ts";

/** The expression that fills a field of a new record when no value is given. */
export function creationValue(resource: Resource, field: Field): Node | undefined {
  const { identifier, states } = resource;
  if (identifier.kind === "made" && identifier.field === field.name) return identifier.by?.node;
  if (field.role === "state") return states?.initial?.node;
  return (ruleOf(field.rules, "on create") ?? ruleOf(field.rules, "default"))?.value.node;
}
