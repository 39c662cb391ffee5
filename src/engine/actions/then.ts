/** Follow-up transitions: `Then` fires a transition of the same record in the same transaction. */
import type { Endpoint } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { requireRecord } from "../records/change.ts";
import { flush, type EvaluationContext, setRecord } from "../evaluation/context.ts";
import { chooseEnd, runEnd, transitionPlan, withRecordName } from "../records/transition.ts";

export async function runThen(
  context: PlanContext,
  endpoint: Endpoint,
  name: string,
  evaluation: EvaluationContext,
): Promise<void> {
  await flush(evaluation);
  const plan = context.resource(endpoint.resource as string);
  // If `, if any` found no record, there is no follow-up.
  if (evaluation.frame.this === null && endpoint.does.some((does) => "ifAny" in does && does.ifAny)) return;
  const record = requireRecord(evaluation.frame.this);
  // Nor if an effect has deleted the record. A marked one can still change.
  const isDeleted = evaluation.work.journal.latest(plan.name, record["#row"]) === null;
  if (isDeleted && plan.resource.deleted !== "marked") return;
  const transition = transitionPlan(plan, name);
  setRecord(evaluation, "old", plan.name, record);
  await withRecordName(evaluation, plan, async () => {
    const end = await chooseEnd(plan, transition, evaluation, record);
    return runEnd(context, plan, transition, end, evaluation);
  });
}
