/**
 * Coverage observer: receives the outcome of each rule while scenarios run, such as whether a
 * condition was true or a row was used. A plan checks for an observer when it is built, so a
 * service without one has no overhead. `scenarios/coverage/` computes coverage from the outcomes.
 */
import type { Expression } from "../../expressions/node.ts";
import type { FieldRule } from "../../fields/rule.ts";
import type { ErrorRow, EventRow, Input, Return, TransitionEnd, WhereChoice } from "../../model/model.ts";
import { after } from "../../support/awaitable.ts";
import type { Evaluate } from "./context.ts";

/** A part of the model that decides an outcome. Rules are compared by object identity. */
export type Rule =
  | Expression
  | FieldRule
  | Input
  | TransitionEnd
  | Return
  | EventRow
  | ErrorRow
  | WhereChoice;

/** @param holds whether a condition was true, a rule was satisfied, or a row was used */
export type CoverageObserver = (rule: Rule, holds: boolean) => void;

/** Wraps a condition so that the observer receives the result of each evaluation. */
export function withCoverage(
  condition: Expression,
  evaluate: Evaluate,
  observer: CoverageObserver,
): Evaluate {
  return (evaluation) =>
    after(evaluate(evaluation), (value) => {
      observer(condition, value === true);
      return value;
    });
}
