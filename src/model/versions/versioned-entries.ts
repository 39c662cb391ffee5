/**
 * Keys of a representation in an older version: rewrites the entries of a map before they become
 * JSON or SQL.
 */
import type { MapEntry, Node } from "../../expressions/node.ts";
import { depthOf, inlined, withParts } from "../../expressions/nodes.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { VersionChange } from "../model.ts";
import { formerPath, pathOf, sentAsOf } from "./changes.ts";

/** A representation: the default representation of a resource, or a shape. */
export interface Representation {
  /** The shape's name; the resource's for a default representation. */
  readonly name: string;
  /** The resource of the shape's records. */
  readonly of?: string;
  /** The record itself, as the entries refer to it. */
  readonly thing: Node;
}

/** @param changes from the newest to the oldest */
export function versionedEntries(
  representation: Representation,
  entries: readonly MapEntry[],
  changes: readonly VersionChange[],
): readonly MapEntry[] {
  return changes.reduce((known, change) => entriesBefore(change, representation, known), entries);
}

/** Location of a value within a record or an embedded value. */
export interface FieldLocation {
  readonly resource: string;
  readonly path: readonly string[];
  readonly thing: Node;
}

/**
 * Rewrites the parts of an object at a location. Undefined if nothing changed. @param changes from
 * the newest to the oldest
 */
export function partsBefore(
  { resource, path, thing }: FieldLocation,
  changes: readonly VersionChange[],
): ((entries: readonly MapEntry[]) => readonly MapEntry[]) | undefined {
  const undoSteps: ((entries: readonly MapEntry[]) => readonly MapEntry[])[] = [];
  let current = path;
  for (const change of changes) {
    if (!("subject" in change) || change.subject !== resource) continue;
    const changed = pathOf(change.kind === "renamed" ? change.to : change.name);
    if (changed.length > current.length && current.every((part, at) => part === changed[at])) {
      const within = changed.slice(current.length);
      undoSteps.push((entries) => undo(change, within, { own: true, thing }, entries));
    } else if (change.kind === "renamed" && changed.every((part, at) => part === current[at]))
      current = [...formerPath(change), ...current.slice(changed.length)];
  }
  if (undoSteps.length === 0) return undefined;
  return (entries) => undoSteps.reduce((known, undo) => undo(known), entries);
}

function entriesBefore(
  change: VersionChange,
  representation: Representation,
  entries: readonly MapEntry[],
): readonly MapEntry[] {
  if (!("subject" in change)) return entries;
  const own = change.subject === representation.name;
  if (!own && change.subject !== representation.of) return entries;
  // The keys of a shape are written as they are sent.
  if (sentAsOf(change) !== undefined && representation.of !== undefined) return entries;
  const path = pathOf(change.kind === "renamed" ? change.to : change.name);
  return undo(change, path, { own, thing: representation.thing }, entries);
}

/** @param path the path of the change, relative to these entries */
function undo(
  change: Extract<VersionChange, { readonly subject: string }>,
  path: readonly string[],
  { own, thing }: { readonly own: boolean; readonly thing: Node },
  entries: readonly MapEntry[],
): readonly MapEntry[] {
  switch (change.kind) {
    case "renamed":
      return atPath(entries, path, own, (entry) => [{ ...entry, key: formerPath(change).at(-1) as string }]);
    case "added":
      return atPath(entries, path, own, () => []);
    case "replaced":
      return atPath(entries, path, own, (entry) => [
        { ...entry, value: madeOf(change.old.node, thing, entry.value) },
      ]);
    case "removed": {
      // Part 9: the change applies to a field, or to a key of the shape with that name. Other shapes never had the
      // key.
      if (!own || (path.length === 1 && entries.some((entry) => entry.key === path[0]))) return entries;
      const value = change.was ? madeOf(change.was.node, thing) : nothing;
      return withKey(entries, path, { key: "", optional: false, value });
    }
    default:
      return entries;
  }
}

const nothing: Node = { op: "literal", value: null, type: { kind: "null" } };

/**
 * The expression of a change, with the represented record for `this` and the current value for
 * `new`.
 */
