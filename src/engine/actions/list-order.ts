/** List sorting (part 4, Order): the order that a request selects, and its directions. */
import type { Node } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import { parseDirection } from "../../model/endpoints/order-direction.ts";
import type { RecordsQuery } from "../../store/store.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { planChoice, requestedKeys, type ChoicePlan } from "./requested-order.ts";
import { Problem } from "../problem.ts";
import { sentPath } from "../records/assigned-values.ts";
import type { Evaluate, EvaluationContext } from "../evaluation/context.ts";

interface KeyPlan {
  readonly by: Node;
  readonly descending: boolean;
  readonly direction?: {
    readonly evaluate: Evaluate;
    /** The input's name, if the direction is an input. */
    readonly name: string | undefined;
  };
}

export interface OrderPlan {
  readonly keys: readonly KeyPlan[];
  readonly choice?: ChoicePlan;
  readonly when?: Evaluate;
}

export function planOrders(context: PlanContext, endpoint: Endpoint): readonly OrderPlan[] {
  return endpoint.order.map((item) => ({
    keys: item.keys.map(({ by, descending, direction }) => ({
      by: by.node,
      descending,
      ...(direction
        ? { direction: { evaluate: evaluateOf(context, direction), name: sentPath(direction.node) } }
        : {}),
    })),
    ...(item.choice ? { choice: planChoice(context, endpoint, item.choice) } : {}),
    ...(item.when ? { when: evaluateOf(context, item.when) } : {}),
  }));
}

/**
 * All keys by which a request may sort. When a service starts, the store reports keys that it does
 * not support.
 */
export function possibleKeys({ keys, choice }: OrderPlan): RecordsQuery["order"] {
  const chosen = [...(choice?.fields.values() ?? [])].map((by) => ({ by, descending: false }));
  return [...chosen, ...keys.map(({ by, descending }) => ({ by, descending }))];
}

export async function chosenOrder(
  orders: readonly OrderPlan[],
  evaluation: EvaluationContext,
): Promise<{ name: string; keys: RecordsQuery["order"]; isComposed: boolean }> {
  for (const [index, order] of orders.entries()) {
    if (order.when && (await order.when(evaluation)) !== true) continue;
    const chosen = order.choice && requestedKeys(order.choice, await order.choice.text(evaluation));
    if (chosen) return { name: `${index}${chosen.name}`, keys: chosen.keys, isComposed: true };
    const keys: { by: Node; descending: boolean }[] = [];
    for (const key of order.keys) {
      const { by, descending, direction } = key;
      const requested = (await direction?.evaluate(evaluation)) ?? "";
      keys.push({ by, descending: requested === "" ? descending : isDescending(requested, direction) });
    }
    const name = `${index}${keys.map((key) => (key.descending ? "-" : "+")).join("")}`;
    return { name, keys, isComposed: false };
  }
  return { name: "", keys: [], isComposed: false };
}

/** @throws Problem if the text is not a direction */
function isDescending(requested: Value, direction: KeyPlan["direction"]): boolean {
  const word = typeof requested === "string" ? parseDirection(requested) : undefined;
  if (word) return word === "descending";
  throw new Problem({
    condition: "invalid field",
    ...(direction?.name === undefined ? {} : { field: direction.name }),
    value: requested,
    problem: "must be ascending or descending",
  });
}

/** Maximum number of names that are enumerated. */
const namesMax = 64;

/**
 * The names of all orders that a request can select; undefined if there are too many to enumerate.
 */
export function orderNames(orders: readonly OrderPlan[]): readonly string[] | undefined {
  // If no order's condition holds, records are sorted by creation.
  const names = [""];
  for (const [index, order] of orders.entries()) {
    if (order.choice) return undefined;
    let prefixes: readonly string[] = [`${index}`];
    for (const key of order.keys) {
      const directions = key.direction ? ["+", "-"] : [key.descending ? "-" : "+"];
      prefixes = prefixes.flatMap((name) => directions.map((direction) => name + direction));
      if (prefixes.length > namesMax) return undefined;
    }
    names.push(...prefixes);
  }
  return names.length > namesMax ? undefined : names;
}
