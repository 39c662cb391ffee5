/**
 * Mixed expressions: functions that no store has (`token`, `random`, handler functions) around
 * stored data. The largest parts that the store can evaluate become queries; a function combines
 * their results.
 */
import { Fault } from "../../support/invariant.ts";
import { bodyOf } from "../analysis/bodies.ts";
import { withinCost } from "../cost.ts";
import { functionNamed } from "../functions/index.ts";
import type { MapEntry, Node } from "../node.ts";
import {
  distributeOverChoice,
  conditionalNode,
  depthOf,
  inlined,
  notNull,
  partsOfNode,
  someNode,
  withParts,
} from "../nodes.ts";
import type { Meaning } from "../scope.ts";
import { types } from "../type.ts";
import type { Frame, Value } from "../value.ts";
import { compileNode } from "./compile.ts";
import { rootContext, type CompileContext, resultPrefix } from "./context.ts";
import { isRecordLoaded, macroContext, reachesStore } from "./reach.ts";

export interface MixedExpression {
  /** The queries, which are independent of each other. */
  readonly queries: readonly Node[];
  /** Computes the value from the results of the queries, in their order. */
  evaluate(frame: Frame, results: readonly Value[]): Value;
}

/** Splits a node that reads the store. Other nodes need no queries. */
export function compileMixed(node: Node, meaning: Meaning): MixedExpression {
  const splitting: Splitting = { context: rootContext(meaning), queries: [] };
  const rest = split(node, splitting);
  const results: { current: readonly Value[] } = { current: [] };
  const run = withinCost(compileNode(rest, { ...splitting.context, results }));
  return {
    queries: splitting.queries,
    evaluate(frame, given) {
      const outer = results.current;
      results.current = given;
      try {
        return run(frame);
      } finally {
        results.current = outer;
      }
    },
  };
}

/**
 * The name of a function that neither the store nor a function can evaluate: inside a condition or
 * an order over stored records. Undefined if there is none. A check reports it to the author.
 */
export function unanswerable(node: Node, meaning: Meaning): string | undefined {
  try {
    split(node, { context: rootContext(meaning), queries: [] });
    return undefined;
  } catch (error) {
    if (error instanceof Unanswerable) return error.functionName;
    throw error;
  }
}

/**
 * The same for conditions and orders over stored records, with `this` for each of them (`Where`, `Visible`, `Order`).
 * Only the store evaluates them.
 */
export function unanswerableOfRecords(node: Node, meaning: Meaning): string | undefined {
  return ownFunction(node, meaning, new Set(), true);
}

/**
 * The same for a response: a statement provides what such a function needs of each record, at any
 * depth of nested `.map` (`store/sql/extract-subqueries.ts`). No other macro can iterate over the results of
 * functions.
 */
export function unanswerableInAnswer(node: Node, meaning: Meaning): string | undefined {
  return inMacros(node, meaning, new Set());
}

function inMacros(node: Node, meaning: Meaning, visited: Set<string>): string | undefined {
  if (node.op === "macro" && node.body && reachesStore(node, rootContext(meaning))) {
    const ofElements = ownFunction(node.of, meaning, new Set(), true);
    const found =
      node.macro === "map" ? ofElements : (ofElements ?? ownFunction(node.body, meaning, new Set(), true));
    if (found !== undefined) return found;
  }
  if (ofFoundRecord(node, rootContext(meaning)) !== undefined) {
    const item = distributeOverChoice(node);
    const found = item ? inMacros(item, meaning, visited) : ownFunction(node, meaning, new Set(), true);
    if (found !== undefined) return found;
  }
  const body = unseenBody(node, meaning, visited);
  const inside = body && inMacros(body, meaning, visited);
  if (inside !== undefined) return inside;
  for (const part of partsOfNode(node)) {
    const found = inMacros(part, meaning, visited);
    if (found !== undefined) return found;
  }
  return undefined;
}

class Unanswerable extends Fault {
  readonly functionName: string;
  constructor(functionName: string) {
    super(`${functionName}() can't be evaluated for stored records here`);
    this.functionName = functionName;
  }
}

