/** Record creation by `Does: create`. */
import type { Endpoint } from "../../model/model.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { RequestContext, Action } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { createRecord, type Values } from "../records/change.ts";
import { type DefaultValue, inDependencyOrder } from "../records/default-values.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import { checkFails } from "../records/record-rules.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { planEndpointFails, planLetValues } from "./before.ts";
import { planRequiredInputs } from "./required-inputs.ts";
import { planMerging } from "./merging.ts";
import { planSentValues, scopeValue, setDefaultValues } from "./values.ts";

export function planCreate(context: PlanContext, endpoint: Endpoint): Action {
  const lets = planLetValues(context, endpoint);
  const sent = planSentValues(endpoint);
  const make = planNewRecord(context, endpoint);
  return (request) =>
    after(lets(request.evaluation), () => {
      const values = sent(request);
      return make(request, endpoint.scope ? Object.assign(scopeValue(endpoint, request), values) : values);
    });
}

/** Creates the new record of an endpoint: applies defaults, `Set` and `Fails`, then stores it. */
export function planNewRecord(
  context: PlanContext,
  endpoint: Endpoint,
): (request: RequestContext, values: Values) => Awaitable<void> {
  const plan = context.resource(endpoint.resource as string);
  const fails = planEndpointFails(context, endpoint);
  const needed = planRequiredInputs(endpoint);
  const merge = planMerging(context, plan, endpoint);
  const { variableName } = plan.resource;
  // Within the endpoint, the path's record keeps its name if the small name of its resource is also
  // that of the new record.
  const isNameUsed = endpoint.records.some(({ name }) => name === variableName);
  let defaultValues: readonly DefaultValue[] | undefined;
  return (request, values) => {
    defaultValues ??= allFillers(context, plan, endpoint, isNameUsed);
    const { evaluation } = request;
    needed(request);
    const above = (isNameUsed ? evaluation.frame.named[variableName] : null) ?? null;
    if (isNameUsed) evaluation.frame.named[parentName] = above;
    const checkRules = () => checkFails(fails, evaluation, plan.name);
    const making = createRecord(context, plan, evaluation, merge({}, values, request.inputs), {
      defaultValues,
      ...(fails.length > 0 ? { beforeStored: () => underParentName(evaluation, plan, checkRules) } : {}),
    });
    return after(making, () => {
      if (above !== null) evaluation.frame.named[variableName] = above;
    });
  };
}

/**
 * The name of the path's record of the same resource, while its own name denotes the new record.
 */
const parentName = "#above";

/**
 * Evaluates what the endpoint itself states: the small name denotes the path's record there, if
 * there is one.
 */
function underParentName<T>(
  { frame: { named } }: EvaluationContext,
  plan: ResourcePlan,
  work: () => Awaitable<T>,
): Awaitable<T> {
  const { variableName } = plan.resource;
  const above = named[parentName] ?? null;
  if (above === null) return work();
  const own = named[variableName] ?? null;
  named[variableName] = above;
  return after(work(), (result) => {
    named[variableName] = own;
    return result;
  });
}

function allFillers(
  context: PlanContext,
  plan: ResourcePlan,
  endpoint: Endpoint,
  isNameUsed: boolean,
): readonly DefaultValue[] {
  const set = setDefaultValues(context, plan, endpoint);
  return inDependencyOrder([
    ...(isNameUsed ? set.map((defaultValue) => evaluatedAgainstParent(plan, defaultValue)) : set),
    ...plan.defaultValues,
  ]);
}

function evaluatedAgainstParent(plan: ResourcePlan, defaultValue: DefaultValue): DefaultValue {
  const { when, evaluate } = defaultValue;
  return {
    ...defaultValue,
    ...(when ? { when: (evaluation) => underParentName(evaluation, plan, () => when(evaluation)) } : {}),
    evaluate: (evaluation) => underParentName(evaluation, plan, () => evaluate(evaluation)),
  };
}
