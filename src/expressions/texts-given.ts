/** Which texts an expression may come to, as far as it tells before anything is asked. */
import type { Node } from "./node.ts";

/** The literal texts that an expression may come to; undefined stands for what can't be told before a request. */
export function textsGivenBy(node: Node): readonly (string | undefined)[] {
  if (node.op === "if") return [...textsGivenBy(node.then), ...textsGivenBy(node.else)];
  if (node.op === "call" && node.function === "or") return node.args.flatMap(textsGivenBy);
  return [node.op === "literal" && typeof node.value === "string" ? node.value : undefined];
}
