/** Chains: names with the fields after them, such as `this.owner.login`. */
import type { Node } from "../../expressions/node.ts";

/** The names after `this` or `path`, also inside a conversion such as `int(path.number)`. */
export function fieldsOf(node: Node, root: string): readonly string[] | undefined {
  const chain = chainOf(node);
  return chain?.root.op === "fixed" && chain.root.name === root ? chain.fields : undefined;
}

/** A name with the fields after it, also inside a conversion. */
export function chainOf(node: Node): { readonly root: Node; readonly fields: readonly string[] } | undefined {
  if (node.op === "fixed" || node.op === "named" || node.op === "local") return { root: node, fields: [] };
  const [only, ...more] = node.op === "call" ? node.args : [];
  if (only && more.length === 0) return chainOf(only);
  const before = node.op === "field" ? chainOf(node.of) : undefined;
  return before && node.op === "field" ? { ...before, fields: [...before.fields, node.name] } : undefined;
}
