/** What a transaction owes before it may be stored: `immediately` transitions, then the rules of all that it has changed. */
import type { PlanContext } from "../plan/context.ts";
import { takeImmediate } from "./immediate.ts";
import { checkAlways, checkOwed } from "./laws.ts";
import type { Scene } from "./scene.ts";

export async function settle(context: PlanContext, scene: Scene): Promise<void> {
  await takeImmediate(context, scene);
  await checkOwed(context, scene);
  await checkAlways(context, scene);
}
