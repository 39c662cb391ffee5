/**
 * Upsert: `Does: upsert` updates the record that `Where`, or else the identifier or the unique
 * fields, find, and creates it if there is none.
 */
import { nonNull } from "../../support/non-null.ts";
import { sameValue } from "../../expressions/order.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Endpoint } from "../../model/model.ts";
import type { RequestContext, Action } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { type ProblemDetail, Problem } from "../problem.ts";
import type { Values } from "../records/change.ts";
import { flush, isRecord, setRecord } from "../evaluation/context.ts";
import { checkFails } from "../records/record-rules.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { findByKeys, type FoundByKey, keysOf, planKey } from "../records/record-keys.ts";
import { isHashed } from "../records/hidden-fields.ts";
import { toWireForm } from "../records/stored-form.ts";
import { ownRecord, targetConditions } from "../records/path-conditions.ts";
import { checkPreconditions } from "../steps/preconditions.ts";
import { planEndpointFails, planLetValues } from "./before.ts";
import { planAssignments } from "./change.ts";
import { planNewRecord } from "./create.ts";
import { planSentValues, planSetItems, scopeValue } from "./values.ts";

export function planUpsert(context: PlanContext, endpoint: Endpoint): Action {
  const plan = context.resource(endpoint.resource as string);
  const lets = planLetValues(context, endpoint);
  const fails = planEndpointFails(context, endpoint);
  const sent = planSentValues(endpoint);
  const keys = findingKeys(endpoint, plan);
  const keyFields = new Set(keys.flat());
  // Only the key fields are evaluated before the lookup; the rest of `Set` is evaluated on the
  // record that was found.
  const keySets = planSetItems(context, endpoint).filter((set) => keyFields.has(set.field));
  const assign = planAssignments(context, plan, endpoint, false);
  const make = planNewRecord(context, endpoint);
  const find = planFind(context, plan, endpoint, keys);
  const immutable = immutableInputs(endpoint, plan);
  return async (request) => {
    const { evaluation } = request;
    await lets(evaluation);
    const values: Values = Object.assign(scopeValue(endpoint, request), sent(request));
    const known = { ...values };
    for (const set of keySets) {
      if (set.when && (await set.when(evaluation)) !== true) continue;
      known[set.field] = await set.value(evaluation);
    }
    const found = await find(request, known);
    const record = found?.record ?? null;
    checkPreconditions(endpoint, request, record);
    evaluation.frame.named["created"] = found === null;
    if (!found || !record) return make(request, values);
    refuseImmutable(context, immutable, values, found, plan);
    setRecord(evaluation, "this", plan.name, record);
    setRecord(evaluation, "old", plan.name, record);
    if (!endpoint.records.some((record) => record.name === plan.resource.variableName))
      setRecord(evaluation, plan.resource.variableName, plan.name, record);
    await assign(request, record, [...plan.identifier, ...found.by]);
    await checkFails(fails, evaluation, plan.name);
    await flush(evaluation);
  };
}

interface ImmutableInput {
  readonly field: string;
  /** The input's dotted name. */
  readonly name: string;
}

/**
 * Inputs of fields that can be set on create only, like the identifier. Secrets are stored as
 * hashes and cannot be compared.
 */
function immutableInputs(endpoint: Endpoint, plan: ResourcePlan): readonly ImmutableInput[] {
  return endpoint.inputs.flatMap(({ sets, name }) => {
    const field = sets === undefined ? undefined : plan.fields.get(sets);
    const isImmutable = field && (hasRule(field.rules, "immutable") || plan.identifier.includes(field.name));
    if (!isImmutable || isHashed(field.type)) return [];
    return [{ field: field.name, name: name.join(".") }];
  });
}

/** Part 2, `immutable`: an upsert accepts the current value and rejects any other. */
function refuseImmutable(
  context: PlanContext,
  inputs: readonly ImmutableInput[],
  values: Values,
  { record, by }: FoundByKey,
  { name: resource, fields }: ResourcePlan,
): void {
  const changed = inputs.filter(
    ({ field }) =>
      field in values && !by.includes(field) && !sameValue(values[field] as Value, record[field] as Value),
  );
  if (changed.length === 0) return;
  const details = changed.map(({ field, name }): ProblemDetail => {
    const value = toWireForm(context, nonNull(fields.get(field)).type, values[field] as Value);
    return { condition: "invalid field", resource, field: name, value, problem: "can't be changed any more" };
  });
  throw new Problem(details, {
    record,
    because: changed[0] && fields.get(changed[0].field)?.position,
  });
}

type Find = (request: RequestContext, values: Values) => Promise<FoundByKey | null>;

function planFind(
  context: PlanContext,
  plan: ResourcePlan,
  endpoint: Endpoint,
  fieldsOfKeys: readonly (readonly string[])[],
): Find {
  const own = ownRecord(endpoint);
  // The path has already selected the record, if the record exists.
  if (own)
    return async ({ evaluation }) => {
      const record = evaluation.records.get(own.name) === plan.name ? pathRecord(evaluation, own.name) : null;
      return record && { record, by: own.by ? [own.by.field] : [] };
    };
  // Records that the caller cannot see, or that belong to another record of the path, are not
  // found. They still cause a duplicate if a field is unique.
  const around = targetConditions(context, endpoint, plan);
  if (endpoint.where.length > 0) {
    const query = context.store.prepareRecords({ resource: plan.name, where: around, order: [] });
    return async ({ evaluation }) => {
      const record = await evaluation.work.session.record(query, evaluation.frame);
      return record && { record, by: [] };
    };
  }
  const keys = fieldsOfKeys.map((fields) => planKey(context, plan, fields, around));
  return async ({ evaluation }, values) => findByKeys(keys, values, evaluation);
}

/** The keys that find the record: those with the field of the path, if the path names the record. */
function findingKeys({ inputs }: Endpoint, plan: ResourcePlan): readonly (readonly string[])[] {
  const keys = keysOf(plan);
  const ofPath = inputs.find((input) => input.in === "path" && input.sets !== undefined)?.sets;
  const named = keys.filter((key) => ofPath !== undefined && key.includes(ofPath));
  const alone = named.find((key) => key.length === 1);
  if (alone) return [alone];
  return named.length > 0 ? named : keys;
}

function pathRecord(evaluation: RequestContext["evaluation"], name: string): RecordValue | null {
  const value = name === "this" ? evaluation.frame.this : (evaluation.frame.named[name] ?? null);
  return isRecord(value) ? value : null;
}
