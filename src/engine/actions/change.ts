/** Record changes by `Does: update`, `replace` and `delete`. */
import type { RecordValue, Value } from "../../expressions/value.ts";
import { isServiceSet, ruleOf } from "../../fields/rule.ts";
import type { Endpoint } from "../../model/model.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import type { RequestContext, Action } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { deleteRecord, requireRecord, type Values } from "../records/change.ts";
import { flush, type EvaluationContext, setRecord } from "../evaluation/context.ts";
import { assignToThis } from "../records/assign-to-this.ts";
import { checkFails } from "../records/record-rules.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { planEndpointFails, planLetValues } from "./before.ts";
import { planMerging } from "./merging.ts";
import { planSentValues, planSetItems } from "./values.ts";

export function planChange(
  context: PlanContext,
  endpoint: Endpoint,
  kind: "update" | "replace" | "delete",
): Action {
  const plan = context.resource(endpoint.resource as string);
  const lets = planLetValues(context, endpoint);
  const fails = planEndpointFails(context, endpoint);
  const assign = planAssignments(context, plan, endpoint, kind === "replace");
  return (request) => {
    const { evaluation } = request;
    const record = requireRecord(evaluation.frame.this);
    setRecord(evaluation, "old", plan.name, record);
    const ready = after(lets(evaluation), () => (kind === "delete" ? undefined : assign(request, record)));
    const allowed = after(ready, () => checkFails(fails, evaluation, plan.name));
    return after(allowed, () =>
      kind === "delete" ? deleteRecord(context, plan, evaluation, record) : flush(evaluation),
    );
  };
}

/**
 * Assigns inputs and `Set` to `this`: the record after the change, which `Fails` and guards
 * evaluate. The fields in `leftOut` keep their values.
 */
export function planAssignments(
  context: PlanContext,
  plan: ResourcePlan,
  endpoint: Endpoint,
  replaces: boolean,
): (request: RequestContext, record: RecordValue, leftOut?: readonly string[]) => Awaitable<void> {
  const sent = planSentValues(endpoint);
  const merge = planMerging(context, plan, endpoint);
  const sets = planSetItems(context, endpoint);
  const cleared = replaces ? clearedFields(plan) : [];
  return (request, record, leftOut = []) => {
    const { evaluation } = request;
    const values: Values = merge(replaces ? {} : record, sent(request), request.inputs);
    for (const field in values)
      if (!leftOut.includes(field))
        assignToThis(context, evaluation, plan.name, field, values[field] as Value);
    // A default may read inputs and the results of other defaults.
    const clearing = forEachInOrder(cleared, (field) =>
      field in values ? undefined : clear(context, plan, evaluation, field),
    );
    return after(clearing, () =>
      forEachInOrder(sets, (set) =>
        after(set.when ? set.when(evaluation) : true, (applies) => {
          if (applies !== true || leftOut.includes(set.field)) return;
          return after(set.value(evaluation), (value) =>
            assignToThis(context, evaluation, plan.name, set.field, value),
          );
        }),
      ),
    );
  };
}

/**
 * For `replace`: a field that was not sent gets its default, or is cleared. Fields that the service
 * sets and fields that are set on create only keep their values. Fields to clear come first, then
 * the defaults in the order of a new record.
 */
function clearedFields(plan: ResourcePlan): readonly string[] {
  const defaultIndex = (name: string) =>
    plan.defaultValues.findIndex((defaultValue) => defaultValue.field === name);
  return plan.stored
    .filter(
      (field) =>
        field.role === "plain" &&
        !isServiceSet(field.rules) &&
        !ruleOf(field.rules, "immutable") &&
        !plan.identifier.includes(field.name),
    )
    .map((field) => field.name)
    .toSorted((a, b) => defaultIndex(a) - defaultIndex(b));
}

function clear(
  context: PlanContext,
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  field: string,
): Awaitable<void> {
  const defaultValue = plan.defaultValues.find((candidate) => candidate.field === field);
  return after(defaultValue ? defaultValue.evaluate(evaluation) : null, (value) =>
    assignToThis(context, evaluation, plan.name, field, value),
  );
}
