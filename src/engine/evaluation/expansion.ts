/**
 * Expansion (part 4): replaces references in a response by their records. A request names them as
 * dotted paths through the response's keys. Expansion rewrites the expression of the response,
 * which alone determines the valid paths. `steps/returns.ts` compiles the rewritten expression.
 */
import type { MapEntry, Node } from "../../expressions/node.ts";
import type { Frame } from "../../expressions/value.ts";
import { conditionalNode, depthOf, inlined, renumberVariables } from "../../expressions/nodes.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { Endpoint, Return } from "../../model/model.ts";
import type { ProblemDetail } from "../problem.ts";
import type { EngineContext } from "./engine-context.ts";
import { toOutput } from "../../model/versions/output-nodes.ts";
import { expandRepresentation, nullIfNull } from "../../model/versions/default-representation.ts";

/**
 * Engine defaults: the largest number of paths that one request may expand, and the largest number
 * of keys in a path.
 */
const pathsMax = 20;
const pathDepthMax = 4;

/** Largest number of paths whose validity an endpoint caches. */
const judgedMax = 256;

/** The distinct requested paths, sorted. */
export function expansionPaths(
  context: EngineContext,
  { query, body }: Pick<Frame, "query" | "body">,
): readonly string[] {
  const name = context.model.endpointsPart.expansion;
  if (name === undefined) return [];
  const requested = [query, body].flatMap((place) => {
    const value = (place as { readonly [name: string]: unknown } | null)?.[name] ?? [];
    return (Array.isArray(value) ? value : [value]).map(String);
  });
  return [...new Set(requested)].sort();
}

/**
 * Returns the problems of the requested paths. A later step reports them with the other invalid
 * inputs, before the request changes anything.
 */
export function planWrongExpansions(
  context: EngineContext,
  endpoint: Endpoint,
): (paths: readonly string[]) => readonly ProblemDetail[] {
  const field = context.model.endpointsPart.expansion;
  if (field === undefined) return () => [];
  const judged = new Map<string, boolean>();
  const fits = (path: string): boolean => {
    const known = judged.get(path);
    if (known !== undefined) return known;
    const found = endpoint.returns.some((response) => expandReturn(context, response, [path]) !== response);
    if (judged.size >= judgedMax) judged.clear();
    judged.set(path, found);
    return found;
  };
  return (paths) => {
    if (paths.length > pathsMax)
      return [{ condition: "invalid field", field, problem: `must name at most ${pathsMax} references` }];
    return paths
      .filter((path) => !fits(path))
      .map((path) => ({
        condition: "invalid field",
        field,
        value: path,
        problem: `names no reference within ${pathDepthMax} steps: ${path.slice(0, 200)}`,
      }));
  };
}

/**
 * Expands references in a response. It ignores paths that match no reference; if no path matches,
 * it returns the same object.
 */
export function expandReturn(context: EngineContext, answer: Return, paths: readonly string[]): Return {
  return paths.reduce((known, path) => expandPath(context, known, path.split(".")), answer);
}

function expandPath(context: EngineContext, answer: Return, keys: readonly string[]): Return {
  switch (answer.kind) {
    case "list": {
      const node = expandFrom(context, answer.item.node, keys);
      return node ? { ...answer, item: { ...answer.item, node } } : answer;
    }
    case "page": {
      // The page's shape contains its items. `data.customer` expands the `customer` of each item.
      const whole = outputOf(context, answer.page.node);
      const rest = keysBehindItems(context, whole, keys);
      if (rest) {
        const node = expandFrom(context, answer.item.node, rest);
        return node ? { ...answer, item: { ...answer.item, node } } : answer;
      }
      const node = expandFrom(context, answer.page.node, keys);
      return node ? { ...answer, page: { ...answer.page, node } } : answer;
    }
    case "expression": {
      const node = expandFrom(context, answer.body.node, keys);
      return node ? { ...answer, body: { ...answer.body, node } } : answer;
    }
    default:
      return answer;
  }
}

function expandFrom(context: EngineContext, node: Node, keys: readonly string[]): Node | undefined {
  if (keys.length > pathDepthMax) return undefined;
  const expanded = expandNode(context, outputOf(context, node), keys);
  return expanded && renumberVariables(expanded);
}

function outputOf(context: EngineContext, node: Node): Node {
  return toOutput(context.model, node, context.view);
}

/**
 * Expands the reference at the end of the keys; undefined if the keys do not lead to a reference.
 * @param there the nodes that cannot be null
 */
