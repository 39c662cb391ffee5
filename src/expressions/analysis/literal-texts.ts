/** Literal results: the texts to which an expression may evaluate, by its literals. */
import type { Node } from "../node.ts";

/**
 * The literal texts that an expression may evaluate to. Undefined stands for a value that is known
 * only at run time.
 */
export function literalResults(node: Node): readonly (string | undefined)[] {
  if (node.op === "if") return [...literalResults(node.then), ...literalResults(node.else)];
  if (node.op === "call" && node.function === "or") return node.args.flatMap(literalResults);
  return [node.op === "literal" && typeof node.value === "string" ? node.value : undefined];
}
