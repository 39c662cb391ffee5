/**
 * Output nodes: what an expression becomes in a response. Within the service `this.key` is the
 * stored value. In the response a `shown once` field is its plain text for the request that set it,
 * and null otherwise (part 2). Callers of an older version get its names (part 9). Expressions that
 * are only computed with keep the current names.
 */
import { nonNull } from "../../support/non-null.ts";
import type { MapEntry, Node } from "../../expressions/node.ts";
import { conditionalNode, depthOf, inlined, renumberVariables, withParts } from "../../expressions/nodes.ts";
import { type Type, types } from "../../expressions/type.ts";
import { isShownOnce } from "../../fields/rule.ts";
import type { Model, Resource, Shape } from "../model.ts";
import {
  entriesOf,
  eachOf,
  convertMapValues,
  mapNode,
  type FieldLocation,
  type Representation,
  changeEntries,
} from "./versioned-entries.ts";
import { type List, listOf, type DualFormTypes, outputList, outputOf, storedOf } from "./output-lists.ts";
import { eitherType, mergedType } from "./output-types.ts";
import type { VersionMapping } from "./version-mapping.ts";
import { expandRepresentation, shownOnceValue, nullIfNull } from "./default-representation.ts";

type Macro = Extract<Node, { op: "macro" }>;

interface Rewriting {
  readonly model: Model;
  readonly view: VersionMapping | undefined;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Whether some field is `shown once`. */
  readonly isSecretive: boolean;
  /** The embedded values that enclose the current one, the outermost first. */
  readonly opening: readonly string[];
  readonly ofBoth: DualFormTypes;
  /** Locations of variables that hold parts of records, by their depth. */
  readonly locations: ReadonlyMap<number, FieldLocation>;
  /**
   * Shapes and embedded values stay references by name, for outputs that describe each of them
   * separately.
   */
  readonly namesStay?: boolean;
}

export function toOutput(model: Model, node: Node, view?: VersionMapping): Node {
  const rewriting = rewritingOf(model, view);
  if (!rewriting.isSecretive && !view) return node;
  return renumberVariables(view ? output(node, rewriting) : stored(node, rewriting));
}

/**
 * The output of a shape for `this`, with the keys of the version. Shapes and values within it stay
 * references by name.
 */
export function shapeOutput(model: Model, shape: Shape, view?: VersionMapping): Node {
  const rewriting = { ...rewritingOf(model, view), namesStay: true };
  return versioned(output(shape.body.node, rewriting), representationOfShape(shape), rewriting);
}

/** The default representation of a resource or a value for `this`. */
export function representationOutput(model: Model, resource: Resource, view?: VersionMapping): Node {
  const self: Node = { op: "fixed", name: "this", type: { kind: "record", resource: resource.name } };
  return representationInVersion(resource, self, { ...rewritingOf(model, view), namesStay: true });
}

/**
 * The output form of a response's expression. Shapes and values within it stay references by name.
 */
export function outputByName(model: Model, node: Node, view?: VersionMapping): Node {
  return output(node, { ...rewritingOf(model, view), namesStay: true });
}

function rewritingOf(model: Model, view: VersionMapping | undefined): Rewriting {
  return {
    model,
    view,
    resources: new Map(model.resources.map((resource) => [resource.name, resource])),
    isSecretive: model.resources.some(isSecretive),
    opening: [],
    ofBoth: new Map(),
    locations: new Map(),
  };
}

function isSecretive(resource: Resource): boolean {
  return resource.fields.some((field) => isShownOnce(field.rules));
}

/** The stored form, for computation: current names, and no `shown once` values. */
function stored(node: Node, rewriting: Rewriting): Node {
  const { resources, namesStay } = rewriting;
  const ofBoth = node.op === "local" ? rewriting.ofBoth.get(node.depth) : undefined;
  if (ofBoth) return storedOf(node, ofBoth);
  if (node.op === "shape" && !namesStay && rewriting.isSecretive)
    return openedShape(node, { ...rewriting, view: undefined });
  if (node.op === "representation" && !namesStay) {
    const resource = resources.get(node.resource);
    if (resource && isSecretive(resource))
      return nullIfNull(node.of, expandRepresentation(resource, stored(node.of, rewriting)));
  }
  if (node.op === "field" && (node.of.type.kind === "record" || node.of.type.kind === "value")) {
    const field = resources.get(node.of.type.resource)?.fields.find((field) => field.name === node.name);
    if (field && isShownOnce(field.rules)) return shownOnceValue(node.of, node.name);
  }
  // A value that is only compared isn't part of the output.
  if (node.op === "call" && node.function === "verify") return node;
  return withParts(node, (part) => stored(part, rewriting));
}

