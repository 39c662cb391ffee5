/**
 * Steps between input validation and the change: `Let`, `Set` and `Fails` (notation, "The order of
 * checks"). Actions that create or change a record evaluate `Set` and `Fails` themselves, on the
 * record with its new values.
 */
import type { Endpoint } from "../../model/model.ts";
import { ownGuards } from "../../model/endpoints/path-guards.ts";
import type { Value } from "../../expressions/value.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import type { RequestContext, Action } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { planEffects } from "../records/effect-plans.ts";
import { runEffects } from "../records/effects.ts";
import { isRecord, type EvaluationContext, setRecord } from "../evaluation/context.ts";
import { checkFails } from "../records/record-rules.ts";
import { planFails, type FailPlan } from "../records/resource-plan.ts";

export type LetValues = (evaluation: EvaluationContext) => Awaitable<void>;

/**
 * The name of the value of `at most` in `Waits`, which is evaluated like a further `Let`. No
 * document can use this name.
 */
export const atMostName = "#at most";

/**
 * `Let`: a named value, evaluated once before anything changes and usable in the rest of the
 * endpoint. Then the effects of `Set` run: they come before the endpoint's own change.
 */
export function planLetValues(context: PlanContext, endpoint: Endpoint): LetValues {
  const lets = planLets(context, endpoint);
  const first = endpoint.set.filter(({ kind }) => kind !== "assign");
  if (first.length === 0) return lets;
  const effects = planEffects(context, first, endpoint.resource);
  return (evaluation) =>
    after(lets(evaluation), () => runEffects(context, effects, evaluation, endpoint.resource));
}

function planLets(context: PlanContext, endpoint: Endpoint): LetValues {
  const atMost = endpoint.waits ? [{ name: atMostName, value: endpoint.waits.atMost }] : [];
  const lets = [...endpoint.lets, ...atMost].map(({ name, value }) => ({
    name,
    evaluate: evaluateOf(context, value),
    type: value.node.type,
  }));
  return (evaluation) =>
    forEachInOrder(lets, ({ name, evaluate, type }) =>
      after(evaluate(evaluation), (value): Awaitable<void> => {
        if (type.kind !== "record") {
          evaluation.frame.named[name] = value;
          return;
        }
        // The record that a reference refers to replaces the reference, so that its fields can be
        // read.
        let record: Awaitable<Value> = value;
        if (value !== null && !isRecord(value)) {
          record = context.resource(type.resource).find(evaluation.work.session, evaluation.frame, value);
        }
        return after(record, (found) =>
          setRecord(evaluation, name, type.resource, isRecord(found) ? found : null),
        );
      }),
    );
}

export function planEndpointFails(context: PlanContext, endpoint: Endpoint): readonly FailPlan[] {
  return planFails(context, ownGuards(endpoint.fails));
}

/** Plans these steps for actions that make no change of their own. */
export function planBefore(context: PlanContext, endpoint: Endpoint): Action {
  const lets = planLetValues(context, endpoint);
  const fails = planEndpointFails(context, endpoint);
  return ({ evaluation }: RequestContext) =>
    after(lets(evaluation), () => checkFails(fails, evaluation, endpoint.resource));
}
