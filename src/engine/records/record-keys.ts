/** Keys of a record, by which an upsert finds it: the identifier, and unique fields. */
import { nonNull } from "../../support/non-null.ts";
import type { Node } from "../../expressions/node.ts";
import type { RecordValue } from "../../expressions/value.ts";
import { hasRule } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import type { Query } from "../../store/store.ts";
import { comparedAtWirePrecision } from "../evaluation/wire-precision.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import type { PlanContext } from "./plan-context.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { parameterNode } from "../../expressions/parameters.ts";

/** The keys of a record: the identifier, then single and joint unique fields. */
export function keysOf(plan: ResourcePlan): readonly (readonly string[])[] {
  const unique = plan.stored.filter((field) => hasRule(field.rules, "unique")).map((field) => [field.name]);
  return [plan.identifier, ...unique, ...plan.resource.unique.map((item) => item.fields)].filter(
    (fields) => fields.length > 0,
  );
}

/** The query for the record whose key is in the parameters `field NAME`. */
export function keyQuery(
  context: PlanContext,
  plan: ResourcePlan,
  fields: readonly string[],
  around: readonly Node[],
): Query<RecordValue> {
  const where = fields.map((name): Node => {
    const type = expressionType(nonNull(plan.fields.get(name)).type);
    return comparedAtWirePrecision(
      context,
      "==",
      fieldNode(thisOf(plan.name), name, type),
      parameterNode(`field ${name}`, type),
    );
  });
  return context.store.prepareRecords({ resource: plan.name, where: [...where, ...around], order: [] });
}
