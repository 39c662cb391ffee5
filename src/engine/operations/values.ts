/** The fields that a request sets: its inputs by field, the reference to the path's record, and `Set`. */
import type { Value } from "../../expressions/value.ts";
import { compileChecks } from "../../fields/rules/index.ts";
import type { Effect, Endpoint } from "../../model/model.ts";
import { type Exchange, sentValue } from "../exchange.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../asking/evaluate.ts";
import { fillerOf, type Filler, valueSet } from "../records/fill.ts";
import { boundsOf } from "../limits/bounds.ts";
import { engineDefaults } from "../defaults.ts";
import { mergeMaps } from "../records/merge-maps.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { shownByType } from "../records/stored-form.ts";
import type { Values } from "../records/change.ts";
import { type Blame, Problem } from "../problem.ts";
import { isRecord, type Evaluate } from "../asking/scene.ts";
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

/**
 * Puts `merged` maps that were sent into what is there. How many keys one may have is asked of what it becomes, and it never becomes more
 * than one request could bring.
 * @returns takes what was sent into `values`. @throws Problem naming the input
 */
export function planMerging(
  context: PlanContext,
  plan: ResourcePlan,
  endpoint: Endpoint,
): (before: { readonly [field: string]: Value }, values: Values) => Values {
  const bytesMax = Math.max(
    boundsOf(context.model.limits, endpoint).bodyBytesMax,
    engineDefaults.bodyBytesMax,
  );
  const asked = endpoint.inputs.flatMap(({ sets: field, name, type, rules }) => {
    if (field === undefined || !plan.merged.includes(field)) return [];
    const counts = rules.filter(({ rule }) => rule === "items");
    return [{ field, name: name.join("."), type, checks: compileChecks(counts, type) }];
  });
  return (before, values) => {
    const sent = asked.length === 0 ? values : { ...values };
    const merged = mergeMaps(plan, before, values);
    const blames = asked.flatMap(({ field, name, type, checks }) => {
      if (!(field in sent)) return [];
      const value = merged[field] as Value;
      const words = checks.map((check) => check(value)).filter((problem) => problem !== undefined);
      if (Buffer.byteLength(JSON.stringify(value)) > bytesMax)
        words.push(`must not hold more than ${bytesMax} bytes`);
      const shown = shownByType(context, type, sent[field] as Value);
      return words.map(
        (problem): Blame => ({
          condition: "invalid field",
          resource: plan.name,
          field: name,
          value: shown,
          problem,
        }),
      );
    });
    if (blames.length > 0) throw new Problem(blames);
    return merged;
  };
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
