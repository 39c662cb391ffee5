/**
 * Takes out of an expression what SQL can say, and leaves the rest to the function compiler: for expressions with functions
 * that are only ours (`token`, a handler's) among stored data. How what was taken comes to the function is the taker's.
 */
import { bodyOf } from "../../expressions/bodies.ts";
import type { Node } from "../../expressions/node.ts";
import { askedOfEach, choice, depthOf, inlined, isThere, withParts } from "../../expressions/nodes.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { WireForm } from "../store.ts";
import { deeper, enter, type Environment, NotInSql, type RowPlace } from "./environment.ts";
import { touches } from "./facts.ts";
import { type Sql, sql } from "./fragment.ts";
import { jsonOfItems, jsonOfRecords, openPlace, recordJson, writtenJsonOf } from "./json.ts";
import { nameIn, thereOf } from "./record.ts";
import { sourceOf, withVariable } from "./source.ts";

/** Gives the node that stands for what was taken. Throws `NotInSql` for what SQL can't say. */
export interface Taker {
  /** In how many maps that are gone through beside the database it stands. */
  readonly level: number;
  value(node: Node, environment: Environment): Node;
  /** A part that is already written as it goes out. */
  json(node: Node, environment: Environment): Node;
  record(node: Node, place: RowPlace, environment: Environment): Node;
  /** A list of lists, as JSON text. */
  list(json: Sql): Node;
  /** A list of whole records, as JSON text. */
  records(node: Node, json: Sql): Node;
}

/** Deeper than any macro of an expression. */
const neededDepth = 100;

export const listOfLists: Type = { kind: "list", of: { kind: "list", of: types.any } };

type Lift = (node: Node, environment: Environment) => Node;

/** Where JSON is written: what SQL can write is taken as text, keys and elements one by one. */
export function liftedJson(node: Node, environment: Environment, wire: WireForm, taker: Taker): Node {
  if (!touches(node, environment)) return node;
  const taken = attempt(() => taker.json(node, environment));
  if (taken) return taken;
  const inside: Lift = (part, inner) => liftedJson(part, inner, wire, taker);
  switch (node.op) {
    case "map":
    case "list":
      return withParts(node, (part) => inside(part, environment));
    case "if": {
      const condition = liftedValue(node.condition, environment, taker);
      return {
        ...node,
        condition,
        then: inside(node.then, environment),
        else: inside(node.else, environment),
      };
    }
    case "shape":
    case "standing":
      return liftedBody(node, environment, taker, inside) ?? liftedValue(node, environment, taker);
    case "macro":
      return liftedMacro(node, environment, wire, taker);
    case "call":
      if (node.function === "merge")
        return withParts(node, (part) => liftedKeys(part, environment, taker, inside));
  }
  return liftedValue(node, environment, taker);
}

/** Of what is merged the keys must be seen: a map stays one, with its values taken. */
function liftedKeys(node: Node, environment: Environment, taker: Taker, inside: Lift): Node {
  switch (node.op) {
    case "map":
      return withParts(node, (part) => inside(part, environment));
    case "if":
      return {
        ...node,
        condition: liftedValue(node.condition, environment, taker),
        then: liftedKeys(node.then, environment, taker, inside),
        else: liftedKeys(node.else, environment, taker, inside),
      };
    case "shape":
    case "standing": {
      const keys: Lift = (part, inner) => liftedKeys(part, inner, taker, inside);
      return liftedBody(node, environment, taker, keys) ?? liftedValue(node, environment, taker);
    }
    case "call":
      if (node.function === "merge")
        return withParts(node, (part) => liftedKeys(part, environment, taker, inside));
  }
  return liftedValue(node, environment, taker);
}

/** Where a value is wanted. */
export function liftedValue(node: Node, environment: Environment, taker: Taker): Node {
  if (!touches(node, environment)) return node;
  const place = nameIn(node, environment);
  // A record that stands in a row comes whole: whoever takes it may want any of it.
  if (place?.kind === "row" && node.type.kind === "record") return taker.record(node, place, environment);
  const taken = attempt(() => taker.value(node, environment));
  if (taken) return taken;
  const inside: Lift = (part, inner) => liftedValue(part, inner, taker);
  if (node.op === "shape" || node.op === "standing" || node.op === "field") {
    const body = liftedBody(node, environment, taker, inside);
    if (body) return body;
  }
  if (node.op === "macro") return liftedMacro(node, environment, undefined, taker);
  const each = askedOfEach(node);
  if (each) return inside(each, environment);
  return withParts(node, (part) => inside(part, environment));
}

