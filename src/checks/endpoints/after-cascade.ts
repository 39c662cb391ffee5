/**
 * Part 4, effects after `delete`: they run when the deletion and its cascade are done. A condition
 * that looks for records of the cascade by the deleted record finds none, and the effect changes
 * nothing.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Effect, Resource } from "../../model/model.ts";
import { ofEndpoints } from "../of-endpoints.ts";

export const afterCascade = ofEndpoints(({ does, effects }, reporter, { resources }) => {
  const [action, ...others] = does;
  if (action?.kind !== "delete" || action.every || others.length > 0) return;
  const deleted = resources.find(({ name }) => name === action.resource);
  if (!deleted) return;
  const cascaded = cascadeOf(deleted.name, resources);
  for (const effect of effects) {
    const found = readsOf(effect, deleted, cascaded);
    if (found !== undefined)
      reporter.report("endpoints/after-cascade", effect.position, {
        resource: found,
        deleted: deleted.name,
        variable: deleted.variableName,
      });
  }
});

/** The resources whose records a deletion deletes, too, because they refer to the deleted record. */
function cascadeOf(deleted: string, resources: readonly Resource[]): ReadonlySet<string> {
  const cascaded = new Set([deleted]);
  // The iteration over a set includes entries that are added meanwhile.
  for (const target of cascaded)
    for (const { name, fields } of resources)
      if (
        fields.some(
          ({ type, rules }) => refersTo(type, target) && ruleOf(rules, "on delete")?.then === "cascade",
        )
      )
        cascaded.add(name);
  cascaded.delete(deleted);
  return cascaded;
}

function refersTo(type: FieldType, resource: string): boolean {
  if (type.kind === "list" || type.kind === "map") return refersTo(type.of, resource);
  return type.kind === "reference" && type.resource === resource;
}

/** The resource of the cascade whose records an effect looks for by the deleted record. */
function readsOf(effect: Effect, deleted: Resource, cascaded: ReadonlySet<string>): string | undefined {
  // In the condition of an `update`, `this` is a record that it may change.
  const isOfThis = !("where" in effect);
  const isDeleted = (node: Node): boolean =>
    (node.op === "named" && node.name === deleted.variableName) ||
    (node.op === "fixed" &&
      (node.name === "old" || (node.name === "this" && isOfThis)) &&
      node.type.kind === "record" &&
      node.type.resource === deleted.name);
  let found: string | undefined;
  const isLookUp = (node: Node): boolean => {
    if (node.op !== "binary" || node.operator !== "==") return false;
    const operand = isDeleted(node.left) ? node.right : isDeleted(node.right) ? node.left : undefined;
    found = operand && ownerOf(operand, cascaded);
    return found !== undefined;
  };
  for (const { expression } of expressionsIn([effect])) if (someNode(expression.node, isLookUp)) return found;
  return undefined;
}

/** The resource of the cascade of which a node reads a field: `m.order`, `this.line.order`. */
function ownerOf(node: Node, cascaded: ReadonlySet<string>): string | undefined {
  if (node.op !== "field") return undefined;
  const { of } = node;
  const isCandidate = of.op === "local" || (of.op === "fixed" && of.name === "this");
  return isCandidate && of.type.kind === "record" && cascaded.has(of.type.resource)
    ? of.type.resource
    : ownerOf(of, cascaded);
}
