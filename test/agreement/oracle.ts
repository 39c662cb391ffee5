/**
 * Oracle: the value of an expression, computed the slow way. All records are in memory, every macro
 * is a loop, and every reference is looked up. Operators and functions are those of the function
 * compiler; only the parts that read stored data are written here again.
 */
import { isAnyCase } from "../../src/expressions/any-case.ts";
import { compileFunction } from "../../src/expressions/evaluate.ts";
import type { Node } from "../../src/expressions/node.ts";
import { compareText, lowerAscii } from "../../src/expressions/text.ts";
import { partsOfNode, withParts } from "../../src/expressions/nodes.ts";
import type { Type } from "../../src/expressions/type.ts";
import { type Frame, isObject, type RecordValue, type Value } from "../../src/expressions/value.ts";
import type { WireForm } from "../../src/expressions/write-json.ts";
import { writerOf } from "../../src/expressions/writing/values.ts";
import type { World } from "./world.ts";

interface Around {
  readonly frame: Frame;
  readonly self: Value;
  readonly locals: readonly Value[];
}

export function oracle(node: Node, frame: Frame, world: World): Value {
  return answer(node, { frame, self: frame.this, locals: frame.locals }, world);
}

function answer(node: Node, around: Around, world: World): Value {
  switch (node.op) {
    case "literal":
      return node.value as Value;
    case "fixed":
      return node.name === "this" ? around.self : (around.frame[node.name] as Value);
    case "parameter":
      return (around.frame.parameters[node.name] as Value | undefined) ?? null;
    case "named":
      return around.frame.named[node.name] ?? null;
    case "local":
      return around.locals[node.depth] ?? null;
    case "collection":
      return visible(node.resource, world);
    case "field":
      return field(node, around, world);
    case "has": {
      if (node.of.type.kind === "record") return field({ ...node, op: "field" }, around, world) !== null;
      const of = answer(node.of, around, world);
      return typeof of === "object" && of !== null && !Array.isArray(of) && Object.hasOwn(of, node.name);
    }
    case "and":
      return answer(node.left, around, world) === true && answer(node.right, around, world) === true;
    case "or":
      return answer(node.left, around, world) === true || answer(node.right, around, world) === true;
    case "if":
      return answer(node.condition, around, world) === true
        ? answer(node.then, around, world)
        : answer(node.else, around, world);
    case "map": {
      const made: Record<string, Value> = Object.create(null);
      for (const { key, optional, value } of node.entries) {
        const member = answer(value, around, world);
        if (member !== null || !optional) made[key] = member;
      }
      return made;
    }
    case "shape": {
      const body = world.meaning.shapeBody(node.shape) as Node;
      const self = node.of ? loaded(node.of, around, world) : around.self;
      return self === null ? null : answer(body, { ...around, self, locals: [] }, world);
    }
    case "representation": {
      const self = loaded(node.of, around, world);
      if (self === null) return null;
      const made: Record<string, Value> = Object.create(null);
      for (const { name, type, hidden } of world.meaning.vocabulary
        .resource(node.resource)
        ?.fields.values() ?? []) {
        if (hidden || type.kind === "password") continue;
        const of: Node = { op: "fixed", name: "this", type: node.of.type };
        made[name] = answer({ op: "field", of, name, type }, { ...around, self, locals: [] }, world);
      }
      return made;
    }
    case "macro":
      return macro(node, around, world);
    default:
      return byFunction(
        node,
        partsOfNode(node).map((part) => answer(part, around, world)),
        around,
        world,
      );
  }
}

function visible(resource: string, world: World): readonly Value[] {
  return (world.records.get(resource) ?? []).filter((record) => record["#deleted"] !== true);
}