function expandNode(
  context: EngineContext,
  node: Node,
  keys: readonly string[],
  there?: Node,
): Node | undefined {
  const [key, ...rest] = keys;
  if (key === undefined) return inFull(context, node);
  const opened = openNode(context, node, there);
  switch (opened.op) {
    case "map": {
      const entry = opened.entries.find((mapEntry) => mapEntry.key === key);
      const value = entry && expandValue(context, entry.value, rest);
      return value && withEntry(opened, key, value);
    }
    case "call": {
      if (opened.function === "pick") {
        const [whole, names] = opened.args as [Node, Node];
        const arg = expandNode(context, whole, keys, there);
        return arg && { ...opened, args: [arg, names], type: withKey(opened.type, key, arg.type) };
      }
      if (opened.function !== "merge") return undefined;
      // The last map with the key wins.
      for (let at = opened.args.length - 1; at >= 0; at -= 1) {
        const arg = expandNode(context, opened.args[at] as Node, keys, there);
        if (arg)
          return { ...opened, args: opened.args.with(at, arg), type: withKey(opened.type, key, arg.type) };
      }
      return undefined;
    }
    case "if": {
      const known = opened.condition.op === "binary" ? opened.condition.left : undefined;
      const yes = expandNode(context, opened.then, keys, known);
      const no = expandNode(context, opened.else, keys);
      if (!yes && !no) return undefined;
      const type = (yes ?? no ?? opened).type;
      return conditionalNode(opened.condition, yes ?? opened.then, no ?? opened.else, type);
    }
    case "macro": {
      const body = opened.macro === "map" && opened.body ? expandNode(context, opened.body, keys) : undefined;
      return body ? { ...opened, body, type: { kind: "list", of: body.type } } : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * Returns the type of a merged object with the new type of one key, so that the key's value is
 * serialized by that type.
 */
function withKey(type: Type, key: string, of: Type): Type {
  if (type.kind !== "object") return type;
  const found = of.kind === "object" ? of.fields[key] : undefined;
  return { ...type, fields: { ...type.fields, [key]: found ?? types.any } };
}

/**
 * Expands the value of a key: the reference itself, or a value that contains the rest of the path.
 */
function expandValue(context: EngineContext, value: Node, rest: readonly string[]): Node | undefined {
  if (rest.length === 0) return inFull(context, value);
  const whole = inFull(context, value) ?? value;
  return expandNode(context, whole, rest);
}

/**
 * Returns a reference, or a list of references, in the default representation of the resource;
 * undefined for any other value.
 */
function inFull(context: EngineContext, value: Node): Node | undefined {
  if (value.type.kind === "record") return whereVisible(context, value, value.type.resource);
  if (value.type.kind !== "list" || value.type.of.kind !== "record" || value.op === "macro") return undefined;
  const { resource } = value.type.of;
  return eachOf(value, value.type.of, (element) => whereVisible(context, element, resource));
}

/**
 * Part 2, `Visible`: a record that the caller may not see stays an identifier (decision "Visible
 * and references").
 */
function whereVisible(context: EngineContext, value: Node, name: string): Node {
  const full = openNode(context, shapeOf(context, value, name));
  const visible = context.model.resources.find((resource) => resource.name === name)?.visible;
  return visible
    ? conditionalNode(inlined(visible.node, value, depthOf(value)), full, value, types.any)
    : full;
}

function eachOf(list: Node, type: Type, made: (element: Node) => Node): Node {
  const depth = depthOf(list);
  const body = made({ op: "local", name: "each", depth, type });
  return {
    op: "macro",
    macro: "map",
    of: list,
    variable: "each",
    depth,
    body,
    type: { kind: "list", of: body.type },
  };
}

function shapeOf(context: EngineContext, of: Node, resource: string): Node {
  const shape = context.model.shapes.find(
    (candidate) => candidate.name === resource && candidate.of === resource,
  );
  const node: Node = shape
    ? { op: "shape", shape: shape.name, of, type: shape.body.node.type }
    : { op: "representation", resource, of, type: { kind: "map", of: { kind: "any" } } };
  return outputOf(context, node);
}

/**
 * Replaces a shape or an embedded value by its map, and a list of values by the list of their maps.
 */
function openNode(context: EngineContext, node: Node, there?: Node): Node {
  if (node.op === "field" && node.type.kind === "value") return openValue(context, node, node.type.resource);
  if (node.op === "field" && node.type.kind === "list" && node.type.of.kind === "value") {
    const { resource } = node.type.of;
    return eachOf(node, node.type.of, (element) => openValue(context, element, resource));
  }
  if (node.op === "representation") {
    const resource = context.model.resources.find((candidate) => candidate.name === node.resource);
    if (!resource) return node;
    const open = expandRepresentation(resource, node.of);
    return node.of === there ? open : nullIfNull(node.of, open);
  }
  if (node.op !== "shape") return node;
  const body = context.meaning.shapeBody(node.shape);
  if (!body) return node;
  if (!node.of) return body;
  const open = inlined(body, node.of, depthOf(node.of));
  return node.of === there ? open : nullIfNull(node.of, open);
}

function openValue(context: EngineContext, node: Node, name: string): Node {
  const resource = context.model.resources.find((candidate) => candidate.name === name);
  return resource ? nullIfNull(node, expandRepresentation(resource, node)) : node;
}

function withEntry(node: Extract<Node, { op: "map" }>, key: string, value: Node): Node {
  const entries = node.entries.map((entry): MapEntry => (entry.key === key ? { ...entry, value } : entry));
  const fields = Object.fromEntries(entries.map((entry) => [entry.key, entry.value.type]));
  return { ...node, entries, type: { kind: "object", fields } };
}

/**
 * Returns the part of a path after the key of the page's items; undefined if the path does not
 * start with that key.
 */
function keysBehindItems(
  context: EngineContext,
  node: Node,
  keys: readonly string[],
): readonly string[] | undefined {
  const opened = openNode(context, node);
  if (
    opened.op === "field" &&
    opened.name === "items" &&
    opened.of.op === "fixed" &&
    opened.of.name === "page"
  )
    return keys;
  const [key, ...rest] = keys;
  if (opened.op === "call" && opened.function === "merge") {
    for (const arg of opened.args.toReversed()) {
      const found = keysBehindItems(context, arg, keys);
      if (found) return found;
    }
  }
  if (opened.op !== "map" || key === undefined) return undefined;
  const entry = opened.entries.find((mapEntry) => mapEntry.key === key);
  return entry && keysBehindItems(context, entry.value, rest);
}