interface Splitting {
  readonly context: CompileContext;
  readonly queries: Node[];
}

function split(node: Node, splitting: Splitting): Node {
  if (!reachesStore(node, splitting.context)) return node;
  const { meaning } = splitting.context;
  if (!callsFunctionMissingInSql(node, meaning)) return query(node, splitting);
  switch (node.op) {
    case "macro": {
      const alone = ownFunction(node, meaning, new Set());
      return alone === undefined ? query(node, splitting) : splitMacro(node, splitting, alone);
    }
    case "shape":
    case "representation":
    case "field": {
      const expanded = expand(node, splitting.context);
      if (expanded) return split(expanded, splitting);
    }
  }
  const found = ofFoundRecord(node, splitting.context);
  if (found === undefined) return withParts(node, (part) => split(part, splitting));
  const item = distributeOverChoice(node);
  if (item) return split(item, splitting);
  if (ownFunction(node, meaning, new Set()) === undefined) return query(node, splitting);
  throw new Unanswerable(found);
}

/**
 * The function by which an unloaded record is found whose members are read. The store can't
 * evaluate it, and its caller only has the record's key.
 */
function ofFoundRecord(node: Node, context: CompileContext): string | undefined {
  if (node.op !== "field" && node.op !== "has" && node.op !== "shape" && node.op !== "representation")
    return undefined;
  if (node.of?.type.kind !== "record" || isRecordLoaded(node.of, context)) return undefined;
  return someOwn(node.of, context.meaning, new Set());
}

function query(node: Node, { queries }: Splitting): Node {
  queries.push(node);
  return { op: "named", name: `${resultPrefix}${queries.length - 1}`, type: node.type };
}

/**
 * A macro whose body calls such a function. Over stored records, only `.map` can be split: the store returns what the
 * body needs of each record, and a function computes the element.
 */
function splitMacro(node: Extract<Node, { op: "macro" }>, splitting: Splitting, functionName: string): Node {
  const { context } = splitting;
  const inner = macroContext(node, context);
  if (!node.body || node.depth === undefined || !reachesStore(node.body, inner)) {
    const of = split(node.of, splitting);
    if (node.body === undefined || !usesLocal(node.body, node.depth)) return { ...node, of };
    if (node.of.type.kind !== "collection" && !recordList(node.of)) return { ...node, of };
  }
  if (
    node.macro !== "map" ||
    node.depth === undefined ||
    node.body === undefined ||
    ownFunction(node.of, context.meaning, new Set())
  ) {
    throw new Unanswerable(functionName);
  }
  const entries: MapEntry[] = [];
  const row: Node = {
    op: "local",
    name: "#row",
    depth: node.depth,
    type: { kind: "object", fields: {}, open: true },
  };
  const body = splitBody(node.body, node.depth, { context: inner, queries: [] }, (needed) => {
    const key = `${entries.length}`;
    entries.push({ key, optional: false, value: needed });
    return { op: "field", of: row, name: key, type: needed.type };
  });
  const rows: Node = {
    ...node,
    body: {
      op: "map",
      entries,
      type: {
        kind: "object",
        fields: Object.fromEntries(entries.map((entry) => [entry.key, entry.value.type])),
      },
    },
    type: { kind: "list", of: types.any },
  };
  return { ...node, of: query(rows, splitting), body };
}

function recordList(node: Node): boolean {
  return node.type.kind === "list" && node.type.of.kind === "record";
}

/** Extracts from a body what reads the store or the macro's variable, except for functions that the store doesn't have. */
function splitBody(
  node: Node,
  depth: number,
  splitting: Splitting,
  toParameter: (needed: Node) => Node,
): Node {
  const { context } = splitting;
  if (!reachesStore(node, context) && !usesLocal(node, depth)) return node;
  const functionName = ownFunction(node, context.meaning, new Set());
  if (functionName === undefined) return toParameter(node);
  if (node.op === "macro") throw new Unanswerable(functionName);
  if (node.op === "shape" || node.op === "representation" || node.op === "field") {
    const expanded = expand(node, context);
    if (expanded) return splitBody(expanded, depth, splitting, toParameter);
  }
  return withParts(node, (part) => splitBody(part, depth, splitting, toParameter));
}

