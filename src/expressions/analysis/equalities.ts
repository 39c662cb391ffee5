/**
 * Equality analysis: which fields of a record a condition requires to equal a value, for an index
 * lookup.
 */
import type { Node } from "../node.ts";
import { conjuncts, disjuncts } from "../nodes.ts";

/** Whether the node is the record that the condition is about. */
export type IsCandidate = (node: Node) => boolean;

/** Maximum number of alternatives into which a condition with `||` is split. */
const setsMax = 4;

/**
 * Sets of fields that must equal a value if the conditions hold, one set for each alternative of an `||`: `this.shop
 * == caller.shop || "courier" in caller.scopes` results in `[shop]` and `[]`. There is at least one set.
 */
export function equalitySets(
  conditions: readonly Node[],
  isCandidate: IsCandidate,
): readonly (readonly string[])[] {
  let sets: readonly (readonly string[])[] = [[]];
  for (const condition of conditions.flatMap(conjuncts)) {
    const alternatives = disjuncts(condition).map((alternative) =>
      conjuncts(alternative).flatMap((term) => equalField(term, isCandidate) ?? []),
    );
    sets = unrepeated(
      sets.flatMap((set) => alternatives.map((alternative) => [...new Set([...set, ...alternative])])),
    ).slice(0, setsMax);
  }
  return sets;
}

/** The name of the field, if the node is just a field of the candidate. */
export function plainField(node: Node, isCandidate: IsCandidate): string | undefined {
  return node.op === "field" && isCandidate(node.of) ? node.name : undefined;
}

/** Whether the candidate occurs in the node. */
function mentions(node: Node, isCandidate: IsCandidate): boolean {
  if (isCandidate(node)) return true;
  return Object.values(node).some((part) => {
    if (Array.isArray(part)) return part.some((item) => isNodeLike(item) && mentions(item, isCandidate));
    return isNodeLike(part) && mentions(part, isCandidate);
  });
}

function isNodeLike(value: unknown): value is Node {
  return typeof value === "object" && value !== null && ("op" in value || "value" in value);
}

/** The field of the candidate that must equal a value, if the node requires nothing else. */
export function equalField(node: Node, isCandidate: IsCandidate): string | undefined {
  if (node.op !== "binary") return undefined;
  const { operator, left, right } = node;
  const leftField = plainField(left, isCandidate);
  if (leftField !== undefined && (operator === "==" || operator === "in") && !mentions(right, isCandidate))
    return leftField;
  const rightField = plainField(right, isCandidate);
  return rightField !== undefined && operator === "==" && !mentions(left, isCandidate)
    ? rightField
    : undefined;
}

function unrepeated(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(sets.map((set) => [set.join(" "), set])).values()];
}
