/** Context of the function compilers while they traverse a node. */
import type { Node } from "../node.ts";
import type { Meaning } from "../scope.ts";
import type { Frame, Value } from "../value.ts";

/** A compiled node, created once and called often. */
export type Evaluate = (frame: Frame) => Value;

export interface CompileContext {
  readonly meaning: Meaning;
  /** Whether `this` is a complete record rather than its identifier. */
  readonly thisAtHand: boolean;
  /** The same for each variable, by depth. */
  readonly localsAtHand: readonly boolean[];
  /** Depths of variables whose values were made by expressions. */
  readonly builtLocals?: ReadonlySet<number>;
  /** Results of the queries, while a mixed expression is evaluated (`mixed-expressions.ts`). */
  readonly results?: { current: readonly Value[] };
}

export function rootContext(meaning: Meaning): CompileContext {
  return { meaning, thisAtHand: true, localsAtHand: [] };
}

/** The context inside of a macro whose variable has this depth. */
export function insideMacro(context: CompileContext, depth: number, atHand: boolean): CompileContext {
  const localsAtHand = [...context.localsAtHand];
  // Variables of enclosing `for`s are loaded records.
  while (localsAtHand.length < depth) localsAtHand.push(true);
  localsAtHand[depth] = atHand;
  return { ...context, localsAtHand };
}

/** Name prefix of a query's result in the function part of a mixed expression. */
export const resultPrefix = "#result ";

export function isResult(node: Node): boolean {
  return node.op === "named" && node.name.startsWith(resultPrefix);
}