function attempt(take: () => Node): Node | undefined {
  try {
    return take();
  } catch (error) {
    if (error instanceof NotInSql) return undefined;
    throw error;
  }
}

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────

type WithBody = Extract<Node, { op: "shape" | "standing" | "field" }>;

/** The body of a shape, a standing shape or a computed field, over the place of what it is asked of; null where that is not there. */
function liftedBody(node: WithBody, environment: Environment, taker: Taker, inside: Lift): Node | undefined {
  const body = bodyOf(node, environment.compiler.meaning);
  if (!body) return undefined;
  const { of } = node;
  if (!of) return inside(body, enter(environment, environment.self));
  const place = openPlace(of, environment);
  // What would need a SELECT of its own is looked up by each part that the statement brings.
  const then =
    !place || place.kind === "node"
      ? inside(inlined(body, of, depthOf(of)), deeper(environment))
      : inside(body, enter(environment, place));
  if (place?.kind === "row" && !place.optional) return then;
  const nothing: Node = { op: "literal", value: null, type: types.null };
  const left = liftedValue(of, environment, taker);
  return choice(isThere(left), then, nothing, node.type);
}

// ── Macros ──────────────────────────────────────────────────────────────────────────────────────

type Macro = Extract<Node, { op: "macro" }>;

/**
 * A `map` over stored data whose body needs a function of our own: the statement brings a list of what the body needs of
 * each element, and the function goes through it. With a wire form what is made is written; without, it is a value.
 */
function liftedMacro(node: Macro, environment: Environment, wire: WireForm | undefined, taker: Taker): Node {
  const { body } = node;
  const mapped = node.macro === "map" ? attempt(() => liftedMap(node, environment, wire, taker)) : undefined;
  if (mapped) return mapped;
  if (body && touches(body, environment)) throw new NotInSql("a function of our own inside of a macro");
  const of = body && attempt(() => liftedRecords(node.of, environment, taker));
  return {
    ...node,
    of: of ?? liftedValue(node.of, environment, taker),
    type: typeInFunction(node.type),
  };
}

function liftedMap(node: Macro, environment: Environment, wire: WireForm | undefined, taker: Taker): Node {
  const { body } = node;
  if (node.depth === undefined || !body) throw new NotInSql("a map of nothing");
  const needed: Sql[] = [];
  // Bodies that are put in the place of their names have variables of the same depths as the one around them.
  const depth = neededDepth + taker.level;
  const element: Node = { op: "local", name: "#needed", depth, type: { kind: "list", of: types.any } };
  const take = (type: Type, column: Sql): Node => {
    needed.push(column);
    const index: Node = { op: "literal", value: needed.length - 1, type: types.integer };
    return { op: "index", of: element, index, type };
  };
  const each: Taker = {
    level: taker.level + 1,
    value: (part, inner) => take(part.type, writtenJsonOf(part, inner, undefined)),
    json: (part, inner) => take(types.any, writtenJsonOf(part, inner, wire)),
    record: (part, place, inner) => take(part.type, recordOrNull(place, inner)),
    list: (json) => take(listOfLists, sql`coalesce(${json}, 'null')`),
    records: (part, json) => take(part.type, sql`coalesce(${json}, 'null')`),
  };
  const { source, inner } = withVariable(node, sourceOf(node.of, environment));
  const made = wire ? liftedJson(body, inner, wire, each) : liftedValue(body, inner, each);
  return { ...node, depth, of: taker.list(jsonOfItems(source, needed)), body: made };
}

/** Records come whole, for what goes through them may ask for any of their fields; their keys alone would tell nothing. */
function liftedRecords(node: Node, environment: Environment, taker: Taker): Node {
  const json = node.type.kind === "collection" ? jsonOfRecords(sourceOf(node, environment)) : undefined;
  if (!json) throw new NotInSql("no records");
  return taker.records(node, json);
}

/** Records that a statement has brought are a list of records to a function. */
export function typeInFunction(type: Type): Type {
  return type.kind === "collection"
    ? { kind: "list", of: { kind: "record", resource: type.resource } }
    : type;
}

function recordOrNull(place: RowPlace, environment: Environment): Sql {
  const [needed] = thereOf(place, environment);
  const record = recordJson(place, environment);
  return needed ? sql`CASE WHEN ${needed} IS NOT NULL THEN ${record} ELSE 'null' END` : record;
}
