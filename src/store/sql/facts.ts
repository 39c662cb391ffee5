/**
 * Facts about expressions: whether they read stored data, `this` or outer variables. This decides
 * what becomes SQL, and what a parameter.
 */
import { rootContext } from "../../expressions/compiling/context.ts";
import { isRecordLoaded } from "../../expressions/compiling/reach.ts";
import { readsStore } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import { namesRead, variableName } from "../../expressions/analysis/reads.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Environment, Place } from "./environment.ts";

const isOfStore = memoizeBy((meaning: Meaning) => memoizeBy((node: Node) => readsStore(node, meaning)));

/** Whether the frame has a record as a whole. Otherwise it has a reference, which is looked up. */
export function isAtHand(node: Node, meaning: Meaning): boolean {
  return isRecordLoaded(node, rootContext(meaning));
}

/** Whether a node must be in SQL, because it reads stored data or a part of a row. */
export function mustBeSql(node: Node, environment: Environment): boolean {
  return isOfStore(environment.compiler.meaning)(node) || dependsOnRows(node, environment);
}

/** Whether a node depends on a row of an enclosing SELECT. */
export function dependsOnRows(node: Node, environment: Environment): boolean {
  const names = namesRead(node);
  if (names.has("this") && isInSql(environment.self)) return true;
  for (const [depth, place] of environment.locals)
    if (isInSql(place) && names.has(variableName(depth))) return true;
  return false;
}

/**
 * Whether a node uses one of these variables.
 * @param depths the depths of the variables
 */
export function usesVariables(node: Node, depths: ReadonlySet<number>): boolean {
  return depths.values().some((depth) => namesRead(node).has(variableName(depth)));
}

function isInSql(place: Place): boolean {
  return place.kind === "row" || place.kind === "value";
}
