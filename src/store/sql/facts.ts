/**
 * What an expression reads: stored data, `this`, and outer variables. This decides what becomes
 * SQL, and what a parameter.
 */
import { outermost } from "../../expressions/compiling/context.ts";
import { atHand } from "../../expressions/compiling/reach.ts";
import { readsStore } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Environment, Place } from "./environment.ts";

interface Names {
  readonly self: boolean;
  /** The depths of variables that no macro inside the expression declares. */
  readonly locals: ReadonlySet<number>;
}

const isOfStore = memoizeBy((meaning: Meaning) => memoizeBy((node: Node) => readsStore(node, meaning)));

const namesIn: (node: Node) => Names = memoizeBy((node) => {
  if (node.op === "fixed") return { self: node.name === "this", locals: new Set() };
  if (node.op === "local") return { self: false, locals: new Set([node.depth]) };
  const parts = partsOfNode(node).map(namesIn);
  const locals = new Set(parts.flatMap((part) => [...part.locals]));
  if (node.op === "macro" && node.depth !== undefined) locals.delete(node.depth);
  // A shape without an object is evaluated with the same `this`.
  return { self: parts.some((part) => part.self) || (node.op === "shape" && !node.of), locals };
});

/** Whether the frame has a record as a whole. Otherwise it has a reference, which is looked up. */
export function isAtHand(node: Node, meaning: Meaning): boolean {
  return atHand(node, outermost(meaning));
}

/** Whether a node must be in SQL, because it reads stored data or a part of a row. */
export function touches(node: Node, environment: Environment): boolean {
  return isOfStore(environment.compiler.meaning)(node) || dependsOnRows(node, environment);
}

/** Whether a node depends on a row of an enclosing SELECT. */
export function dependsOnRows(node: Node, environment: Environment): boolean {
  const names = namesIn(node);
  if (names.self && isInSql(environment.self)) return true;
  for (const depth of names.locals) {
    const place = environment.locals.get(depth);
    if (place && isInSql(place)) return true;
  }
  return false;
}

/**
 * Whether a node uses one of these variables.
 * @param depths the depths of the variables
 */
export function namesAny(node: Node, depths: ReadonlySet<number>): boolean {
  return depths.size > 0 && !namesIn(node).locals.isDisjointFrom(depths);
}

function isInSql(place: Place): boolean {
  return place.kind === "row" || place.kind === "value";
}
