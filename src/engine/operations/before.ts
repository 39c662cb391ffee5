/**
 * What stands between the checks of the inputs and the change: `Let`, `Set` and `Fails` (section 4, "Order of checks"). Operations
 * that make or change a record ask `Set` and `Fails` themselves, of the record with its new values.
 */
import type { Endpoint } from "../../model/model.ts";
import type { Value } from "../../expressions/value.ts";
import type { Exchange } from "../exchange.ts";
import { evaluateOf, type PlanContext } from "../plan/context.ts";
import { isRecord } from "../records/change.ts";
import { checkFails } from "../records/laws.ts";
import { planFails, type FailPlan } from "../records/resource-plan.ts";
import { type Scene, setRecord } from "../records/scene.ts";
import type { Operation } from "./operation.ts";

export type Lets = (scene: Scene) => Promise<void>;

/** `Let`: a name for the rest of the endpoint, worked out once before anything changes. */
export function planLets(context: PlanContext, endpoint: Endpoint): Lets {
  const lets = endpoint.lets.map(({ name, value }) => ({
    name,
    evaluate: evaluateOf(context, value),
    type: value.node.type,
  }));
  return async (scene) => {
    for (const { name, evaluate, type } of lets) {
      const value: Value = await evaluate(scene);
      if (type.kind !== "record") {
        scene.frame.named[name] = value;
        continue;
      }
      // A reference becomes the record that it leads to, so that its fields are at hand.
      let record = value;
      if (value !== null && !isRecord(value)) {
        scene.frame.named["#identifier"] = value;
        record = await scene.work.session.record(context.resource(type.resource).byIdentifier(), scene.frame);
      }
      setRecord(scene, name, type.resource, isRecord(record) ? record : null);
    }
  };
}

export function planEndpointFails(context: PlanContext, endpoint: Endpoint): readonly FailPlan[] {
  return planFails(context, endpoint.fails);
}

/** For operations that change nothing of their own. */
export function planBefore(context: PlanContext, endpoint: Endpoint): Operation {
  const lets = planLets(context, endpoint);
  const fails = planEndpointFails(context, endpoint);
  return async (exchange: Exchange) => {
    await lets(exchange.scene);
    await checkFails(fails, exchange.scene, endpoint.resource);
  };
}
