/**
 * Names with several resources: `caller` and `credential` if schemes of several resources may apply
 * (part 5, Caller), and `this` in part 7 if an error may be about any record. Each use becomes a
 * choice between the resources, or null if the record belongs to none of them. A use that doesn't
 * distinguish them is a mistake, so that no record is mistaken for another's.
 */
import { conditionalNode } from "../nodes.ts";
import type { Node } from "../node.ts";
import { join } from "../relations.ts";
import type { AmbiguousName } from "../scope.ts";
import { type Type, types } from "../type.ts";
import { type Binding, mistake, withPosition, type Range, rangeOf } from "./context.ts";

/** The resources that the record may belong to. Undefined for any other node. */
export function possibleResources({ scope }: Binding, node: Node): readonly string[] | undefined {
  if (node.op !== "fixed" || node.type.kind !== "any" || !scope.several) return undefined;
  return Object.hasOwn(scope.several, node.name) ? scope.several[node.name as AmbiguousName] : undefined;
}

/** Notes that the resource must be distinguished before the expression ends. */
export function deferDistinction(binding: Binding, node: Node): Node {
  if (possibleResources(binding, node)) binding.progress.several.add(node);
  return node;
}

/** No distinction is needed: the expression tests only whether there is one. */
export function resolveDistinction({ progress }: Binding, node: Node): void {
  progress.several.delete(node);
}

/**
 * The node compared with a type: the record of that resource, else null. The node itself if the
 * type doesn't decide.
 */
export function castToResource(binding: Binding, node: Node, expected: Type): Node {
  const resources = possibleResources(binding, node);
  if (!resources || expected.kind !== "record") return node;
  resolveDistinction(binding, node);
  const type: Type = { kind: "record", resource: expected.resource };
  if (!resources.includes(expected.resource))
    return mistake(binding, "expressions/never-equal", rangeOf(binding, node), {
      left: `a record of ${listed(resources)}`,
      right: `a record of ${expected.resource}`,
    });
  const alone = withPosition(binding, { ...node, type } as Node, rangeOf(binding, node));
  return withPosition(binding, onlyOf(node, expected.resource, alone, nothing), rangeOf(binding, node));
}

/**
 * A field of whichever resources have it.
 * @param fieldOf binds it on a record of one resource; undefined if that resource doesn't have it
 */
export function bindFieldOfAny(
  binding: Binding,
  node: Node,
  fieldOf: (record: Node) => Node | undefined,
): Node | undefined {
  const resources = possibleResources(binding, node) ?? [];
  resolveDistinction(binding, node);
  const found = resources.flatMap((resource) => {
    const field = fieldOf({ ...node, type: { kind: "record", resource } } as Node);
    return field ? [{ resource, field }] : [];
  });
  return found.reduceRight<Node | undefined>(
    (otherwise, { resource, field }) => onlyOf(node, resource, field, otherwise ?? nothing, binding),
    undefined,
  );
}

/** The result for each resource to which it may belong. */
export function bindForEachResource(
  binding: Binding,
  node: Node,
  make: (binding: Binding, record: Node) => Node | undefined,
): Node | undefined {
  return possibleResources(binding, node)
    ? bindFieldOfAny(binding, node, (record) =>
        make(binding, withPosition(binding, record, rangeOf(binding, node))),
      )
    : undefined;
}

export function reportUndistinguished(binding: Binding): void {
  for (const node of binding.progress.several) {
    const resources = possibleResources(binding, node) ?? [];
    mistake(binding, "expressions/several-callers", rangeOf(binding, node) as Range, {
      name: node.op === "fixed" ? node.name : "caller",
      resources: listed(resources),
    });
  }
}

const nothing: Node = { op: "literal", value: null, type: types.null };

function onlyOf(node: Node, resource: string, then: Node, otherwise: Node, binding?: Binding): Node {
  const tag: Node = { op: "field", of: node, name: "#resource", type: types.string };
  const right: Node = { op: "literal", value: resource, type: types.string };
  const type = binding ? join(then.type, otherwise.type, binding.words) : then.type;
  return conditionalNode(
    { op: "binary", operator: "==", left: tag, right, type: types.boolean },
    then,
    otherwise,
    type,
  );
}

function listed(resources: readonly string[]): string {
  return resources.join(" or of ");
}
