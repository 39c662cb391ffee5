/**
 * Subquery extraction: takes from an expression what SQL can evaluate, and leaves the rest to the
 * function compiler.
 *
 * For expressions that apply functions of our own (`token`, a handler's) to stored data. The caller
 * decides how the function receives the extracted values.
 */
import { bodyOf } from "../../expressions/analysis/bodies.ts";
import { readsStore } from "../../expressions/evaluate.ts";
import type { MacroName, Node } from "../../expressions/node.ts";
import {
  distributeOverChoice,
  distributeOverList,
  conditionalNode,
  depthOf,
  fieldNode,
  inlined,
  isBuilt,
  notNull,
  withParts,
} from "../../expressions/nodes.ts";
import { type Type, types } from "../../expressions/type.ts";
import type { WireForm } from "../store.ts";
import { replacedBody, enter, type Environment, NotInSql, type RowPlace, withLocal } from "./environment.ts";
import { isAnyCase } from "./case.ts";
import { usesVariables, mustBeSql } from "./facts.ts";
import { type Sql, sql } from "./fragment.ts";
import { jsonOfItems, jsonOfRecords, openPlace, recordJson, writtenJsonOf } from "./json.ts";
import { nameIn, presenceOf } from "./record.ts";
import { type Source, sourceOf, withVariable } from "./source.ts";

/**
 * Extracts parts. Each method returns the node that replaces its part, and throws `NotInSql` if SQL
 * can't express it.
 */
export interface SubqueryExtractor {
  /** The number of enclosing macros that run outside the database. */
  readonly level: number;
  /**
   * The depths of variables that the database doesn't have. A node with one of them can't be
   * extracted.
   */
  readonly unknown: ReadonlySet<number>;
  value(node: Node, environment: Environment): Node;
  /** The number of extracted parts so far. `dropAbove` drops those above a count. */
  count(): number;
  dropAbove(to: number): void;
  /** A part that is already serialized. */
  json(node: Node, environment: Environment): Node;
  record(node: Node, place: RowPlace, environment: Environment): Node;
  /** A list of lists, as JSON text. */
  list(json: Sql): Node;
  /** A list of whole records, as JSON text. */
  records(node: Node, json: Sql): Node;
}

/** A depth of variables that is greater than that of any macro in an expression. */
const neededDepth = 100;

export const listOfLists: Type = { kind: "list", of: { kind: "list", of: types.any } };

type Lift = (node: Node, environment: Environment) => Node;

/**
 * Extracts from a node that is serialized as JSON. SQL writes what it can as text, key by key and
 * element by element.
 */
export function extractedJson(
  node: Node,
  environment: Environment,
  wire: WireForm,
  taker: SubqueryExtractor,
): Node {
  if (!mustBeSql(node, environment)) return node;
  const extracted = attempt(taker, () => extractorOf(node, taker).json(node, environment));
  if (extracted) return extracted;
  const inside: Lift = (part, inner) => extractedJson(part, inner, wire, taker);
  switch (node.op) {
    case "map":
    case "list":
      return withParts(node, (part) => inside(part, environment));
    case "if": {
      const condition = extractedValue(node.condition, environment, taker);
      return {
        ...node,
        condition,
        then: inside(node.then, environment),
        else: inside(node.else, environment),
      };
    }
    case "shape":
    case "representation":
      return extractedBody(node, environment, taker, inside) ?? extractedValue(node, environment, taker);
    case "macro":
      return extractedMacro(node, environment, wire, taker);
    case "call":
      if (node.function === "merge")
        return withParts(node, (part) => extractedKeys(part, environment, taker, inside));
  }
  return extractedValue(node, environment, taker);
}

/**
 * Extracts from an argument of `merge`. Its keys must stay visible, so a map stays a map, with its
 * values extracted.
 */
function extractedKeys(node: Node, environment: Environment, taker: SubqueryExtractor, inside: Lift): Node {
  switch (node.op) {
    case "map":
      return withParts(node, (part) => inside(part, environment));
    case "if":
      return {
        ...node,
        condition: extractedValue(node.condition, environment, taker),
        then: extractedKeys(node.then, environment, taker, inside),
        else: extractedKeys(node.else, environment, taker, inside),
      };
    case "shape":
    case "representation": {
      const keys: Lift = (part, inner) => extractedKeys(part, inner, taker, inside);
      return extractedBody(node, environment, taker, keys) ?? extractedValue(node, environment, taker);
    }
    case "call":
      if (node.function === "merge")
        return withParts(node, (part) => extractedKeys(part, environment, taker, inside));
  }
  return extractedValue(node, environment, taker);
}

