/** `page` where a condition about a list is asked before its answer is worked out: the list is read for it. */
import type { Node } from "../../expressions/node.ts";
import { readsName } from "../../expressions/reads.ts";
import type { Value } from "../../expressions/value.ts";
import type { Exchange } from "../exchange.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { ListPlan } from "./list-plan.ts";

/** Undefined where none of the conditions reads it. */
export function planPageAtHand(
  { meaning }: PlanContext,
  conditions: readonly Node[],
  list: ListPlan | undefined,
): ((exchange: Exchange) => Promise<void>) | undefined {
  if (!list || !conditions.some((one) => readsName(one, { name: "page" }, meaning))) return undefined;
  return async (exchange) => {
    const { items, parts } = await list.records(exchange, true);
    exchange.scene.frame.page = { ...parts, items } as Value;
  };
}
