/** The fields that a request sets: its inputs by field, the reference to the path's record, and `Set`. */
import type { Value } from "../../expressions/value.ts";
import type { Effect, Endpoint, Input } from "../../model/model.ts";
import type { Exchange } from "../exchange.ts";
import { evaluateOf, type PlanContext } from "../plan/context.ts";
import { fillerOf, type Filler, valueSet } from "../records/fill.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { isRecord, type Values } from "../records/change.ts";
import type { Evaluate } from "../records/scene.ts";
import { bareObject } from "../../support/bare-object.ts";

type Assign = Extract<Effect, { kind: "assign" }> & Pick<Effect, "when">;

/** Reads the fields that were sent. */
export function planSent(endpoint: Endpoint): (exchange: Exchange) => Values {
  const setting = endpoint.inputs
    .filter((input) => input.sets !== undefined)
    .map((input) => ({ input, field: input.sets as string }));
  return (exchange) => {
    const values = bareObject<Values>();
    for (const { input, field } of setting) {
      const value = sentValue(exchange, input);
      if (value !== undefined) values[field] = value;
    }
    return values;
  };
}

/** What was sent for an input (or its default); undefined where nothing was. */
export function sentValue(exchange: Exchange, input: Input): Value | undefined {
  const { frame } = exchange.scene;
  let value: Value | undefined = input.in === "header" ? frame.headers : frame[input.in];
  if (input.in === "header") {
    const headers = value as { readonly [name: string]: Value } | null;
    return headers?.[(input.name[0] as string).toLowerCase()];
  }
  for (const part of input.name) {
    if (value === null || value === undefined || typeof value !== "object" || Array.isArray(value))
      return undefined;
    value = (value as { readonly [key: string]: Value })[part];
  }
  return value;
}

/** `Set` items, each a field of the endpoint's resource. */
export function planSets(
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
      value: valueSet(context, effect.resource, effect.field, effect.value.node),
      ...(effect.when ? { when: evaluateOf(context, effect.when) } : {}),
      source: effect,
    }));
}

/** `Set` as fillers of a new record, which come before what the resource would fill in. */
export function setFillers(context: PlanContext, plan: ResourcePlan, endpoint: Endpoint): readonly Filler[] {
  return planSets(context, endpoint).map((set) =>
    fillerOf(context, plan.resource, set.field, set.source.value.node, {
      overrides: true,
      ...(set.when && set.source.when ? { when: { node: set.source.when.node, evaluate: set.when } } : {}),
    }),
  );
}

/** The reference to the record of the path, which creating sets. */
export function scopeValue(endpoint: Endpoint, exchange: Exchange): Values {
  const { scope } = endpoint;
  if (!scope) return {};
  const record = exchange.scene.frame.named[scope.record] ?? null;
  return isRecord(record) ? { [scope.field]: record } : {};
}

/** `merged` maps: an update adds the keys that were sent and takes out those sent as null; null for the whole empties it. */
export function mergeMaps(
  plan: ResourcePlan,
  before: { readonly [field: string]: Value },
  values: Values,
): Values {
  for (const field of plan.merged) {
    const value = values[field];
    if (value === undefined) continue;
    if (value === null) {
      values[field] = {};
      continue;
    }
    const merged = Object.assign(bareObject<Record<string, Value>>(), before[field] as object | null);
    for (const [key, one] of Object.entries(value as { readonly [key: string]: Value })) {
      if (one === null) delete merged[key];
      else merged[key] = one;
    }
    values[field] = merged;
  }
  return values;
}
