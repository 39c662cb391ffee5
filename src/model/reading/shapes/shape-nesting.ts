/**
 * Shape nesting, computed from the texts before any is bound. Binding, writing and compiling a
 * shape traverses all shapes in it, so a few lines that double each other could exceed any machine.
 */
import { namesIn } from "../any-part/mentions.ts";

/** Maximum depth of nested shapes. The deepest known public contract has nine. */
export const shapeDepthMax = 24;

/** Maximum number of shapes in a shape, counted as often as they occur. */
export const shapePartsMax = 1000;

interface Extent {
  readonly depth: number;
  readonly parts: number;
}

/**
 * The names of shapes that nest too deeply or contain too much. Cyclic shapes are reported
 * elsewhere and count as leaves here.
 */
export function oversizedShapes(bodies: ReadonlyMap<string, string>): ReadonlySet<string> {
  const extents = new Map<string, Extent>();
  const overgrown = new Set<string>();
  for (const name of bodies.keys()) measure(name, bodies, extents, overgrown);
  return overgrown;
}

/** Measures inner shapes first, with an explicit stack, because the text determines the depth. */
function measure(
  root: string,
  bodies: ReadonlyMap<string, string>,
  extents: Map<string, Extent>,
  overgrown: Set<string>,
): void {
  const open = [{ name: root, inner: innerShapes(root, bodies), at: 0 }];
  const onPath = new Set([root]);
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const next = top.inner[top.at];
    top.at += 1;
    if (next !== undefined) {
      if (extents.has(next) || onPath.has(next)) continue;
      onPath.add(next);
      open.push({ name: next, inner: innerShapes(next, bodies), at: 0 });
      continue;
    }
    const extent = extentOf(top.inner, extents);
    // A reported shape is cut off, and counts as a leaf of the shapes around it.
    const isOvergrown = extent.depth > shapeDepthMax || extent.parts > shapePartsMax;
    if (isOvergrown) overgrown.add(top.name);
    extents.set(top.name, isOvergrown ? { depth: 1, parts: 1 } : extent);
    onPath.delete(top.name);
    open.pop();
  }
}

function innerShapes(name: string, bodies: ReadonlyMap<string, string>): readonly string[] {
  // Within its own block, the name means the default representation.
  return namesIn(bodies.get(name) ?? "").filter((inner) => inner !== name && bodies.has(inner));
}

function extentOf(inner: readonly string[], extents: ReadonlyMap<string, Extent>): Extent {
  const found = inner.map((name) => extents.get(name) ?? { depth: 1, parts: 1 });
  return {
    depth: 1 + found.reduce((deepest, extent) => Math.max(deepest, extent.depth), 0),
    parts: 1 + found.reduce((sum, extent) => sum + extent.parts, 0),
  };
}
