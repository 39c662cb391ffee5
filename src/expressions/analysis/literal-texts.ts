/** Which texts an expression may evaluate to, as far as its literals show. */
import type { Node } from "../node.ts";

/**
 * The literal texts that an expression may evaluate to. Undefined stands for a value that is known
 * only at run time.
 */
export function textsGivenBy(node: Node): readonly (string | undefined)[] {
  if (node.op === "if") return [...textsGivenBy(node.then), ...textsGivenBy(node.else)];
  if (node.op === "call" && node.function === "or") return node.args.flatMap(textsGivenBy);
  return [node.op === "literal" && typeof node.value === "string" ? node.value : undefined];
}