/** Extracts from a node whose value is needed. */
export function extractedValue(node: Node, environment: Environment, taker: SubqueryExtractor): Node {
  if (!mustBeSql(node, environment)) return node;
  const place = nameIn(node, environment);
  // A record in a row is extracted as a whole, because its consumer may read any of its fields.
  if (place?.kind === "row" && node.type.kind === "record") return taker.record(node, place, environment);
  const extracted = attempt(taker, () => extractorOf(node, taker).value(node, environment));
  if (extracted) return inItsCase(node, extracted, environment);
  const inside: Lift = (part, inner) => extractedValue(part, inner, taker);
  if (node.op === "shape" || node.op === "representation" || node.op === "field") {
    const body = extractedBody(node, environment, taker, inside);
    if (body) return body;
  }
  if (node.op === "macro") return extractedMacro(node, environment, undefined, taker);
  const each = distributeOverChoice(node) ?? distributeOverList(node);
  if (each) return inside(each, environment);
  return withParts(node, (part) => inside(part, environment));
}

/**
 * Keeps a field that ignores case as a field. The extracted value is an object with only that field
 * (as in `operation.ts`).
 */
function inItsCase(node: Node, extracted: Node, environment: Environment): Node {
  if (node.op !== "field" || node.type.kind === "record" || !isAnyCase(node, environment)) return extracted;
  const { resource } = node.of.type as Extract<Type, { kind: "record" | "value" }>;
  const entries = [{ key: node.name, optional: false, value: extracted }];
  return { ...node, of: { op: "map", entries, type: { kind: "value", resource } } };
}

/**
 * Checks that a node has no variable that the database lacks.
 * @throws NotInSql
 */
function extractorOf(node: Node, taker: SubqueryExtractor): SubqueryExtractor {
  if (usesVariables(node, taker.unknown))
    throw new NotInSql("a variable of a list that is read outside the database");
  return taker;
}

/**
 * Extracts a node. Undefined if SQL can't express it, or `take` rejects it; nothing was extracted
 * then.
 */
function attempt(taker: SubqueryExtractor, extract: () => Node | undefined): Node | undefined {
  const before = taker.count();
  let node: Node | undefined;
  try {
    node = extract();
  } catch (error) {
    if (!(error instanceof NotInSql)) throw error;
  }
  if (!node) taker.dropAbove(before);
  return node;
}

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────

type WithBody = Extract<Node, { op: "shape" | "representation" | "field" }>;

/**
 * Extracts from the body of a shape, a default representation or a computed field. The body is
 * evaluated with its object as `this`, and is null if the object doesn't exist.
 */
function extractedBody(
  node: WithBody,
  environment: Environment,
  taker: SubqueryExtractor,
  inside: Lift,
): Node | undefined {
  const body = bodyOf(node, environment.compiler.meaning);
  if (!body) return undefined;
  const { of } = node;
  if (!of) return inside(body, enter(environment, environment.self));
  const place = openPlace(of, environment);
  // If the object would need its own SELECT, each extracted part looks it up.
  const then =
    !place || place.kind === "node"
      ? inside(inlined(body, of, depthOf(of)), replacedBody(environment))
      : inside(body, enter(environment, place));
  if (place?.kind === "row" && !place.optional) return then;
  const nothing: Node = { op: "literal", value: null, type: types.null };
  // The key of a computed reference may be of no record.
  const isRow = of.type.kind === "record" && place?.kind !== "node";
  const left = extractedValue(isRow ? fieldNode(of, "#row", types.integer) : of, environment, taker);
  return conditionalNode(notNull(left), then, nothing, node.type);
}

// ── Macros ──────────────────────────────────────────────────────────────────────────────────────

type Macro = Extract<Node, { op: "macro" }>;

/**
 * Extracts from a macro whose body needs a function of our own.
 *
 * Either the database iterates over the elements, and returns a list of what the body needs of
 * each. Or it returns the elements, and the function iterates over them. With a wire form, the
 * result of a `map` is serialized; without one, it is a value.
 */
