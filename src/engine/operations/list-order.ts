/** The orders of a list (part 4, Order): which of them a request asks for, and in which directions. */
import type { Node } from "../../expressions/node.ts";
import type { Endpoint } from "../../model/model.ts";
import type { RecordsQuery } from "../../store/store.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../asking/evaluate.ts";
import type { Evaluate, Scene } from "../asking/scene.ts";

export interface OrderPlan {
  readonly keys: RecordsQuery["order"];
  readonly directions: readonly (Evaluate | undefined)[];
  readonly when?: Evaluate;
}

export function planOrders(context: PlanContext, endpoint: Endpoint): readonly OrderPlan[] {
  return endpoint.order.map((item) => ({
    keys: item.keys.map((key) => ({ by: key.by.node, descending: key.descending })),
    directions: item.keys.map((key) => (key.direction ? evaluateOf(context, key.direction) : undefined)),
    ...(item.when ? { when: evaluateOf(context, item.when) } : {}),
  }));
}

export async function chosenOrder(
  orders: readonly OrderPlan[],
  scene: Scene,
): Promise<{ name: string; keys: RecordsQuery["order"] }> {
  for (const [place, order] of orders.entries()) {
    if (order.when && (await order.when(scene)) !== true) continue;
    const keys: { by: Node; descending: boolean }[] = [];
    for (const [at, key] of order.keys.entries()) {
      const asked = await order.directions[at]?.(scene);
      const descending = typeof asked === "string" && asked !== "" ? /^desc/i.test(asked) : key.descending;
      keys.push({ by: key.by, descending });
    }
    return { name: `${place}${keys.map((key) => (key.descending ? "-" : "+")).join("")}`, keys };
  }
  return { name: "", keys: [] };
}

/** Most names that are gone through. */
const namesMax = 64;

/** The names of all orders that a request may come to; undefined where there are too many to go through. */
export function orderNames(orders: readonly OrderPlan[]): readonly string[] | undefined {
  // Where no order's condition holds, the order of making is meant.
  const names = [""];
  for (const [place, order] of orders.entries()) {
    let begun: readonly string[] = [`${place}`];
    for (const [at, key] of order.keys.entries()) {
      const directions = order.directions[at] ? ["+", "-"] : [key.descending ? "-" : "+"];
      begun = begun.flatMap((name) => directions.map((one) => name + one));
      if (begun.length > namesMax) return undefined;
    }
    names.push(...begun);
  }
  return names.length > namesMax ? undefined : names;
}