function usesLocal(node: Node, depth: number | undefined): boolean {
  return (
    (node.op === "local" && node.depth === depth) || partsOfNode(node).some((part) => usesLocal(part, depth))
  );
}

/** The expression of a shape, a default representation or a computed field. For null it is null. */
function expand(
  node: Extract<Node, { op: "shape" | "representation" | "field" }>,
  context: CompileContext,
): Node | undefined {
  const of = node.of;
  const body = bodyOf(node, context.meaning);
  if (!body) return undefined;
  const depth = Math.max(context.localsAtHand.length, of ? depthOf(of) : 0);
  const replaced = inlined(body, of, depth);
  if (!of || (of.op === "fixed" && of.name === "this" && isRecordLoaded(of, context)))
    return { ...replaced, type: node.type };
  return conditionalNode(notNull(of), replaced, { op: "literal", value: null, type: types.null }, node.type);
}

/** Whether the node or a body that it uses calls a function that no store has. */
export function callsFunctionMissingInSql(node: Node, meaning: Meaning): boolean {
  return someOwn(node, meaning, new Set()) !== undefined;
}

/** The first function, bodies included, that no store has: random ones, those of the ports, and handlers. */
function someOwn(node: Node, meaning: Meaning, visited: Set<string>): string | undefined {
  if (node.op === "call" && !isPure(node.function)) return node.function;
  const body = unseenBody(node, meaning, visited);
  for (const part of body ? [body, ...partsOfNode(node)] : partsOfNode(node)) {
    const found = someOwn(part, meaning, visited);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The first function that must be evaluated for each record. A function of loaded data alone is
 * evaluated once, in advance, and bound as a parameter. Random functions give a new value for each
 * record.
 */
function ownFunction(
  node: Node,
  meaning: Meaning,
  visited: Set<string>,
  insideBody = false,
): string | undefined {
  if (node.op === "call" && !isPure(node.function)) {
    if (isChance(node.function) || node.args.some((arg) => isOfRecords(arg, meaning, insideBody)))
      return node.function;
  }
  const body = unseenBody(node, meaning, visited);
  const inside = body && ownFunction(body, meaning, visited, true);
  if (inside !== undefined) return inside;
  for (const part of partsOfNode(node)) {
    const found = ownFunction(part, meaning, visited, insideBody);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether a value differs between records: by a variable, by the body's argument, or by a query.
 */
function isOfRecords(node: Node, meaning: Meaning, insideBody: boolean): boolean {
  if (reachesStore(node, rootContext(meaning))) return true;
  return someNode(
    node,
    (node) => node.op === "local" || (insideBody && node.op === "fixed" && node.name === "this"),
  );
}

/** Each body is visited once, because shapes may name each other. */
function unseenBody(node: Node, meaning: Meaning, visited: Set<string>): Node | undefined {
  if (node.op !== "shape" && node.op !== "representation" && node.op !== "field") return undefined;
  const name = nameOfBody(node);
  if (visited.has(name)) return undefined;
  visited.add(name);
  return bodyOf(node, meaning);
}

function nameOfBody(node: Extract<Node, { op: "shape" | "representation" | "field" }>): string {
  if (node.op === "shape") return `shape ${node.shape}`;
  if (node.op === "representation") return `representation ${node.resource}`;
  return `computed ${"resource" in node.of.type ? node.of.type.resource : ""}.${node.name}`;
}

/** Whether a function returns a new value on each call: `random(8)`. */
export function isChance(name: string): boolean {
  return functionNamed(name)?.isNewEachTime === true;
}

/** Whether a function depends only on its arguments, so that a store could implement it. */
export function isPure(name: string): boolean {
  const definition = functionNamed(name);
  return definition?.deterministic === true && !definition.usesPorts;
}