/** Evaluates a node with known operands by the function compiler. */
function byFunction(node: Node, values: readonly Value[], around: Around, world: World): Value {
  let at = 0;
  const named: Record<string, Value> = Object.create(null);
  const template = withParts(node, (part) => {
    if (part.op === "literal") {
      at += 1;
      return part;
    }
    const name = `part ${at}`;
    named[name] = values[at] ?? null;
    at += 1;
    // The compared field decides whether case counts, so its name is kept.
    if (part.op === "field")
      return { op: "field", of: { op: "named", name, type: part.of.type }, name: part.name, type: part.type };
    return { op: "named", name, type: part.type };
  });
  for (const name of Object.keys(named)) {
    const part = partsOfNode(node)[Number(name.slice(5))] as Node;
    if (part.op === "field") named[name] = stored(part, named[name] as Value);
  }
  return compileFunction(plain(template, world), world.meaning)({ ...around.frame, named, locals: [] });
}

/** Returns an object with only the field, in which a computed field has its value. */
function stored(part: Extract<Node, { op: "field" }>, value: Value): Value {
  if (value === null) return null;
  return { "#row": 0, "#revision": value, [part.name]: value, "#deleted": value } as Value;
}

function plain(template: Node, world: World): Node {
  return withParts(template, (part) => {
    if (part.op !== "field") return part;
    const of = part.of.type;
    const resource =
      of.kind === "record" || of.kind === "value"
        ? world.meaning.vocabulary.resource(of.resource)
        : undefined;
    const isComputed = resource?.fields.get(part.name)?.computed === true;
    return isComputed ? { ...part, of: { ...part.of, type: { kind: "any" } } as Node } : part;
  });
}

function field(node: Extract<Node, { op: "field" }>, around: Around, world: World): Value {
  const type = node.of.type;
  const of = loaded(node.of, around, world);
  if (of === null || typeof of !== "object") return null;
  if (type.kind === "record" || type.kind === "value") {
    const words = world.meaning.vocabulary.resource(type.resource);
    const body = words?.fields.get(node.name)?.computed
      ? world.meaning.computed(type.resource, node.name)
      : undefined;
    if (body) return answer(body, { ...around, self: of, locals: [] }, world);
    if (node.name === "deleted" && !words?.fields.has("deleted"))
      return (of as RecordValue)["#deleted"] === true;
    if (node.name === "revision" && type.kind === "record" && !words?.fields.has("revision"))
      return (of as RecordValue)["#revision"];
  }
  return Object.hasOwn(of, node.name) ? ((of as { [key: string]: Value })[node.name] ?? null) : null;
}

/** Returns the value of a node; for a reference, the record. */
function loaded(node: Node, around: Around, world: World): Value {
  const value = answer(node, around, world);
  if (node.type.kind !== "record" || value === null || (typeof value === "object" && "#row" in value))
    return value;
  const { resource } = node.type;
  return world.records.get(resource)?.find((record) => isKnownBy(record, value, resource, world)) ?? null;
}

/**
 * Whether a reference leads to the record. With several identifying fields, a reference is the JSON
 * of a list.
 */
function isKnownBy(record: RecordValue, reference: Value, resource: string, world: World): boolean {
  const names = world.meaning.vocabulary.resource(resource)?.identifier ?? [];
  const parts = names.length > 1 ? (JSON.parse(String(reference)) as readonly Value[]) : [reference];
  return names.every((name, at) => {
    const part = parts[at] as Value;
    const text = Array.isArray(part) ? JSON.stringify(part) : part;
    return sameIdentifier(record[name] as Value, text, resource, name, world);
  });
}

/**
 * Whether a reference is compared without case. It may have any case, like the field that it refers
 * to.
 */
function isFolded(resource: string, name: string, world: World): boolean {
  const field = world.meaning.vocabulary.resource(resource)?.fields.get(name);
  if (field?.type.kind !== "record") return field?.anyCase === true;
  const [only, ...others] = world.meaning.vocabulary.resource(field.type.resource)?.identifier ?? [];
  return only !== undefined && others.length === 0 && isFolded(field.type.resource, only, world);
}

