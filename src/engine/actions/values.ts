/**
 * Request values: the values that a request sets. These are its inputs by field, the reference to
 * the path's record, and `Set`.
 */
import type { Effect, Endpoint } from "../../model/model.ts";
import { type RequestContext, sentValue } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { defaultValueOf, type DefaultValue, compileFieldValue } from "../records/default-values.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { Values } from "../records/change.ts";
import { isRecord, type Evaluate } from "../evaluation/context.ts";
import { bareObject } from "../../support/bare-object.ts";

type Assign = Extract<Effect, { kind: "assign" }> & Pick<Effect, "when">;

/** Plans the values that were sent, by field. */
export function planSentValues(endpoint: Endpoint): (request: RequestContext) => Values {
  const setting = endpoint.inputs
    .filter((input) => input.sets !== undefined)
    .map((input) => ({ input, field: input.sets as string }));
  return (request) => {
    const values = bareObject<Values>();
    for (const { input, field } of setting) {
      const value = sentValue(request, input);
      if (value !== undefined) values[field] = value;
    }
    return values;
  };
}

/** Plans the `Set` items, each a field of the endpoint's resource. */
export function planSetItems(
  context: PlanContext,
  endpoint: Endpoint,
): readonly {
  readonly field: string;
  readonly value: Evaluate;
  readonly when?: Evaluate;
  readonly source: Assign;
}[] {
  return endpoint.set
    .filter(
      (effect): effect is Assign & { readonly position: Effect["position"] } =>
        effect.kind === "assign" && !effect.of,
    )
    .map((effect) => ({
      field: effect.field,
      value: compileFieldValue(context, effect.resource, effect.field, effect.value.node),
      ...(effect.when ? { when: evaluateOf(context, effect.when) } : {}),
      source: effect,
    }));
}

/**
 * Converts `Set` to default values of a new record, which take precedence over the resource's own.
 */
export function setDefaultValues(
  context: PlanContext,
  plan: ResourcePlan,
  endpoint: Endpoint,
): readonly DefaultValue[] {
  return planSetItems(context, endpoint).map((set) =>
    defaultValueOf(context, plan.resource, set.field, set.source.value.node, {
      overrides: true,
      ...(set.when && set.source.when ? { when: { node: set.source.when.node, evaluate: set.when } } : {}),
    }),
  );
}

/** Returns the reference to the record of the path, which a create sets. */
export function scopeValue(endpoint: Endpoint, request: RequestContext): Values {
  const { scope } = endpoint;
  if (!scope) return {};
  const record = request.evaluation.frame.named[scope.record] ?? null;
  return isRecord(record) ? { [scope.field]: record } : {};
}
