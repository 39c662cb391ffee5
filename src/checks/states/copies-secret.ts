/**
 * Part 2: a `shown once` field is stored as a hash. Its text, or anything derived from it, must not
 * be copied to another field, because another request could read the secret.
 */
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import { isShownOnce } from "../../fields/rule.ts";
import type { Model } from "../../model/model.ts";
import { ofAssignments } from "../assignments.ts";
import type { Check } from "../check.ts";

export const copiesSecret: Check = ofAssignments(({ fields }, reporter, model) => {
  for (const { field, value } of fields) {
    const secret = secretIn(value.node, model);
    if (secret) reporter.report("states/copies-secret", value.position, { field, secret });
  }
});

/**
 * The `shown once` field that an expression reads, such as `Session.token`. Undefined if it only
 * compares one.
 */
function secretIn(node: Node, model: Model): string | undefined {
  if (node.op === "binary" || node.op === "has" || (node.op === "call" && node.function === "verify"))
    if (node.type.kind === "boolean") return undefined;
  if (node.op === "field" && node.of.type.kind === "record") {
    const { resource } = node.of.type;
    const field = model.resources
      .find(({ name }) => name === resource)
      ?.fields.find(({ name }) => name === node.name);
    if (field && isShownOnce(field.rules)) return `${resource}.${field.name}`;
  }
  for (const part of partsOfNode(node)) {
    const found = secretIn(part, model);
    if (found) return found;
  }
  return undefined;
}
