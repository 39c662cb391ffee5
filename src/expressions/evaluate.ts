/**
 * Compiles typed expressions to functions. Expressions that need the store are rejected here and
 * split by `compileMixed`: the store evaluates them as SQL, with the same meaning
 * (`test/agreement`).
 */
import { invariant } from "../support/invariant.ts";
import { compileNode } from "./compiling/compile.ts";
import { type Evaluate, rootContext } from "./compiling/context.ts";
import { reachesStore } from "./compiling/reach.ts";
import { withinCost } from "./cost.ts";
import type { Node } from "./node.ts";
import { someNode } from "./nodes.ts";
import type { Meaning } from "./scope.ts";

export {
  identifierReader,
  jointlyIdentified,
  keyFormsIn,
} from "./compiling/identifier.ts";
export {
  compileMixed,
  unanswerable,
  unanswerableInAnswer,
  unanswerableOfRecords,
} from "./compiling/mixed-expressions.ts";
export { CostExceeded } from "./cost.ts";
export { newFrame } from "./frame.ts";

/** Whether only the store can evaluate a node. Otherwise `compileFunction` compiles it. */
export function readsStore(node: Node, meaning: Meaning): boolean {
  return reachesStore(node, rootContext(meaning));
}

/** Compiles a node to a function. It throws only `CostExceeded`, and only with nested macros or shapes. */
export function compileFunction(node: Node, meaning: Meaning): Evaluate {
  invariant(!readsStore(node, meaning), "an expression that reads stored data was compiled as a function");
  const run = compileNode(node, rootContext(meaning));
  return isCostly(node, meaning) ? withinCost(run) : run;
}

/** Whether steps must be counted: the node iterates over lists, or enters bodies that may. */
function isCostly(node: Node, meaning: Meaning): boolean {
  return someNode(node, (node) => {
    if (node.op === "macro" || node.op === "shape" || node.op === "representation") return true;
    if (node.op !== "field" || (node.of.type.kind !== "record" && node.of.type.kind !== "value"))
      return false;
    return meaning.vocabulary.resource(node.of.type.resource)?.fields.get(node.name)?.computed === true;
  });
}
