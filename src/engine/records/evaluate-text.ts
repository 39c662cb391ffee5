/**
 * Expressions in text: evaluates an expression to text. A record is represented by its identifier,
 * without its other fields.
 */
import { identifierReader } from "../../expressions/evaluate.ts";
import type { Expression } from "../../expressions/node.ts";
import { after } from "../../support/awaitable.ts";
import type { Evaluate } from "../evaluation/context.ts";
import { wireIdentifier } from "./stored-form.ts";
import type { PlanContext } from "./plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";

export function evaluateText(context: PlanContext, expression: Expression): Evaluate {
  const evaluate = evaluateOf(context, expression);
  const { type } = expression.node;
  if (type.kind !== "record") return evaluate;
  const keyOf = identifierReader(type.resource, context.meaning.vocabulary);
  return (evaluation) =>
    after(evaluate(evaluation), (value) => wireIdentifier(context, type.resource, keyOf(value)));
}
