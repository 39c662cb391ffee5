/**
 * Unique slugs: `slug(text)` in a unique field gets `-2`, `-3` … appended until it is unique
 * (notation, "Functions").
 */
import { nonNull } from "../../support/non-null.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Query } from "../../store/store.ts";
import type { PlanContext } from "./plan-context.ts";
import { fieldEquals } from "../evaluation/nodes.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import { bind } from "../../expressions/parameters.ts";

/**
 * The number of suffixes that are tried in order before doubling, so that a thousand equal titles
 * do not need a thousand queries each.
 */
const triedInOrder = 20;

const queries = new WeakMap<ResourcePlan, Map<string, Query<RecordValue>>>();

/**
 * Returns the slug with the lowest free suffix.
 * @param self the record itself, whose current value counts as free
 */
export async function freeSlug(
  context: PlanContext,
  plan: ResourcePlan,
  field: string,
  slug: string,
  evaluation: EvaluationContext,
  self: RecordValue | null,
): Promise<string> {
  const query = queryOf(context, plan, field);
  const isFree = async (candidate: string): Promise<boolean> => {
    const named = bind(evaluation.frame, { [`field ${field}`]: candidate });
    const found = await evaluation.work.session.record(query, named);
    return found === null || (self !== null && found["#row"] === self["#row"]);
  };
  if (await isFree(slug)) return slug;
  let number = 2;
  for (; number <= triedInOrder; number += 1) {
    if (await isFree(`${slug}-${number}`)) return `${slug}-${number}`;
  }
  // Doubling finds a free suffix; binary search finds the lowest free one below it.
  let used = triedInOrder;
  while (!(await isFree(`${slug}-${number}`))) {
    used = number;
    number *= 2;
  }
  while (number - used > 1) {
    const middle = (number + used) >> 1;
    if (await isFree(`${slug}-${middle}`)) number = middle;
    else used = middle;
  }
  return `${slug}-${number}`;
}

function queryOf(context: PlanContext, plan: ResourcePlan, field: string): Query<RecordValue> {
  const known = queries.get(plan) ?? new Map<string, Query<RecordValue>>();
  queries.set(plan, known);
  let query = known.get(field);
  if (!query) {
    query = context.store.prepareRecords({
      resource: plan.name,
      where: [fieldEquals(plan.name, nonNull(plan.fields.get(field)))],
      order: [],
      includesDeleted: true,
    });
    known.set(field, query);
  }
  return query;
}
