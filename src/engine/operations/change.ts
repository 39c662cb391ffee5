/** `Does: update`, `replace` and `delete` of one record. */
import type { RecordValue } from "../../expressions/value.ts";
import { isServiceSet, ruleOf } from "../../fields/rule.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Exchange } from "../exchange.ts";
import type { PlanContext } from "../plan/context.ts";
import { deleteRecord, flush, isRecord, type Values } from "../records/change.ts";
import { assignToThis } from "../records/effects.ts";
import { checkFails } from "../records/laws.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { type Scene, setRecord } from "../records/scene.ts";
import { planEndpointFails, planLets } from "./before.ts";
import type { Operation } from "./operation.ts";
import { mergeMaps, planSent, planSets } from "./values.ts";

export function planChange(
  context: PlanContext,
  endpoint: Endpoint,
  kind: "update" | "replace" | "delete",
): Operation {
  const plan = context.resource(endpoint.resource as string);
  const lets = planLets(context, endpoint);
  const fails = planEndpointFails(context, endpoint);
  const assign = planAssignments(context, plan, endpoint, kind === "replace");
  return async (exchange) => {
    const { scene } = exchange;
    const record = scene.frame.this;
    // `delete X, if any` that found none: nothing to do, and the answer is the same.
    if (!isRecord(record)) return lets(scene);
    setRecord(scene, "old", plan.name, record);
    await lets(scene);
    if (kind === "delete") {
      await checkFails(fails, scene, plan.name);
      await deleteRecord(context, plan, scene, record);
      return;
    }
    await assign(exchange, record);
    await checkFails(fails, scene, plan.name);
    await flush(scene);
  };
}

/** Puts inputs and `Set` on `this`: the record as it would be, for `Fails` and guards to judge. */
export function planAssignments(
  context: PlanContext,
  plan: ResourcePlan,
  endpoint: Endpoint,
  replaces: boolean,
): (exchange: Exchange, record: RecordValue) => Promise<void> {
  const sent = planSent(endpoint);
  const sets = planSets(context, endpoint);
  const cleared = replaces ? clearedFields(plan) : [];
  return async (exchange, record) => {
    const { scene } = exchange;
    const values: Values = mergeMaps(plan, replaces ? {} : record, sent(exchange));
    for (const [field, value] of Object.entries(values))
      assignToThis(context, scene, plan.name, field, value);
    // A default may name what was sent, and what other defaults give.
    for (const field of cleared) if (!(field in values)) await clear(context, plan, scene, field);
    for (const set of sets) {
      if (set.when && (await set.when(scene)) !== true) continue;
      assignToThis(context, scene, plan.name, set.field, await set.value(scene));
    }
  };
}

/**
 * `replace`: what wasn't sent takes its default, or is empty. What the service sets, and what is only sent on create, stays. What is empty
 * comes first, then the defaults in the order in which a new record takes them.
 */
function clearedFields(plan: ResourcePlan): readonly string[] {
  const place = (name: string) => plan.fillers.findIndex((one) => one.field === name);
  return plan.stored
    .filter(
      (field) =>
        field.role === "plain" &&
        !isServiceSet(field.rules) &&
        !ruleOf(field.rules, "immutable") &&
        !plan.identifier.includes(field.name),
    )
    .map((field) => field.name)
    .toSorted((a, b) => place(a) - place(b));
}

async function clear(context: PlanContext, plan: ResourcePlan, scene: Scene, field: string): Promise<void> {
  const filler = plan.fillers.find((one) => one.field === field);
  assignToThis(context, scene, plan.name, field, filler ? await filler.evaluate(scene) : null);
}
