/**
 * Size of an expression after its computed fields and shapes are inlined, as in a statement. Each
 * use has a full copy of the body, so a few short lines may become a text that no database accepts.
 */
import { bodyOf } from "./bodies.ts";
import type { Node } from "../node.ts";
import { partsOfNode } from "../nodes.ts";
import type { Meaning } from "../scope.ts";

export interface InlinedSize {
  /** Names, values and operators. */
  readonly size: number;
  /** The body that contributes most to the size: `Order.total`, `Card`. */
  readonly most?: { readonly name: string; readonly size: number };
}

/**
 * Measures expressions of a document. Each body is measured once. A body that contains itself, which another check
 * reports, counts as nothing there.
 */
export function createInlinedSize(meaning: Meaning): (nodes: readonly Node[]) => InlinedSize {
  const bodies = new Map<string, number>();

  const sizeOfBody = (name: string, body: Node): number => {
    const known = bodies.get(name);
    if (known !== undefined) return known;
    bodies.set(name, 0);
    const size = sizeOf(body, () => {});
    bodies.set(name, size);
    return size;
  };

  const sizeOf = (node: Node, visit: (name: string, size: number) => void): number => {
    let size = 1;
    for (const part of partsOfNode(node)) size += sizeOf(part, visit);
    const name = nameOfBody(node);
    const body = name === undefined ? undefined : bodyOf(node, meaning);
    if (name === undefined || !body) return size;
    const inside = sizeOfBody(name, body);
    visit(name, inside);
    return size + inside;
  };

  return (nodes) => {
    const sums = new Map<string, number>();
    let size = 0;
    for (const node of nodes)
      size += sizeOf(node, (name, inside) => sums.set(name, (sums.get(name) ?? 0) + inside));
    const [largest] = [...sums].sort(([, left], [, right]) => right - left);
    return largest ? { size, most: { name: largest[0], size: largest[1] } } : { size };
  };
}

/** The name of a shape or of a computed field. Undefined for a stored field. */
function nameOfBody(node: Node): string | undefined {
  if (node.op === "shape") return node.shape;
  if (node.op === "representation") return node.resource;
  if (node.op !== "field") return undefined;
  const { type } = node.of;
  return type.kind === "record" || type.kind === "value" ? `${type.resource}.${node.name}` : undefined;
}
