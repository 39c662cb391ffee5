/**
 * What an expression becomes where it is shown to the world. Inside the service `this.key` is what is stored; in an answer a field
 * that is `shown once` is its plain text in the answer to the request that set it, and nothing at any other time (part 2); and the
 * callers of an older version are given the names that they know (part 9).
 */
import { there } from "../../support/there.ts";
import type { MapEntry, Node } from "../../expressions/node.ts";
import { depthOf, fieldNode, inlined, namedNode, withParts } from "../../expressions/nodes.ts";
import { type Type, types } from "../../expressions/type.ts";
import { isHidden, isShownOnce } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import type { Model, Resource, Shape } from "../model.ts";
import { eachOf, mapNode, type Shown } from "./shown-entries.ts";
import type { SpokenVersion } from "./spoken-version.ts";

interface Rewriting {
  readonly model: Model;
  readonly view: SpokenVersion | undefined;
  readonly resources: ReadonlyMap<string, Resource>;
  /** The embedded values that are being written, from the outermost to the innermost. */
  readonly opening: readonly string[];
  /** Shapes and embedded values stay what they are named, for whoever describes each of them by itself. */
  readonly namesStay?: boolean;
}

export function toOutput(model: Model, node: Node, view?: SpokenVersion): Node {
  const secretive = model.resources.some((one) => one.fields.some((field) => isShownOnce(field.rules)));
  if (!secretive && !view) return node;
  const rewriting = {
    model,
    view,
    resources: new Map(model.resources.map((one) => [one.name, one])),
    opening: [],
  };
  return embedded(rewrite(node, rewriting), rewriting);
}

/** What a shape of the document shows of `this`, with the keys of the version. The shapes and values in it stay names. */
export function shownShape(model: Model, shape: Shape, view?: SpokenVersion): Node {
  const rewriting = byName(model, view);
  return versioned(rewrite(shape.body.node, rewriting), shownOf(shape), rewriting);
}

/** What the standing shape of a resource, or of a value, shows of `this`. */
export function shownStanding(model: Model, resource: Resource, view?: SpokenVersion): Node {
  const thing: Node = { op: "fixed", name: "this", type: { kind: "record", resource: resource.name } };
  return opened(resource, thing, byName(model, view));
}

/** An answer's expression as it is shown, the shapes and values in it staying names. */
export function shownByName(model: Model, node: Node, view?: SpokenVersion): Node {
  return rewrite(node, byName(model, view));
}

function byName(model: Model, view: SpokenVersion | undefined): Rewriting {
  const resources = new Map(model.resources.map((one) => [one.name, one]));
  return { model, view, resources, opening: [], namesStay: true };
}

function rewrite(node: Node, rewriting: Rewriting): Node {
  if (node.op === "shape" && !rewriting.namesStay) return rewriteShape(node, rewriting);
  if (node.op === "standing" && !rewriting.namesStay) {
    const resource = rewriting.resources.get(node.resource);
    if (resource && (rewriting.view || resource.fields.some((field) => isShownOnce(field.rules)))) {
      const of = rewrite(node.of, rewriting);
      return unlessNull(node.of, opened(resource, of, rewriting));
    }
  }
  if (node.op === "field" && (node.of.type.kind === "record" || node.of.type.kind === "value")) {
    const field = rewriting.resources
      .get(node.of.type.resource)
      ?.fields.find((one) => one.name === node.name);
    if (field && isShownOnce(field.rules)) return shownNode(node.of, node.name);
  }
  // What is only compared isn't shown.
  if (node.op === "call" && node.function === "verify") return node;
  const written = withParts(node, (child) => rewrite(child, rewriting));
  // What stands in a map or a list is shown as it is; what is only reckoned with keeps the names of now.
  if (!rewriting.view) return written;
  if (written.op === "map")
    return mapNode(written.entries.map((entry) => ({ ...entry, value: embedded(entry.value, rewriting) })));
  if (written.op === "list")
    return { ...written, items: written.items.map((item) => embedded(item, rewriting)) };
  return written;
}

/** The shape's body with its argument for `this`, so that what it shows can be rewritten as well. */
function rewriteShape(node: Extract<Node, { op: "shape" }>, rewriting: Rewriting): Node {
  const shape = rewriting.model.shapes.find((one) => one.name === node.shape);
  if (!shape) return withParts(node, (child) => rewrite(child, rewriting));
  const body = rewrite(shape.body.node, rewriting);
  const own = versioned(body, shownOf(shape), rewriting);
  if (!node.of) return own;
  const of = rewrite(node.of, rewriting);
  return unlessNull(node.of, inlined(own, of, depthOf(of)));
}