function extractedMacro(
  node: Macro,
  environment: Environment,
  wire: WireForm | undefined,
  taker: SubqueryExtractor,
): Node {
  const { meaning } = environment.compiler;
  const inDatabase = () => attempt(taker, () => whole(extractedNeeds(node, environment, wire, taker)));
  const attemptOf = () => attempt(taker, () => whole(extractedElements(node, environment, wire, taker)));
  const whole = (made: Node) => (readsStore(made, meaning) ? undefined : made);
  const isOfMany = mustBeSql(node.of, environment);
  const needsLittle = isOfMany && (node.macro === "map" || (node.body && mustBeSql(node.body, environment)));
  const found = needsLittle ? (inDatabase() ?? attemptOf()) : (attemptOf() ?? inDatabase());
  if (!found) throw new NotInSql("a function of our own inside of a macro");
  return found;
}

/**
 * The function iterates over the elements. Everything else that its body reads is extracted from
 * the database.
 */
function extractedElements(
  node: Macro,
  environment: Environment,
  wire: WireForm | undefined,
  taker: SubqueryExtractor,
): Node {
  const { body } = node;
  const of =
    (body && attempt(taker, () => extractedRecords(node.of, environment, taker))) ??
    extractedValue(node.of, environment, taker);
  const type = typeInFunction(node.type);
  if (!body || node.depth === undefined || !mustBeSql(body, environment)) return { ...node, of, type };
  const depth = neededDepth + taker.level;
  const within: SubqueryExtractor = {
    ...taker,
    level: taker.level + 1,
    unknown: new Set([...taker.unknown, depth]),
  };
  const made = extractedBodyOf(node, renamed(body, node.depth, depth), environment, wire, within);
  return { ...node, depth, of, body: made, type };
}

function extractedBodyOf(
  { macro }: Macro,
  body: Node,
  environment: Environment,
  wire: WireForm | undefined,
  taker: SubqueryExtractor,
): Node {
  return wire && macro === "map"
    ? extractedJson(body, environment, wire, taker)
    : extractedValue(body, environment, taker);
}

/** Replaces the depth of a variable. */
function renamed(node: Node, from: number, to: number): Node {
  if (node.op === "local" && node.depth === from) return { ...node, depth: to };
  return withParts(node, (part) => renamed(part, from, to));
}

/** Macros whose results are elements. */
const keepingElements: ReadonlySet<MacroName> = new Set(["filter", "sort", "first", "last"]);

/** Elements that the database has, and the macros above them that only functions can evaluate. */
interface SelectedElements {
  readonly source: Source;
  /** Filters and orders, the innermost first. */
  readonly steps: readonly (Macro & { readonly body: Node; readonly depth: number })[];
}

/**
 * The elements of a macro's list. A `filter` or `sort` that SQL can't express is left to functions,
 * and the elements below it are the source.
 */
function selectedElements(node: Node, environment: Environment): SelectedElements {
  try {
    return { source: sourceOf(node, environment), steps: [] };
  } catch (error) {
    if (!(error instanceof NotInSql) || node.op !== "macro") throw error;
    const { macro, body, depth } = node;
    if ((macro !== "filter" && macro !== "sort") || !body || depth === undefined) throw error;
    const below = selectedElements(node.of, environment);
    return { source: below.source, steps: [...below.steps, { ...node, body, depth }] };
  }
}

/**
 * The database iterates over the elements, and returns what the body needs of each. Filters and
 * orders between them that only functions can evaluate get what they need in the same list.
 */
