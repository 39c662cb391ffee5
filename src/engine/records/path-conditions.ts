/**
 * Path conditions: conditions that select the record of a path or of `Where` (part 4, "Paths" and
 * "Where").
 */
import type { Node } from "../../expressions/node.ts";
import { expressionType } from "../../fields/type.ts";
import type { Endpoint, PathRecord } from "../../model/model.ts";
import { comparedAtWirePrecision } from "../evaluation/wire-precision.ts";
import { equalsNode, fieldNode, namedNode, thisOf } from "../evaluation/nodes.ts";
import type { PlanContext } from "./plan-context.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { parameterNode } from "../../expressions/parameters.ts";

/**
 * The conditions that select the record of the path: its parameter, the path's `Where`, and
 * visibility.
 */
export function recordConditions(context: PlanContext, plan: ResourcePlan, record: PathRecord): Node[] {
  const conditions = parameterCondition(context, record);
  for (const where of record.where) conditions.push(where.node);
  if (plan.visible) conditions.push(plan.visible);
  return conditions;
}

/**
 * For an upsert: the record of the path, if the full path identifies it and no `Where` selects
 * another.
 */
export function ownRecord({ resource, records, path, where }: Endpoint): PathRecord | undefined {
  if (where.length > 0) return undefined;
  return records.find((record) => record.resource === resource && record.path === path.text);
}

/**
 * The condition on the parameter's field, with the parameter parsed by its type; empty if `Where`
 * alone selects.
 */
export function parameterCondition(context: PlanContext, { by, resource }: PathRecord): Node[] {
  const field = by && context.resource(resource).fields.get(by.field);
  if (!by || !field) return [];
  const type = expressionType(field.type);
  const own = fieldNode(thisOf(resource), field.name, type);
  const sent = parameterNode("path", type);
  return [comparedAtWirePrecision(context, "==", own, sent)];
}

/** The conditions that select the target: `Where`, the scope of the path, and visibility. */
export function targetConditions(context: PlanContext, endpoint: Endpoint, plan: ResourcePlan): Node[] {
  return [
    ...scopeConditions(context, endpoint, plan),
    ...endpoint.where.map((expression) => expression.node),
    ...(plan.visible ? [plan.visible] : []),
  ];
}

/** Part 4: under a path, only records that refer to the path's record. */
export function scopeConditions(_context: PlanContext, endpoint: Endpoint, plan: ResourcePlan): Node[] {
  const { scope } = endpoint;
  const field = scope && plan.fields.get(scope.field);
  if (!scope || !field) return [];
  const type = expressionType(field.type);
  return [equalsNode(fieldNode(thisOf(plan.name), field.name, type), namedNode(scope.record, type))];
}
