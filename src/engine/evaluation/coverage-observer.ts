/**
 * Who is told what the document's rules do, one by one, while scenarios are run: which condition was true and which was not, which row was
 * taken. It is asked for where plans are made, so that a service without a witness does nothing for it. What is made of it (coverage)
 * stands in `scenarios/coverage/`.
 */
import type { Expression } from "../../expressions/node.ts";
import type { FieldRule } from "../../fields/rule.ts";
import type { ErrorRow, EventRow, Input, Return, TransitionEnd } from "../../model/model.ts";
import { after } from "../../support/awaitable.ts";
import type { Evaluate } from "./context.ts";

/** A piece of the model that decides something; it is known by being the very object. */
export type Rule = Expression | FieldRule | Input | TransitionEnd | Return | EventRow | ErrorRow;

/** @param holds of a condition: it was true; of a rule: it was kept; of a row: it was taken */
export type CoverageObserver = (rule: Rule, holds: boolean) => void;

/** The same condition; each time that it is asked, the witness is told. */
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
