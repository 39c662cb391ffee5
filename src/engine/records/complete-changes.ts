/**
 * Completing changes: fires `immediately` transitions, then checks the rules of all changed
 * records, before the commit.
 */
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { fireImmediate } from "./immediate-transitions.ts";
import { checkAlways, checkDeferredFails } from "./record-rules.ts";
import type { EvaluationContext } from "../evaluation/context.ts";

export function completeChanges(context: PlanContext, evaluation: EvaluationContext): Awaitable<void> {
  const fired = after(fireImmediate(context, evaluation), () => checkDeferredFails(context, evaluation));
  return after(fired, () => checkAlways(context, evaluation));
}
