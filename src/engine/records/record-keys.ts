/** Keys of a record, by which an upsert finds it: the identifier, and unique fields. */
import { nonNull } from "../../support/non-null.ts";
import type { Node } from "../../expressions/node.ts";
import type { RecordValue } from "../../expressions/value.ts";
import { hasRule } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import type { Query } from "../../store/store.ts";
import { comparedAtWirePrecision } from "../evaluation/wire-precision.ts";
import { fieldNode, fieldParameters, thisOf } from "../evaluation/nodes.ts";
import type { PlanContext } from "./plan-context.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { bind, parameterNode } from "../../expressions/parameters.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import type { Values } from "./change.ts";

/** How records are found by the values of some fields. */
export interface KeyPlan {
  readonly fields: readonly string[];
  readonly isIdentifier: boolean;
  readonly query: Query<RecordValue>;
}

/** A record, and the fields by which it was found. */
export interface FoundByKey {
  readonly record: RecordValue;
  readonly by: readonly string[];
}

/** The keys of a record: the identifier, then single and joint unique fields. */
export function keysOf(plan: ResourcePlan): readonly (readonly string[])[] {
  const unique = plan.stored.filter((field) => hasRule(field.rules, "unique")).map((field) => [field.name]);
  return [plan.identifier, ...unique, ...plan.resource.unique.map((item) => item.fields)].filter(
    (fields) => fields.length > 0,
  );
}

/** Plans how a key finds records, among those for which the conditions `around` are true. */
export function planKey(
  context: PlanContext,
  plan: ResourcePlan,
  fields: readonly string[],
  around: readonly Node[],
): KeyPlan {
  const where = fields.map((name): Node => {
    const type = expressionType(nonNull(plan.fields.get(name)).type);
    return comparedAtWirePrecision(
      context,
      "==",
      fieldNode(thisOf(plan.name), name, type),
      parameterNode(`field ${name}`, type),
    );
  });
  const query = context.store.prepareRecords({
    resource: plan.name,
    where: [...where, ...around],
    order: [],
  });
  return { fields, isIdentifier: fields === plan.identifier, query };
}

/**
 * Finds a record by the first key whose values are all present. An identifier decides alone:
 * otherwise, the unique value of another record would take that record over.
 */
export async function findByKeys(
  keys: readonly KeyPlan[],
  values: Readonly<Values>,
  { work, frame }: EvaluationContext,
): Promise<FoundByKey | null> {
  for (const { fields, isIdentifier, query } of keys) {
    if (fields.some((field) => (values[field] ?? null) === null)) continue;
    const record = await work.session.record(query, bind(frame, fieldParameters(fields, values)));
    if (record) return { record, by: fields };
    if (isIdentifier) return null;
  }
  return null;
}
