/**
 * Transition by call (`Does: collect Parcel`): inputs set the fields of the same names before
 * guards are evaluated.
 */
import type { Action } from "../request-context.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import { after } from "../../support/awaitable.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { requireRecord } from "../records/change.ts";
import { checkFails } from "../records/record-rules.ts";
import { setRecord } from "../evaluation/context.ts";
import {
  chooseByGuard,
  matchingEnds,
  runEnd,
  transitionPlan,
  withRecordName,
} from "../records/transition.ts";
import { planEndpointFails, planLetValues } from "./before.ts";
import { planAssignments } from "./change.ts";

export function planTransition(context: PlanContext, endpoint: Endpoint, name: string): Action {
  const plan = context.resource(endpoint.resource as string);
  const lets = planLetValues(context, endpoint);
  const fails = planEndpointFails(context, endpoint);
  const assign = planAssignments(context, plan, endpoint, false);
  return (request) => {
    const { evaluation } = request;
    const record: RecordValue = requireRecord(evaluation.frame.this);
    const transition = transitionPlan(plan, name);
    setRecord(evaluation, "old", plan.name, record);
    const fitting = matchingEnds(plan, transition, record);
    const assigned = after(lets(evaluation), () => assign(request, record));
    const allowed = after(assigned, () => checkFails(fails, evaluation, plan.name));
    const fired = after(allowed, () =>
      withRecordName(evaluation, plan, () =>
        after(chooseByGuard(plan, transition, evaluation, fitting), (end) => {
          request.because = end.end.position;
          return runEnd(context, plan, transition, end, evaluation);
        }),
      ),
    );
    return after(fired, () => {});
  };
}
