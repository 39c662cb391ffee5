/**
 * Expression compilation: turns an expression into a function, with prepared queries for the parts
 * that read the store.
 */
import { compileFunction, compileMixed, readsStore } from "../../expressions/evaluate.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { after, mapInOrder } from "../../support/awaitable.ts";
import type { EngineContext } from "./engine-context.ts";
import { type Evaluate, flush } from "./context.ts";
import { withCoverage } from "./coverage-observer.ts";

/** Compiles an expression: a function, plus prepared queries for the parts that read the store. */
export function evaluateOf(context: EngineContext, expression: Expression | Node): Evaluate {
  if (!("node" in expression)) return evaluateNode(context, expression);
  const evaluate = evaluateNode(context, expression.node);
  return context.observer ? withCoverage(expression, evaluate, context.observer) : evaluate;
}

function evaluateNode(context: EngineContext, node: Node): Evaluate {
  const { meaning, store } = context;
  if (!readsStore(node, meaning)) {
    const compiled = compileFunction(node, meaning);
    return (evaluation) => compiled(evaluation.frame);
  }
  const mixed = compileMixed(node, meaning);
  const queries = mixed.queries.map((query) => store.prepareValue(query));
  return (evaluation) =>
    after(flush(evaluation), () => {
      const requested = mapInOrder(queries, (query) =>
        evaluation.work.session.value(query, evaluation.frame),
      );
      return after(requested, (results) => mixed.evaluate(evaluation.frame, results));
    });
}