function sameIdentifier(a: Value, b: Value, resource: string, name: string, world: World): boolean {
  if (typeof a !== "string" || typeof b !== "string") return a === b;
  const fold = isFolded(resource, name, world);
  const lower = (text: string) => (fold ? text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : text);
  return lower(a) === lower(b);
}

function macro(node: Extract<Node, { op: "macro" }>, around: Around, world: World): Value {
  const of = answer(node.of, around, world);
  if (of === null || typeof of !== "object") return null;
  const items: readonly Value[] = Array.isArray(of) ? of : Object.keys(of);
  if (!node.body || node.depth === undefined) return byFunction({ ...node } as Node, [of], around, world);
  const { body, depth } = node;
  const values = items.map((item) => {
    const locals = [...around.locals];
    locals[depth] = item;
    return answer(body, { ...around, locals }, world);
  });
  // Each element is paired with the value of the body, so that the rest of the macro needs no
  // store.
  const pairs = items.map((item, at) => ({ item, value: values[at] as Value }));
  if (node.macro === "map") return values;
  const kept = pairs.filter(({ value }) => value === true).map(({ item }) => item);
  switch (node.macro) {
    case "filter":
      return kept;
    case "first":
      return kept[0] ?? null;
    case "last":
      return kept.at(-1) ?? null;
    case "exists":
      return kept.length > 0;
    case "exists_one":
      return kept.length === 1;
    case "all":
      return kept.length === items.length;
    case "count":
      return kept.length;
    default:
      return orderedMacro(node, pairs, around, world);
  }
}

/**
 * Evaluates `sort`, `sum`, `min`, `max` with a body by the function compiler, over pairs with the
 * body's value as a field.
 */
function orderedMacro(
  node: Extract<Node, { op: "macro" }>,
  pairs: readonly Pair[],
  around: Around,
  world: World,
): Value {
  const body = node.body as Node;
  if (isAnyCase(body, world.meaning.vocabulary)) return pastCase(node, pairs);
  const local: Node = {
    op: "local",
    name: "pair",
    depth: 0,
    type: { kind: "object", fields: { value: body.type } },
  };
  const read: Node = { op: "field", of: local, name: "value", type: body.type };
  const of: Node = { op: "named", name: "pairs", type: { kind: "list", of: local.type } };
  const frame: Frame = { ...around.frame, named: { pairs: pairs as unknown as Value }, locals: [] };
  const result = compileFunction(
    { ...node, of, variable: "pair", depth: 0, body: read, type: node.type },
    world.meaning,
  )(frame);
  if (node.macro !== "sort" || !Array.isArray(result)) return result;
  return result.map((pair) => (pair as { item: Value }).item);
}

interface Pair {
  readonly item: Value;
  readonly value: Value;
}

/** Returns the same node for a text that is compared without case. */
function pastCase(node: Extract<Node, { op: "macro" }>, pairs: readonly Pair[]): Value {
  const compare = (a: Pair, b: Pair) =>
    compareText(lowerAscii(a.value as string), lowerAscii(b.value as string));
  const there = pairs.filter(({ value }) => value !== null).sort(compare);
  if (node.macro === "sort")
    return [...there, ...pairs.filter(({ value }) => value === null)].map(({ item }) => item);
  if (node.macro === "min") return there[0]?.value ?? null;
  const last = there.at(-1);
  return last ? (there.find((pair) => compare(pair, last) === 0)?.value ?? null) : null;
}

// ── JSON ────────────────────────────────────────────────────────────────────────────────────────

/** Returns the expected JSON of an expression, as data. */
export function oracleJson(node: Node, frame: Frame, wire: WireForm, world: World): Value {
  return JSON.parse(json(node, { frame, self: frame.this, locals: frame.locals }, wire, world));
}

