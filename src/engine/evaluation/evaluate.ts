/** Expressions made ready to be asked in a scene: a function, with prepared queries for what it reads from the store. */
import { compileFunction, compileMixed, readsStore } from "../../expressions/evaluate.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { after, collectInTurn } from "../../support/awaitable.ts";
import type { AskingContext } from "./context.ts";
import { type Evaluate, flush } from "./scene.ts";
import { witnessed } from "./witness.ts";

/** Makes an expression ready to be asked in a scene: a function, with prepared queries for what it reads from the store. */
export function evaluateOf(context: AskingContext, expression: Expression | Node): Evaluate {
  if (!("node" in expression)) return evaluateNode(context, expression);
  const evaluate = evaluateNode(context, expression.node);
  return context.witness ? witnessed(expression, evaluate, context.witness) : evaluate;
}

function evaluateNode(context: AskingContext, node: Node): Evaluate {
  const { meaning, store } = context;
  if (!readsStore(node, meaning)) {
    const compiled = compileFunction(node, meaning);
    return (scene) => compiled(scene.frame);
  }
  const mixed = compileMixed(node, meaning);
  const queries = mixed.queries.map((query) => store.prepareValue(query));
  return (scene) =>
    after(flush(scene), () => {
      const asked = collectInTurn(queries, (query) => scene.work.session.value(query, scene.frame));
      return after(asked, (results) => mixed.evaluate(scene.frame, results));
    });
}
