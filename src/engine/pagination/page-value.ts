/**
 * `page` in conditions: reads the list before the response is computed, if a condition needs
 * `page`.
 */
import type { Node } from "../../expressions/node.ts";
import { readsName } from "../../expressions/analysis/reads.ts";
import type { Value } from "../../expressions/value.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { ListPlan } from "./list-plan.ts";

/** Returns undefined if no condition reads `page`. */
export function planPageValue(
  { meaning }: PlanContext,
  conditions: readonly Node[],
  list: ListPlan | undefined,
): ((request: RequestContext) => Promise<void>) | undefined {
  if (!list || !conditions.some((condition) => readsName(condition, { name: "page" }, meaning)))
    return undefined;
  return async (request) => {
    const { items, parts } = await list.records(request, true);
    request.evaluation.frame.page = { ...parts, items } as Value;
  };
}
