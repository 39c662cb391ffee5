/**
 * The two functions that an expression can't evaluate alone: `sequence(…)` counts in the store,
 * `slug(…)` looks for a free value.
 */
import type { Node } from "./node.ts";
import { someNode } from "./nodes.ts";

/** The sequence of a call `sequence()` or `sequence(repository)`. Undefined for any other expression. */
export function sequenceOf(node: Node): { readonly within?: Node } | undefined {
  if (node.op !== "call" || node.function !== "sequence") return undefined;
  const within = node.args[0];
  return within ? { within } : {};
}

/** Whether an expression numbers records: each one takes the next number. */
export function callsSequence(node: Node): boolean {
  return someNode(node, (inner) => sequenceOf(inner) !== undefined);
}

export function callsSlug(node: Node): boolean {
  return someNode(node, (inner) => inner.op === "call" && inner.function === "slug");
}
