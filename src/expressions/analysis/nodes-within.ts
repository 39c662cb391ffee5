/** Iterates over the nodes of a bound expression. */
import type { Node } from "../node.ts";
import { partsOfNode } from "../nodes.ts";

/** The node and all nodes below it. */
export function* nodesWithin(root: Node): Generator<Node> {
  const open: Node[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    open.push(...partsOfNode(node));
  }
}
