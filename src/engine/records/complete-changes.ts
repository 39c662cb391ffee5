/** What a transaction owes before it may be stored: `immediately` transitions, then the rules of all that it has changed. */
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { fireImmediate } from "./immediate.ts";
import { checkAlways, checkDeferredFails } from "./record-rules.ts";
import type { EvaluationContext } from "../evaluation/context.ts";

export function completeChanges(context: PlanContext, evaluation: EvaluationContext): Awaitable<void> {
  const fired = after(fireImmediate(context, evaluation), () => checkDeferredFails(context, evaluation));
  return after(fired, () => checkAlways(context, evaluation));
}