function shownOf(shape: Shape): Shown {
  const thing: Node = { op: "fixed", name: "this", type: types.any };
  return { name: shape.name, thing, ...(shape.of === undefined ? {} : { of: shape.of }) };
}

/** The keys of this version, in every map that the shape's own keys come from. */
function versioned(node: Node, shown: Shown, rewriting: Rewriting): Node {
  const { view } = rewriting;
  if (!view) return node;
  if (node.op === "map") return mapNode(view.entries(shown, node.entries));
  if (node.op === "call" && node.function === "merge")
    return { ...node, args: node.args.map((one) => versioned(one, shown, rewriting)) };
  if (node.op === "call" && node.function === "pick")
    return { ...node, args: node.args.map((one, at) => (at === 0 ? versioned(one, shown, rewriting) : one)) };
  if (node.op === "if")
    return {
      ...node,
      then: versioned(node.then, shown, rewriting),
      else: versioned(node.else, shown, rewriting),
    };
  return node;
}

/** The standing shape of a thing, with the keys of this version. */
function opened(resource: Resource, thing: Node, rewriting: Rewriting): Node {
  return versioned(standingEntries(resource, thing, rewriting), { name: resource.name, thing }, rewriting);
}

/** A shape of nothing is nothing. `this` itself is always there. */
export function unlessNull(of: Node, node: Node): Node {
  if (of.op === "fixed" || of.op === "local") return node;
  const isThere: Node = {
    op: "binary",
    operator: "!=",
    left: of,
    right: { op: "literal", value: null, type: types.null },
    type: types.boolean,
  };
  return {
    op: "if",
    condition: isThere,
    then: node,
    else: { op: "literal", value: null, type: types.null },
    type: node.type,
  };
}

/** A resource's standing shape as the map that it stands for. */
export function openStanding(model: Model, resource: Resource, of: Node): Node {
  return standingEntries(resource, of, { model, view: undefined, resources: new Map(), opening: [] });
}

/** The standing shape, field by field. */
function standingEntries(resource: Resource, of: Node, rewriting: Rewriting): Node {
  const entries: MapEntry[] = [];
  for (const field of resource.fields) {
    if (isHidden(field.rules)) continue;
    if (isShownOnce(field.rules))
      entries.push({ key: field.name, optional: true, value: shownNode(of, field.name) });
    // Part 2: a password is stored as a hash, so there is none to show.
    else if (field.type.kind !== "password") {
      const value = fieldNode(of, field.name, expressionType(field.type));
      entries.push({ key: field.name, optional: false, value: embedded(value, rewriting) });
    }
  }
  const fields = Object.fromEntries(entries.map((entry) => [entry.key, entry.value.type]));
  return { op: "map", entries, type: { kind: "object", fields } };
}

/** An embedded value has its own names in an older version, and so has each in a list. */
function embedded(node: Node, rewriting: Rewriting): Node {
  const { type } = node;
  if (!rewriting.view || rewriting.namesStay) return node;
  if (type.kind === "list") {
    const { of } = type;
    return holdsTouched(of, rewriting) ? eachOf(node, of, (item) => embedded(item, rewriting)) : node;
  }
  if (type.kind !== "value" || node.op === "if" || !holdsTouched(type, rewriting)) return node;
  const resource = there(rewriting.resources.get(type.resource));
  // A value may hold itself; as deep as that, its names are those of now.
  const inner = { ...rewriting, opening: [...rewriting.opening, resource.name] };
  return unlessNull(node, opened(resource, node, inner));
}

function holdsTouched(type: Type, { view, opening }: Rewriting): boolean {
  if (type.kind === "list") return holdsTouched(type.of, { view, opening } as Rewriting);
  return type.kind === "value" && view?.touches(type.resource) === true && !opening.includes(type.resource);
}

/** Only a record that stands under a name of the scene can have been set by this request. */
function shownNode(of: Node, field: string): Node {
  if (of.op !== "fixed" && of.op !== "named") return { op: "literal", value: null, type: types.null };
  const shown = namedNode("#shown", { kind: "map", of: types.string });
  return {
    op: "index",
    of: shown,
    index: { op: "literal", value: `${of.name}:${field}`, type: types.string },
    type: types.string,
  };
}