function extractedNeeds(
  node: Macro,
  environment: Environment,
  wire: WireForm | undefined,
  taker: SubqueryExtractor,
): Node {
  const { body } = node;
  if (node.depth === undefined || !body) throw new NotInSql("a macro without a body");
  extractorOf(node.of, taker);
  const needed: Sql[] = [];
  // A body that replaces its name has variables at the same depths as the expression around it.
  const depth = neededDepth + taker.level;
  const element: Node = { op: "local", name: "#needed", depth, type: { kind: "list", of: types.any } };
  const addColumn = (type: Type, column: Sql, built = false): Node => {
    needed.push(column);
    return { op: "index", of: element, index: literal(needed.length - 1), type, built };
  };
  const each: SubqueryExtractor = {
    level: taker.level + 1,
    unknown: taker.unknown,
    count: () => needed.length,
    dropAbove(to) {
      needed.length = to;
    },
    value: (part, inner) => addColumn(part.type, writtenJsonOf(part, inner, undefined), isBuilt(part)),
    json: (part, inner) => addColumn(types.any, writtenJsonOf(part, inner, wire)),
    record: (part, place, inner) => addColumn(part.type, recordOrNull(place, inner)),
    list: (json) => addColumn(listOfLists, sql`coalesce(${json}, 'null')`),
    records: (part, json) => addColumn(part.type, sql`coalesce(${json}, 'null')`),
  };
  const elements = selectedElements(node.of, environment);
  const { source, inner } = withVariable(node, elements.source);
  const steps = elements.steps.map((step): Macro => {
    const own = withLocal(source.environment, step.depth, source.element);
    return { ...step, body: extractedValue(step.body, own, each), depth, type: listOfLists };
  });
  const listed = () =>
    steps.reduce((of, step): Node => ({ ...step, of }), taker.list(jsonOfItems(source, needed)));
  if (!keepingElements.has(node.macro)) {
    const made = extractedBodyOf(node, body, inner, wire, each);
    return { ...node, depth, of: listed(), body: made };
  }
  const itself = elementOf(node, node.depth, source, inner);
  const built = source.made !== undefined;
  const kept = addColumn(source.type, itself, built);
  const made = extractedValue(body, inner, each);
  const of = listed();
  if (node.macro === "first" || node.macro === "last") {
    const found: Node = { ...node, depth, of, body: made, type: { kind: "list", of: types.any } };
    return { op: "index", of: found, index: literal(0), type: node.type, built };
  }
  const chosen: Node = { ...node, depth, of, body: made, type: listOfLists };
  const type: Type = { kind: "list", of: source.type };
  return { op: "macro", macro: "map", of: chosen, variable: "#needed", depth, body: kept, type };
}

function literal(value: number): Node {
  return { op: "literal", value, type: types.integer };
}

/**
 * The whole element as JSON text. For a reference to an existing record it is the record, because
 * the consumer may read any of its fields.
 */
function elementOf(node: Macro, depth: number, source: Source, inner: Environment): Sql {
  const variable: Node = { op: "local", name: node.variable ?? "", depth, type: source.type };
  const place = source.type.kind === "record" ? openPlace(variable, inner) : undefined;
  if (place?.kind !== "row") return writtenJsonOf(variable, inner, undefined);
  const [needed] = presenceOf(place, inner);
  const record = recordJson(place, inner);
  if (!needed) return record;
  return sql`CASE WHEN ${needed} IS NOT NULL THEN ${record} ELSE ${writtenJsonOf(variable, inner, undefined)} END`;
}

/**
 * Extracts whole records. Keys alone would not suffice, because the consumer may read any of their
 * fields.
 */
function extractedRecords(node: Node, environment: Environment, taker: SubqueryExtractor): Node {
  extractorOf(node, taker);
  const { type } = node;
  const isOfRecords = type.kind === "collection" || (type.kind === "list" && type.of.kind === "record");
  if (!isOfRecords) throw new NotInSql("no records");
  const source = sourceOf(node, environment);
  const json = type.kind === "collection" ? jsonOfRecords(source) : undefined;
  return json ? taker.records(node, json) : extractedReferences(node, source, taker);
}

/** Extracts the records of a list of references. */
function extractedReferences(node: Node, source: Source, taker: SubqueryExtractor): Node {
  const depth = neededDepth + taker.level;
  const each: Macro = { op: "macro", macro: "map", of: node, variable: "#each", depth, type: node.type };
  const { source: plain, inner } = withVariable(each, source);
  const of = taker.list(jsonOfItems(plain, [elementOf(each, depth, plain, inner)]));
  const element: Node = { op: "local", name: "#each", depth, type: { kind: "list", of: types.any } };
  const body: Node = { op: "index", of: element, index: literal(0), type: plain.type };
  return { ...each, of, body, type: { kind: "list", of: plain.type } };
}

/** The type of an extracted value in the function: a collection becomes a list of records. */
export function typeInFunction(type: Type): Type {
  return type.kind === "collection"
    ? { kind: "list", of: { kind: "record", resource: type.resource } }
    : type;
}

function recordOrNull(place: RowPlace, environment: Environment): Sql {
  const [needed] = presenceOf(place, environment);
  const record = recordJson(place, environment);
  return needed ? sql`CASE WHEN ${needed} IS NOT NULL THEN ${record} ELSE 'null' END` : record;
}
