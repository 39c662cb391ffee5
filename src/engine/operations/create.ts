/** `Does: create`. */
import type { Endpoint } from "../../model/model.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { Exchange, Operation } from "../exchange.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { createRecord, type Values } from "../records/change.ts";
import { type Filler, inOrder } from "../records/fill.ts";
import { checkFails } from "../records/laws.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { planEndpointFails, planLets } from "./before.ts";
import { planNeeded } from "./left-out.ts";
import { planSent, scopeValue, setFillers } from "./values.ts";
import { mergeMaps } from "../records/merge-maps.ts";

export function planCreate(context: PlanContext, endpoint: Endpoint): Operation {
  const lets = planLets(context, endpoint);
  const sent = planSent(endpoint);
  const make = planMake(context, endpoint);
  return (exchange) =>
    after(lets(exchange.scene), () => {
      const values = sent(exchange);
      return make(exchange, endpoint.scope ? Object.assign(scopeValue(endpoint, exchange), values) : values);
    });
}

/** Fills and stores the new record of an endpoint, with its `Set` and `Fails`. */
export function planMake(
  context: PlanContext,
  endpoint: Endpoint,
): (exchange: Exchange, values: Values) => Awaitable<void> {
  const plan = context.resource(endpoint.resource as string);
  const fails = planEndpointFails(context, endpoint);
  const needed = planNeeded(endpoint);
  let fillers: readonly Filler[] | undefined;
  return (exchange, values) => {
    fillers ??= allFillers(context, plan, endpoint);
    const { scene } = exchange;
    needed(exchange);
    const making = createRecord(context, plan, scene, mergeMaps(plan, {}, values), {
      fillers,
      ...(fails.length > 0 ? { beforeStored: () => checkFails(fails, scene, plan.name) } : {}),
    });
    return after(making, () => {});
  };
}

function allFillers(context: PlanContext, plan: ResourcePlan, endpoint: Endpoint): readonly Filler[] {
  return inOrder([...setFillers(context, plan, endpoint), ...plan.fillers]);
}