/**
 * The output form: everything that a response takes over unchanged, down to the values of fields,
 * with the version's names.
 */
function output(node: Node, rewriting: Rewriting): Node {
  const show = (part: Node) => output(part, rewriting);
  switch (node.op) {
    case "map":
      return mapNode(node.entries.map((entry) => ({ ...entry, value: show(entry.value) })));
    case "list": {
      const items = node.items.map(show);
      const of = items.map((item) => item.type).reduce(eitherType, types.null);
      return { ...node, items, type: { kind: "list", of } };
    }
    case "if": {
      const [yes, no] = [show(node.then), show(node.else)];
      return conditionalNode(stored(node.condition, rewriting), yes, no, eitherType(yes.type, no.type));
    }
    case "shape":
      return rewriting.namesStay ? stored(node, rewriting) : openedShape(node, rewriting);
    case "representation": {
      const resource = rewriting.resources.get(node.resource);
      if (!resource || rewriting.namesStay) return stored(node, rewriting);
      return nullIfNull(node.of, representationInVersion(resource, stored(node.of, rewriting), rewriting));
    }
    case "local": {
      const ofBoth = rewriting.ofBoth.get(node.depth);
      return ofBoth ? outputOf(node, ofBoth) : leaf(node, rewriting);
    }
    case "field": {
      const entry = node.of.op === "map" && node.of.entries.find(({ key }) => key === node.name);
      return entry ? show(entry.value) : leaf(node, rewriting);
    }
    case "call":
      return outputCall(node, rewriting);
    case "macro":
      return outputMacro(node, rewriting);
    default:
      return leaf(node, rewriting);
  }
}

function outputCall(node: Extract<Node, { op: "call" }>, rewriting: Rewriting): Node {
  const [first, names] = node.args;
  const args = () => node.args.map((arg) => output(arg, rewriting));
  const typesOf = (given: readonly Node[]) => given.map((node) => node.type);
  if (node.function === "merge") {
    const parts = args();
    return { ...node, args: parts, type: mergedType(typesOf(parts), node.type) };
  }
  if (node.function === "or" && (node.type.kind === "object" || !holdsTouched(node.type, rewriting))) {
    const alternatives = args();
    return { ...node, args: alternatives, type: typesOf(alternatives).reduce(eitherType) };
  }
  if (node.function === "pick" && first && names) {
    const whole = output(first, rewriting);
    const versionNames = namesInVersion(first, stored(names, rewriting), rewriting);
    return {
      ...node,
      args: [whole, versionNames],
      type: whole.type.kind === "object" ? whole.type : node.type,
    };
  }
  if (node.function === "map of entries" && first) {
    const entries = output(first, rewriting);
    return { ...node, args: [entries], type: { kind: "map", of: valueOfEntry(elementOf(entries.type)) } };
  }
  return leaf(node, rewriting);
}

/** The type of the values of a map that is made of such entries. */
function valueOfEntry(entry: Type): Type {
  return (entry.kind === "object" ? entry.fields["value"] : undefined) ?? types.any;
}

