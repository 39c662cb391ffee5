/**
 * Bulk actions: `Does: delete every X` and `update every X` change all records that `Where`, the
 * path and the filters select.
 */
import { readsName } from "../../expressions/analysis/reads.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import { ownGuards } from "../../model/endpoints/path-guards.ts";
import type { Query } from "../../store/store.ts";
import type { RequestContext, Action } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { deleteRecord } from "../records/change.ts";
import { recordContext } from "../records/record-context.ts";
import { flush, type EvaluationContext, setRecord } from "../evaluation/context.ts";
import { checkFails } from "../records/record-rules.ts";
import { planFails } from "../records/resource-plan.ts";
import { targetConditions } from "../records/path-conditions.ts";
import { planLetValues } from "./before.ts";
import { planAssignments } from "./change.ts";
import { planFilters } from "./filters.ts";
import { bind } from "../../expressions/parameters.ts";

export function planManyRecords(context: PlanContext, endpoint: Endpoint, kind: "update" | "delete"): Action {
  const plan = context.resource(endpoint.resource as string);
  const lets = planLetValues(context, endpoint);
  const [ofRecords, ofRequest] = splitByReads(ownGuards(endpoint.fails));
  const failsOfRecords = planFails(context, ofRecords);
  const failsOfRequest = planFails(context, ofRequest);
  const assign = planAssignments(context, plan, endpoint, false);
  const find = planFind(context, endpoint);
  return async (request) => {
    const { evaluation } = request;
    await lets(evaluation);
    await checkFails(failsOfRequest, evaluation, plan.name);
    for (const record of await find(request)) {
      // The change of an earlier record may have changed or deleted this one.
      const latest = evaluation.work.journal.latest(plan.name, record["#row"]);
      if (latest === null) continue;
      const current = latest ?? record;
      const inner = scratchContext(evaluation, recordContext(evaluation, plan, current));
      setRecord(inner, "old", plan.name, current);
      if (kind === "update") await assign({ ...request, evaluation: inner }, current);
      await checkFails(failsOfRecords, inner, plan.name);
      if (kind === "update") await flush(inner);
      else await deleteRecord(context, plan, inner, current);
    }
  };
}

/**
 * Creates a context in which the names of the request remain available while a selected record is
 * evaluated.
 */
function scratchContext(evaluation: EvaluationContext, inner: EvaluationContext): EvaluationContext {
  for (const [name, value] of Object.entries(evaluation.frame.named)) inner.frame.named[name] ??= value;
  return inner;
}

function planFind(
  context: PlanContext,
  endpoint: Endpoint,
): (request: RequestContext) => Promise<readonly RecordValue[]> {
  const plan = context.resource(endpoint.resource as string);
  const filters = planFilters(context, endpoint);
  const conditions = targetConditions(context, endpoint, plan);
  const queries = new Map<string, Query<RecordValue>>();
  // Only filters that were sent are queried. A query that the store does not support is reported
  // when the service starts.
  context.store.prepareRecords({
    resource: plan.name,
    where: [...conditions, ...filters.ofInputs],
    order: [],
  });
  filters.prepareConditions();
  return async (request) => {
    const { name, nodes, parameters, composed } = await filters.requested(request);
    const query = filters.prepared(queries, name, () =>
      context.store.prepareRecords({
        resource: plan.name,
        where: [...conditions, ...nodes],
        order: [],
        isComposed: composed !== "",
      }),
    );
    return request.evaluation.work.session.records(query, bind(request.evaluation.frame, parameters));
  };
}

/**
 * Splits conditions into those that read the record and those that read only the request, which
 * apply without a record, too.
 */
function splitByReads(fails: Endpoint["fails"]): readonly [Endpoint["fails"], Endpoint["fails"]] {
  const readsRecord = (failRule: Endpoint["fails"][number]): boolean =>
    readsName(failRule.when.node, [{ name: "this" }, { name: "old" }]);
  return [fails.filter(readsRecord), fails.filter((failRule) => !readsRecord(failRule))];
}
