/** What a transaction owes before it may be stored: `immediately` transitions, then the rules of all that it has changed. */
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { takeImmediate } from "./immediate.ts";
import { checkAlways, checkOwed } from "./laws.ts";
import type { EvaluationContext } from "../evaluation/context.ts";

export function settle(context: PlanContext, evaluation: EvaluationContext): Awaitable<void> {
  const taken = after(takeImmediate(context, evaluation), () => checkOwed(context, evaluation));
  return after(taken, () => checkAlways(context, evaluation));
}
