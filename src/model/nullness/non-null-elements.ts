/**
 * Nullness: records that a condition picks from a list. `exists(x, c)` proves that `first(x, c)`, `filter(x, c)[0]`
 * and `filter(x, c).sort(…).last()` of the same list and condition are not null.
 */
import type { Node } from "../../expressions/node.ts";
import { conjuncts } from "../../expressions/nodes.ts";
import { keyOf, type Place } from "./place.ts";

export interface Pick {
  readonly from: Node;
  readonly condition?: Node;
  readonly depth?: number;
}

export function pickOf(node: Node): Pick | undefined {
  if (node.op === "index")
    return node.index.op === "literal" && node.index.value === 0 ? filterOf(node.of) : undefined;
  if (node.op !== "macro" || !["first", "last", "exists"].includes(node.macro)) return undefined;
  return node.body ? pickBy(node.of, node.body, node.depth) : filterOf(node.of);
}

function filterOf(node: Node): Pick {
  if (node.op === "macro" && node.macro === "sort") return filterOf(node.of);
  if (node.op === "macro" && node.macro === "filter" && node.body)
    return pickBy(node.of, node.body, node.depth);
  return { from: node };
}

function pickBy(from: Node, condition: Node, depth: number | undefined): Pick {
  return { from, condition, ...(depth === undefined ? {} : { depth }) };
}

/** A key that all forms share that pick from the same list with the same conjuncts, in any order. */
export function pickedKey(node: Node, place: Place): string | undefined {
  const pick = pickOf(node);
  if (!pick) return undefined;
  const conditions = pick.condition
    ? conjuncts(pick.condition).map((conjunct) => keyOf(conjunct, place))
    : [];
  return `pick from ${keyOf(pick.from, place)} by ${conditions.sort().join(" && ")}`;
}