function outputMacro(node: Macro, rewriting: Rewriting): Node {
  const list = (of: Node): List =>
    listOf(of, {
      stored: (part, macro, element) => stored(part, withVariable(rewriting, macro, element)),
      output: (part, macro, element) => output(part, withVariable(rewriting, macro, element)),
    });
  switch (node.macro) {
    case "map": {
      if (!node.body) return leaf(node, rewriting);
      const { node: of, ofBoth } = list(node.of);
      const body = output(node.body, withVariable(rewriting, node, ofBoth));
      return { ...node, of, body, type: { kind: "list", of: body.type } };
    }
    case "flatten": {
      const of = output(node.of, rewriting);
      return { ...node, of, type: of.type.kind === "list" ? of.type.of : node.type };
    }
    case "filter":
    case "sort":
    case "distinct":
      return outputList(list(node)) ?? leaf(node, rewriting);
    case "first":
    case "last": {
      // The first element that meets a condition is the first of the filtered list.
      const { body: _, variable: _name, depth: _depth, ...bare } = node;
      const shownItems = outputList(
        list(node.body ? { ...node, macro: "filter", type: node.of.type } : node.of),
      );
      return shownItems
        ? { ...bare, of: shownItems, type: elementOf(shownItems.type) }
        : leaf(node, rewriting);
    }
    default:
      return leaf(node, rewriting);
  }
}

function elementOf(type: Type): Type {
  return type.kind === "list" ? type.of : types.any;
}

/**
 * The context inside a macro: its variable has the element's type if it has both forms, or its
 * location within a record.
 */
function withVariable(rewriting: Rewriting, macro: Macro | undefined, element: Type | undefined): Rewriting {
  if (macro?.depth === undefined) return rewriting;
  const { depth } = macro;
  if (element) return { ...rewriting, ofBoth: new Map([...rewriting.ofBoth, [depth, element]]) };
  const location = locationOf(macro.of, rewriting);
  return location
    ? { ...rewriting, locations: new Map([...rewriting.locations, [depth, location]]) }
    : rewriting;
}

/** The shape's body with its argument for `this`, so that its content can be rewritten as well. */
function openedShape(node: Extract<Node, { op: "shape" }>, rewriting: Rewriting): Node {
  const shape = rewriting.model.shapes.find((shape) => shape.name === node.shape);
  if (!shape) return withParts(node, (part) => stored(part, rewriting));
  const inside = {
    ...rewriting,
    ofBoth: new Map<number, Type>(),
    locations: new Map<number, FieldLocation>(),
  };
  const own = rewriting.view
    ? versioned(output(shape.body.node, inside), representationOfShape(shape), inside)
    : stored(shape.body.node, inside);
  if (!node.of) return own;
  const of = stored(node.of, rewriting);
  return nullIfNull(node.of, inlined(own, of, depthOf(of)));
}

function representationOfShape(shape: Shape): Representation {
  const self: Node = { op: "fixed", name: "this", type: types.any };
  return { name: shape.name, thing: self, ...(shape.of === undefined ? {} : { of: shape.of }) };
}

/** The keys of this version, in every map that the shape's own keys come from. */
function versioned(node: Node, representation: Representation, rewriting: Rewriting): Node {
  const { view } = rewriting;
  if (!view) return node;
  if (node.op === "map") return mapNode(view.entries(representation, node.entries));
  if (node.op === "call" && node.function === "merge") {
    const args = node.args.map((arg) => versioned(arg, representation, rewriting));
    const given = args.map((arg) => arg.type);
    return { ...node, args, type: mergedType(given, node.type) };
  }
  if (node.op === "call" && node.function === "pick") {
    const [whole, names] = node.args as readonly [Node, Node];
    const entries = whole.op === "map" ? whole.entries : [];
    const versionNames = namesOf(names, entries, (some) => view.entries(representation, some));
    return { ...node, args: [versioned(whole, representation, rewriting), versionNames] };
  }
  if (node.op === "if")
    return {
      ...node,
      then: versioned(node.then, representation, rewriting),
      else: versioned(node.else, representation, rewriting),
    };
  return node;
}

/**
 * The keys that the document selects, by the names of the version. Names that a client sends are already those of the
 * version.
 */
function namesInVersion(whole: Node, names: Node, rewriting: Rewriting): Node {
  const { view, model, resources } = rewriting;
  if (!view) return names;
  if (whole.op === "shape") {
    const shape = model.shapes.find((shape) => shape.name === whole.shape);
    if (shape?.body.node.op !== "map") return names;
    return namesOf(names, shape.body.node.entries, (some) =>
      view.entries(representationOfShape(shape), some),
    );
  }
  const value = whole.type.kind === "value" ? whole.type.resource : "";
  const resource = resources.get(whole.op === "representation" ? whole.resource : value);
  if (!resource) {
    const parts = partsOf(whole, rewriting);
    return parts && whole.type.kind === "object"
      ? namesOf(names, entriesOf(whole, whole.type.fields), parts)
      : names;
  }
  const thing = { name: resource.name, thing: whole };
  return namesOf(names, expandRepresentation(resource, whole).entries, (some) => view.entries(thing, some));
}

