/** Random frames: a value for every name that an expression uses, with records of the world. */
import { fc } from "../fixed-seed.ts";
import type { Node } from "../../src/expressions/node.ts";
import { partsOfNode } from "../../src/expressions/nodes.ts";
import type { Type } from "../../src/expressions/type.ts";
import type { Frame, Value } from "../../src/expressions/value.ts";
import { valuesOf } from "./values.ts";
import { frameOf, type World } from "./world.ts";

/**
 * The names that an expression uses: `this` and others, records of the path, variables of enclosing
 * `for` items.
 */
export interface NamesUsed {
  readonly fixed: ReadonlyMap<string, Type>;
  readonly named: ReadonlyMap<string, Type>;
  readonly locals: ReadonlyMap<number, Type>;
}

export function namesUsed(node: Node, world: World): NamesUsed {
  const names = {
    fixed: new Map<string, Type>(),
    named: new Map<string, Type>(),
    locals: new Map<number, Type>(),
  };
  collect(node, names, world, new Set(), new Set());
  return names;
}

type Found = { fixed: Map<string, Type>; named: Map<string, Type>; locals: Map<number, Type> };

function collect(
  node: Node,
  names: Found,
  world: World,
  bound: ReadonlySet<number>,
  bodies: Set<string>,
): void {
  if (node.op === "fixed") names.fixed.set(node.name, node.type);
  if (node.op === "named") names.named.set(node.name, node.type);
  if (node.op === "local" && !bound.has(node.depth)) names.locals.set(node.depth, node.type);
  const inner = node.op === "macro" && node.depth !== undefined ? new Set([...bound, node.depth]) : bound;
  for (const part of partsOfNode(node)) collect(part, names, world, inner, bodies);
  const body = bodyBehind(node, world);
  if (!body || bodies.has(body.name)) return;
  bodies.add(body.name);
  const own: Found = { fixed: new Map(), named: new Map(), locals: new Map() };
  collect(body.node, own, world, new Set(), bodies);
  for (const [name, type] of own.fixed)
    if (name !== "this" && !names.fixed.has(name)) names.fixed.set(name, type);
  for (const [name, type] of own.named) if (!names.named.has(name)) names.named.set(name, type);
}

function bodyBehind(node: Node, { meaning }: World): { name: string; node: Node } | undefined {
  if (node.op === "shape") {
    const body = meaning.shapeBody(node.shape);
    return body && { name: `shape ${node.shape}`, node: body };
  }
  if (node.op !== "field" || (node.of.type.kind !== "record" && node.of.type.kind !== "value"))
    return undefined;
  const { resource } = node.of.type;
  const body = meaning.computed(resource, node.name);
  return body && { name: `computed ${resource}.${node.name}`, node: body };
}

export function randomFrame(names: NamesUsed, seed: number, world: World): Frame {
  let drawn = 0;
  const draw = (type: Type): Value => {
    drawn += 1;
    const random = { seed: seed + drawn, numRuns: 1 };
    if (type.kind !== "record") return fc.sample(valuesOf(type, world.choices), random)[0] as Value;
    const records = world.records.get(type.resource) ?? [];
    return records.length === 0
      ? null
      : (fc.sample(fc.constantFrom(...records, ...records, null), random)[0] as Value);
  };
  const fixed = Object.fromEntries(
    [...names.fixed]
      .filter(([name]) => name !== "this" && name !== "now")
      .map(([name, type]) => [name, draw(type)]),
  );
  const named: Record<string, Value> = Object.create(null);
  for (const [name, type] of names.named) named[name] = draw(type);
  const locals: Value[] = [];
  for (const [depth, type] of names.locals) locals[depth] = draw(type);
  return frameOf({ ...fixed, named, locals });
}
