/** Node utilities: parts, traversal, copies with other parts, and constructors of simple nodes. */
import type { Node } from "./node.ts";
import type { Type } from "./type.ts";

export function fieldNode(of: Node, name: string, type: Type): Node {
  return { op: "field", of, name, type };
}

export function namedNode(name: string, type: Type): Node {
  return { op: "named", name, type };
}

/** `condition ? yes : no`. */
export function conditionalNode(condition: Node, yes: Node, no: Node, type: Type): Node {
  return { op: "if", condition, then: yes, else: no, type };
}

/**
 * Distributes an access over a choice: `(c ? a : b).x` becomes `c ? a.x : b.x`. Undefined if there
 * is no choice.
 */
export function distributeOverChoice(node: Node): Node | undefined {
  if (node.op !== "field" && node.op !== "has" && node.op !== "shape" && node.op !== "representation")
    return undefined;
  const { of } = node;
  if (of?.op === "if")
    return conditionalNode(of.condition, { ...node, of: of.then }, { ...node, of: of.else }, node.type);
  if (of?.op !== "call" || of.function !== "or") return undefined;
  const [first, ...others] = of.args;
  if (!first || others.length === 0) return first && { ...node, of: first };
  return conditionalNode(
    notNull(first),
    { ...node, of: first },
    { ...node, of: { ...of, args: others } },
    node.type,
  );
}

/**
 * Distributes a path over a list: `list.first(x, c).path` becomes `list.filter(x, c).map(x, x.path).first()`. So the
 * path is read where the elements are. Undefined for other nodes.
 */
export function distributeOverList(node: Node): Node | undefined {
  const base = baseOf(node);
  if (base === node || base.op !== "macro" || (base.macro !== "first" && base.macro !== "last"))
    return undefined;
  const { macro, of, variable = "#chosen", depth = depthOf(of) } = base;
  const element: Node = { op: "local", name: variable, depth, type: base.type };
  const chosen: Node = base.body ? { ...base, macro: "filter", type: of.type } : of;
  const type: Type = { kind: "list", of: node.type };
  const paths: Node = {
    op: "macro",
    macro: "map",
    of: chosen,
    variable,
    depth,
    body: onBase(node, element),
    type,
  };
  return { op: "macro", macro, of: paths, type: node.type };
}

/** What a path of fields starts from. */
function baseOf(node: Node): Node {
  return node.op === "field" ? baseOf(node.of) : node;
}

function onBase(node: Node, base: Node): Node {
  return node.op === "field" ? { ...node, of: onBase(node.of, base) } : base;
}

/** `x != null`. */
export function notNull(left: Node): Node {
  const right: Node = { op: "literal", value: null, type: { kind: "null" } };
  return { op: "binary", operator: "!=", left, right, type: { kind: "boolean" } };
}

/** The conjuncts of a condition: the operands of its `&&`. */
export function conjuncts(node: Node): readonly Node[] {
  return node.op === "and" ? [...conjuncts(node.left), ...conjuncts(node.right)] : [node];
}

/** The alternatives of a condition: those that `||` joins. */
export function disjuncts(node: Node): readonly Node[] {
  return node.op === "or" ? [...disjuncts(node.left), ...disjuncts(node.right)] : [node];
}

/** The direct children of a node, in the order of the text. */
export function partsOfNode(node: Node): readonly Node[] {
  switch (node.op) {
    case "field":
    case "has":
    case "not":
    case "negate":
    case "representation":
      return [node.of];
    case "index":
      return [node.of, node.index];
    case "and":
    case "or":
    case "binary":
      return [node.left, node.right];
    case "if":
      return [node.condition, node.then, node.else];
    case "list":
      return node.items;
    case "map":
      return node.entries.map((entry) => entry.value);
    case "call":
      return node.args;
    case "key":
      return node.parts;
    case "macro":
      return node.body ? [node.of, node.body] : [node.of];
    case "shape":
      return node.of ? [node.of] : [];
    default:
      return [];
  }
}

/** Calls `visit` for the node and all nodes inside it, parents first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const part of partsOfNode(node)) walk(part, visit);
}

/**
 * Whether the test holds for the node or any node inside it. It doesn't follow bodies of computed
 * fields and shapes.
 */
export function someNode(node: Node, test: (node: Node) => boolean): boolean {
  return test(node) || partsOfNode(node).some((part) => someNode(part, test));
}

/** A copy of the node with changed children. The node itself if none changed. */
export function withParts(node: Node, change: (part: Node) => Node): Node {
  switch (node.op) {
    case "field":
    case "has":
    case "not":
    case "negate":
    case "representation":
      return { ...node, of: change(node.of) };
    case "index":
      return { ...node, of: change(node.of), index: change(node.index) };
    case "and":
    case "or":
      return { ...node, left: change(node.left), right: change(node.right) };
    case "binary":
      return { ...node, left: change(node.left), right: change(node.right) };
    case "if":
      return conditionalNode(change(node.condition), change(node.then), change(node.else), node.type);
    case "list":
      return { ...node, items: node.items.map(change) };
    case "map":
      return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: change(entry.value) })) };
    case "call":
      return { ...node, args: node.args.map(change) };
    case "key":
      return { ...node, parts: node.parts.map(change) };
    case "macro":
      return { ...node, of: change(node.of), ...(node.body ? { body: change(node.body) } : {}) };
    case "shape":
      return node.of ? { ...node, of: change(node.of) } : node;
    default:
      return node;
  }
}

/**
 * Inlines the body of a computed field or a shape: replaces `this` by its argument and renumbers
 * its variables after those in use there.
 */
export function inlined(body: Node, of: Node | undefined, depth: number): Node {
  if (body.op === "fixed" && body.name === "this" && of) return of;
  if (body.op === "local") return { ...body, depth: body.depth + depth };
  const moved = withParts(body, (part) => inlined(part, of, depth));
  return moved.op === "macro" && moved.depth !== undefined ? { ...moved, depth: moved.depth + depth } : moved;
}

/** The depth of the next variable: greater than that of all variables in the node. */
export function depthOf(node: Node): number {
  const own =
    node.op === "local" || (node.op === "macro" && node.depth !== undefined) ? (node.depth as number) + 1 : 0;
  return partsOfNode(node).reduce((deepest, part) => Math.max(deepest, depthOf(part)), own);
}

/**
 * Renames variables of values that are inserted into a macro. A function stores variables by depth, so two variables
 * of the same depth would be one.
 */
export function renumberVariables(
  node: Node,
  inPlay = 0,
  moved: ReadonlyMap<number, number> = new Map(),
): Node {
  if (node.op === "local") return { ...node, depth: moved.get(node.depth) ?? node.depth };
  if (node.op !== "macro" || node.depth === undefined || !node.body)
    return withParts(node, (part) => renumberVariables(part, inPlay, moved));
  const depth = Math.max(node.depth, inPlay);
  const of = renumberVariables(node.of, inPlay, moved);
  const body = renumberVariables(node.body, depth + 1, new Map([...moved, [node.depth, depth]]));
  return { ...node, depth, of, body };
}

/** Whether an expression makes the value. Such a value may omit optional keys; a stored or sent one has all keys. */
export function isBuilt(node: Node): boolean {
  if (node.op === "field" || node.op === "index") return node.built === true;
  return node.op !== "fixed" && node.op !== "local";
}