function namesOf(
  names: Node,
  entries: readonly MapEntry[],
  change: (entries: readonly MapEntry[]) => readonly MapEntry[],
): Node {
  if (names.op !== "list") return names;
  const added = new Set(change([]).map(({ key }) => key));
  const items = names.items.flatMap((item) => {
    const entry = item.op === "literal" && entries.find(({ key }) => key === item.value);
    if (!entry) return [item];
    const keys = change([entry]).flatMap(({ key }) => (added.has(key) ? [] : [key]));
    return keys.map((value): Node => ({ op: "literal", value, type: types.string }));
  });
  return { ...names, items };
}

/** The default representation of a record, with the keys of this version. */
function representationInVersion(resource: Resource, record: Node, rewriting: Rewriting): Node {
  const representation = expandRepresentation(resource, record, (value) => embedded(value, rewriting));
  return versioned(representation, { name: resource.name, thing: record }, rewriting);
}

/** A node that is output unchanged: a field or a computed value. */
function leaf(node: Node, rewriting: Rewriting): Node {
  const converted = embedded(stored(node, rewriting), rewriting);
  const parts = partsOf(node, rewriting);
  return parts ? changeEntries(converted, parts) : converted;
}

/** Rewrites the parts of a value within a record. */
function partsOf(node: Node, rewriting: Rewriting): ReturnType<VersionMapping["parts"]> {
  const location = rewriting.view && locationOf(node, rewriting);
  return location && rewriting.view?.parts(location);
}

/**
 * The location of a node within a record or an embedded value. Elements of a list have the location
 * of the list.
 */
function locationOf(node: Node, rewriting: Rewriting): FieldLocation | undefined {
  switch (node.op) {
    case "field": {
      const { of, name } = node;
      if (of.type.kind === "record" || of.type.kind === "value")
        return { resource: of.type.resource, path: [name], thing: stored(of, rewriting) };
      const outer = locationOf(of, rewriting);
      return outer && { ...outer, path: [...outer.path, name] };
    }
    case "index":
      return locationOf(node.of, rewriting);
    case "macro":
      return elementsStay.has(node.macro) ? locationOf(node.of, rewriting) : undefined;
    case "local":
      return rewriting.locations.get(node.depth);
    default:
      return undefined;
  }
}

const elementsStay: ReadonlySet<string> = new Set(["filter", "sort", "distinct", "first", "last", "flatten"]);

/** An embedded value with the names of an older version, also in lists, maps and parts of objects. */
function embedded(node: Node, rewriting: Rewriting): Node {
  const { type } = node;
  if (!rewriting.view || rewriting.namesStay || !holdsTouched(type, rewriting)) return node;
  const embed = (item: Node) => embedded(item, rewriting);
  if (type.kind === "list") return eachOf(node, type.of, embed);
  if (type.kind === "map") return convertMapValues(node, type.of, embed);
  if (type.kind === "object")
    return changeEntries(node, (entries) =>
      entries.map((entry) => ({ ...entry, value: embed(entry.value) })),
    );
  if (type.kind !== "value") return node;
  const resource = nonNull(rewriting.resources.get(type.resource));
  // A value may contain itself. Inside of itself it keeps its current names.
  const inner = { ...rewriting, opening: [...rewriting.opening, resource.name] };
  return nullIfNull(node, representationInVersion(resource, node, inner));
}

function holdsTouched(type: Type, rewriting: Rewriting): boolean {
  if (type.kind === "list" || type.kind === "map") return holdsTouched(type.of, rewriting);
  if (type.kind === "object")
    return Object.values(type.fields).some((field) => holdsTouched(field, rewriting));
  const { view, opening } = rewriting;
  return type.kind === "value" && view?.touches(type.resource) === true && !opening.includes(type.resource);
}
