/** `merged` maps of an endpoint's inputs: what is made of what was sent and of what is there. */
import type { Value } from "../../expressions/value.ts";
import { compileChecks } from "../../fields/rules/index.ts";
import type { Endpoint } from "../../model/model.ts";
import { engineDefaults } from "../defaults.ts";
import { boundsOf } from "../limits/bounds.ts";
import { type Blame, Problem } from "../problem.ts";
import type { Values } from "../records/change.ts";
import { mergeMaps } from "../records/merge-maps.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { shownByType } from "../records/stored-form.ts";

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
      const become = merged[field] as Value;
      const blame = (problem: string): Blame => {
        const value = shownByType(context, type, sent[field] as Value);
        return { condition: "invalid field", resource: plan.name, field: name, value, problem };
      };
      if (Buffer.byteLength(JSON.stringify(become)) > bytesMax)
        return [blame(`must not hold more than ${bytesMax} bytes`)];
      return checks.flatMap((check): Blame[] => {
        const problem = check(become);
        return problem === undefined ? [] : [{ ...blame(problem), rule: check.rule }];
      });
    });
    if (blames.length > 0) throw new Problem(blames);
    return merged;
  };
}
