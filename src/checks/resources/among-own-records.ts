/**
 * Part 2: `Fails` of a resource is evaluated before a new record is stored, and after a changed one
 * has its new values. A rule over the records of its own resource therefore sees a changed record
 * among them, and a new one not, unless it leaves the record itself out.
 */
import type { Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Model, Resource } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const amongOwnRecords: Check = (model, reporter) => {
  for (const resource of model.resources) {
    if (!canChange(resource, model)) continue;
    for (const { code, when, position } of resource.fails)
      if (readsOwn(when.node, resource) && !leavesOut(when.node, resource))
        reporter.report("resources/among-own-records", position, { code, resource: resource.name });
  }
};

/** Whether a stored record can change: by an endpoint, or by a transition. */
function canChange({ name, states }: Resource, { endpoints }: Model): boolean {
  return (
    (states?.transitions.length ?? 0) > 0 ||
    endpoints.some(
      ({ resource, does }) =>
        resource === name && does.some(({ kind }) => ["update", "replace", "upsert"].includes(kind)),
    )
  );
}

function readsOwn(node: Node, { name }: Resource): boolean {
  return someNode(node, (part) => part.op === "collection" && part.resource === name);
}

/** Whether a comparison leaves out the record itself, by the record or by what identifies it. */
function leavesOut(node: Node, resource: Resource): boolean {
  const isSelf = (part: Node): boolean =>
    (part.op === "fixed" && part.name === "this") ||
    (part.op === "field" && identifierFields(resource).includes(part.name) && isSelf(part.of));
  return someNode(
    node,
    (part) =>
      part.op === "binary" &&
      (part.operator === "!=" || part.operator === "==") &&
      (isSelf(part.left) || isSelf(part.right)),
  );
}
