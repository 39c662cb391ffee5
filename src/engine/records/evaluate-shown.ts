/** Expressions whose values go into texts that people read: a record stands for its identifier there, and what else is in it isn't told. */
import { identifierReader } from "../../expressions/evaluate.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Evaluate } from "../asking/scene.ts";
import { identifierShown } from "./stored-form.ts";
import type { PlanContext } from "./plan-context.ts";
import { evaluateOf } from "../asking/evaluate.ts";

export function evaluateShown(context: PlanContext, expression: Expression): Evaluate {
  const evaluate = evaluateOf(context, expression);
  const { type } = expression.node;
  if (type.kind !== "record") return evaluate;
  const keyOf = identifierReader(type.resource, context.meaning.vocabulary);
  const shown = (key: Parameters<typeof keyOf>[0]) => identifierShown(context, type.resource, keyOf(key));
  return Object.assign(
    (scene: Parameters<Evaluate>[0]) => {
      const value = evaluate(scene);
      return value instanceof Promise ? value.then(shown) : shown(value);
    },
    { readsStore: evaluate.readsStore },
  );
}
