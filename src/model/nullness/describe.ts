/** Nullness: the text of a node that may be null, for messages. */
import type { Node } from "../../expressions/node.ts";

/** The node as authors write it, with `…` for arguments: `this.ends`, `Order.first(…)`. */
export function describeNode(node: Node): string {
  switch (node.op) {
    case "fixed":
    case "named":
    case "local":
      return node.name;
    case "literal":
      return JSON.stringify(node.value);
    case "collection":
      return node.resource;
    case "field":
      return `${describeNode(node.of)}.${node.name}`;
    case "index":
      return `${describeNode(node.of)}[…]`;
    case "macro":
      return `${describeNode(node.of)}.${node.macro}(…)`;
    case "call":
      return `${node.function}(…)`;
    case "binary":
      return `${describeNode(node.left)} ${node.operator} ${describeNode(node.right)}`;
    default:
      return "…";
  }
}
