/**
 * Quotas (part 8): `stored | 20 Prediction per Account where <expr>`. Checked before a record is
 * created, and before a change makes another record match.
 */
import type { Node } from "../../expressions/node.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { PlanContext } from "./plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { fieldEquals } from "../evaluation/nodes.ts";
import { Problem } from "../problem.ts";
import { recordContext } from "./record-context.ts";
import { storedForm } from "./stored-form.ts";
import { sameValue } from "../../expressions/order.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import { bind } from "../../expressions/parameters.ts";

/**
 * @param before null if the record is new
 * @param after the record as it would be stored
 */
export type CheckQuotas = (
  evaluation: EvaluationContext,
  before: RecordValue | null,
  after: Readonly<Record<string, Value>>,
) => Promise<void>;

export function planQuotas(context: PlanContext, plan: ResourcePlan): CheckQuotas {
  const quotas = context.model.limits.stored
    .filter((row) => row.resource === plan.name)
    .map((row) => {
      // `per Account` states the name of the reference to the account, because a record may have
      // several.
      const owner = row.per === undefined ? undefined : plan.stored.find((field) => field.name === row.per);
      const where: Node[] = row.where ? [row.where.node] : [];
      if (owner) where.push(fieldEquals(plan.name, owner));
      const counts = row.where && evaluateOf(context, row.where);
      return { row, owner, counts, query: context.store.prepareCount({ resource: plan.name, where }) };
    });
  return async (evaluation, before, after) => {
    for (const { row, owner, counts, query } of quotas) {
      const ownerOf = (record: Readonly<Record<string, Value>>): Value =>
        owner ? storedForm(context, plan, owner.name, record[owner.name] ?? null) : null;
      const countsFor = async (record: Readonly<Record<string, Value>>): Promise<boolean> => {
        if (owner && ownerOf(record) === null) return false;
        return !counts || (await counts(recordContext(evaluation, plan, record as RecordValue))) === true;
      };
      if (!(await countsFor(after))) continue;
      if (before && sameValue(ownerOf(before), ownerOf(after)) && (await countsFor(before))) continue;
      const frame = owner
        ? bind(evaluation.frame, { [`field ${owner.name}`]: ownerOf(after) })
        : evaluation.frame;
      if ((await evaluation.work.session.count(query, frame)) < row.count) continue;
      throw new Problem(
        {
          condition: "quota exceeded",
          resource: plan.name,
          limitName: row.name === "" ? "stored" : row.name,
          limit: row.count,
          problem: `may not exceed ${row.count} ${plan.name}${row.per === undefined ? "" : ` for each ${row.per}`}`,
        },
        { because: row.position },
      );
    }
  };
}