function json(node: Node, around: Around, wire: WireForm, world: World): string {
  switch (node.op) {
    case "if":
      return json(
        answer(node.condition, around, world) === true ? node.then : node.else,
        around,
        wire,
        world,
      );
    case "list":
      return `[${node.items.map((item) => json(item, around, wire, world)).join(",")}]`;
    case "macro": {
      const given = node.macro === "map" ? answer(node.of, around, world) : null;
      if (given === null || typeof given !== "object" || !node.body || node.depth === undefined) break;
      const of = Array.isArray(given) ? given : Object.keys(given);
      const { body, depth } = node;
      const texts = of.map((item: Value) => {
        const locals = [...around.locals];
        locals[depth] = item;
        return json(body, { ...around, locals }, wire, world);
      });
      return `[${texts.join(",")}]`;
    }
    case "map":
    case "shape":
    case "representation":
    case "call": {
      const entries = entriesOf(node, around, wire, world);
      if (entries === null) return "null";
      if (!entries) break;
      const kept = [...entries].filter(
        ([, { text, optional }]) => text !== "null" || !(optional || !wire.nulls),
      );
      return `{${kept.map(([key, { text }]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
    }
  }
  const value = answer(node, around, world);
  const type: Type =
    node.type.kind === "collection" ? { kind: "list", of: { ...node.type, kind: "record" } } : node.type;
  const isStored = node.op === "field" || node.op === "index" || node.op === "fixed" || node.op === "local";
  return writerOf(
    type,
    { meaning: world.meaning, wire, valueWriters: new Map() },
    !isStored,
  )(value, around.frame);
}

type Entries = Map<string, { readonly text: string; readonly optional: boolean }>;

/**
 * Returns the entries of a node whose keys are only known at run time, in order. A null that is not
 * written still takes the place of its key.
 */
function entriesWritten(node: Node, around: Around, wire: WireForm, world: World): Entries | null {
  const value = answer(node, around, world);
  if (!isObject(value)) return null;
  const written = JSON.parse(json(node, around, wire, world)) as Readonly<Record<string, unknown>>;
  return new Map(
    Object.keys(value).map((key) => [
      key,
      { optional: false, text: Object.hasOwn(written, key) ? JSON.stringify(written[key]) : "null" },
    ]),
  );
}

/**
 * Returns the entries of a node; null if there is no object, undefined if the keys of the node are
 * unknown.
 */
function entriesOf(node: Node, around: Around, wire: WireForm, world: World): Entries | null | undefined {
  if (node.op === "map") {
    return new Map(
      node.entries.map(({ key, optional, value }) => [
        key,
        { optional, text: json(value, around, wire, world) },
      ]),
    );
  }
  if (node.op === "shape" || node.op === "representation") {
    const self = node.of ? loaded(node.of, around, world) : around.self;
    if (self === null) return null;
    const inner = { ...around, self, locals: [] };
    if (node.op === "shape")
      return entriesOf(world.meaning.shapeBody(node.shape) as Node, inner, wire, world);
    const fields = [...(world.meaning.vocabulary.resource(node.resource)?.fields.values() ?? [])];
    const of: Node = { op: "fixed", name: "this", type: node.of.type };
    const shown = fields.filter((field) => !field.hidden && field.type.kind !== "password");
    return new Map(
      shown.map(({ name, type }) => [
        name,
        { optional: false, text: json({ op: "field", of, name, type }, inner, wire, world) },
      ]),
    );
  }
  if (node.op !== "call" || node.function !== "merge") return undefined;
  const merged: Entries = new Map();
  for (const argument of node.args) {
    const entries = entriesOf(argument, around, wire, world) ?? entriesWritten(argument, around, wire, world);
    if (!entries) return entries;
    for (const [key, entry] of entries) {
      const before = merged.get(key);
      if (!before || !entry.optional) merged.set(key, entry);
      else
        merged.set(key, {
          optional: before.optional,
          text: entry.text === "null" ? before.text : entry.text,
        });
    }
  }
  return merged;
}
