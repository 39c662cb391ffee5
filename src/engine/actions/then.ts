/** `Then`: a further transition of the same record in the same transaction. */
import type { Endpoint } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { requireRecord } from "../records/change.ts";
import { flush, type Scene, setRecord } from "../evaluation/scene.ts";
import { chooseEnd, runEnd, transitionPlan, underOwnName } from "../records/transition.ts";

export async function takeThen(
  context: PlanContext,
  endpoint: Endpoint,
  name: string,
  scene: Scene,
): Promise<void> {
  await flush(scene);
  const plan = context.resource(endpoint.resource as string);
  // Of `, if any` that found none, nothing follows.
  if (scene.frame.this === null && endpoint.does.some((one) => "ifAny" in one && one.ifAny)) return;
  const record = requireRecord(scene.frame.this);
  const transition = transitionPlan(plan, name);
  setRecord(scene, "old", plan.name, record);
  await underOwnName(scene, plan, async () => {
    const end = await chooseEnd(plan, transition, scene, record);
    return runEnd(context, plan, transition, end, scene);
  });
}