function madeOf(node: Node, source: Node, current?: Node): Node {
  const depth = Math.max(depthOf(source), current ? depthOf(current) : 0);
  const isThis = source.op === "fixed" && source.name === "this";
  const moved = inlined(node, isThis ? undefined : source, depth);
  return current ? withNew(moved, current) : moved;
}

function withNew(node: Node, current: Node): Node {
  return node.op === "named" && node.name === "new"
    ? current
    : withParts(node, (part) => withNew(part, current));
}

/**
 * @param own any entry with that key; otherwise only one whose value is the field itself, because
 * other keys of another shape are its own
 */
function atPath(
  entries: readonly MapEntry[],
  path: readonly string[],
  own: boolean,
  change: (entry: MapEntry) => readonly MapEntry[],
): readonly MapEntry[] {
  const [first, ...rest] = path;
  return entries.flatMap((entry) => {
    if (entry.key !== first || !(own || entry.value.op === "field")) return [entry];
    if (rest.length === 0) return change(entry);
    return [{ ...entry, value: changeEntries(entry.value, (inner) => atPath(inner, rest, true, change)) }];
  });
}

function withKey(
  entries: readonly MapEntry[],
  path: readonly string[],
  added: MapEntry,
): readonly MapEntry[] {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) return [...entries, { ...added, key: first }];
  return entries.map((entry) =>
    entry.key === first
      ? { ...entry, value: changeEntries(entry.value, (inner) => withKey(inner, rest, added)) }
      : entry,
  );
}

/** Changes the keys inside a value: of a map literal, of an object with known parts, or of each element of a list. */
export function changeEntries(
  node: Node,
  change: (entries: readonly MapEntry[]) => readonly MapEntry[],
): Node {
  if (node.op === "map") return mapNode(change(node.entries));
  if (node.op === "if")
    return { ...node, then: changeEntries(node.then, change), else: changeEntries(node.else, change) };
  if (node.type.kind === "object") return openedObject(node, node.type.fields, change);
  if (node.type.kind === "list") return eachOf(node, node.type.of, (item) => changeEntries(item, change));
  return node;
}

function openedObject(
  node: Node,
  fields: Readonly<Record<string, Type>>,
  change: (entries: readonly MapEntry[]) => readonly MapEntry[],
): Node {
  const opened = mapNode(change(entriesOf(node, fields)));
  const condition: Node = {
    op: "binary",
    operator: "!=",
    left: node,
    right: nothing,
    type: { kind: "boolean" },
  };
  return { op: "if", condition, then: opened, else: nothing, type: opened.type };
}

/** The parts of an object, one by one. */
export function entriesOf(node: Node, fields: Readonly<Record<string, Type>>): readonly MapEntry[] {
  return Object.entries(fields).map(([key, type]): MapEntry => {
    const name = key.replace(/\?$/, "");
    return { key: name, optional: name !== key, value: { op: "field", of: node, name, type } };
  });
}

/** Converts each element of a list. An empty or missing list is unchanged. */
export function eachOf(node: Node, of: Type, change: (item: Node) => Node): Node {
  const depth = depthOf(node);
  const variable = `#item${depth}`;
  const body = change({ op: "local", name: variable, depth, type: of });
  return {
    op: "macro",
    macro: "map",
    of: node,
    variable,
    depth,
    body,
    type: { kind: "list", of: body.type },
  };
}

/** Converts each value of a map, under its key. An empty or missing map is unchanged. */
export function convertMapValues(node: Node, of: Type, change: (value: Node) => Node): Node {
  const keys = eachOf(node, types.string, (key) => key);
  const values = eachOf(node, types.string, (index) => change({ op: "index", of: node, index, type: of }));
  const type: Type = { kind: "map", of: values.type.kind === "list" ? values.type.of : types.any };
  return { op: "call", function: "map of keys", args: [keys, values], type };
}

export function mapNode(entries: readonly MapEntry[]): Extract<Node, { op: "map" }> {
  const fields = Object.fromEntries(entries.map((entry) => [entry.key, entry.value.type]));
  return { op: "map", entries, type: { kind: "object", fields } };
}
