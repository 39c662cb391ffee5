/**
 * Coverage of record conditions: which records a `Where` or a `Visible` selects, and which it
 * excludes. The database evaluates both in its statements and does not report excluded records. So,
 * before a request loads its records, the candidates are evaluated here individually. The
 * evaluation changes nothing and affects no response.
 */
import { signsIn } from "../../model/endpoints/does.ts";
import type { Expression } from "../../expressions/node.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, PathRecord } from "../../model/model.ts";
import { after, type Awaitable, mapInOrder, forEachInOrder } from "../../support/awaitable.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { createTextReader } from "../evaluation/text-reader.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import {
  createEvaluationContext,
  type Evaluate,
  type EvaluationContext,
  setRecord,
} from "../evaluation/context.ts";
import { copyFrame } from "../../expressions/frame.ts";
import { bareObject } from "../../support/bare-object.ts";
import { parameterCondition, scopeConditions } from "../records/path-conditions.ts";
import { bind } from "../../expressions/parameters.ts";

/** Largest number of records that are evaluated for one request. Scenarios have few records. */
const candidatesMax = 200;

type EvaluateCandidates = (request: RequestContext) => Awaitable<void>;

/** @param witnessed a context whose conditions report their results to an observer */
export function planCandidates(witnessed: PlanContext, endpoint: Endpoint): EvaluateCandidates {
  const records = endpoint.records.map((record) => planPathRecord(witnessed, endpoint, record));
  const target = planTarget(witnessed, endpoint);
  return (request) => {
    const evaluation = scratchContext(request.evaluation);
    const found = forEachInOrder(records, (record) => record(request, evaluation));
    return after(found, () => target?.(evaluation));
  };
}

/** Creates a separate evaluation context, so that the request is not affected. */
function scratchContext({ work, frame, records }: EvaluationContext): EvaluationContext {
  const copy = copyFrame(frame);
  copy.named = Object.assign(bareObject<typeof frame.named>(), frame.named);
  const evaluation = createEvaluationContext(work, copy);
  for (const [name, resource] of records) evaluation.records.set(name, resource);
  return evaluation;
}

function planPathRecord(
  context: PlanContext,
  endpoint: Endpoint,
  record: PathRecord,
): (request: RequestContext, evaluation: EvaluationContext) => Awaitable<void> {
  const plan = context.resource(record.resource);
  const field = record.by && plan.fields.get(record.by.field);
  const read = field && createTextReader(context, field);
  const conditions = conditionsOf(context, plan, [...record.where, ...(record.target ? endpoint.where : [])]);
  const query = context.store.prepareRecords({
    resource: record.resource,
    where: parameterCondition(context, record),
    order: [],
    ...(endpoint.finds && record.target ? { includesDeleted: true } : {}),
  });
  return ({ parameters }, evaluation) => {
    let { frame } = evaluation;
    if (record.by && read) {
      const text = parameters[record.by.parameter];
      const value = text === undefined ? undefined : read(text);
      if (value === undefined) return;
      frame = bind(frame, { path: value });
    }
    const evaluated = after(evaluation.work.session.records(query, frame), (candidates) =>
      holdingOf(conditions, plan, evaluation, candidates),
    );
    return after(evaluated, ([found]) => {
      if (found) setRecord(evaluation, record.name, plan.name, found);
    });
  };
}

/**
 * Plans the query for the records of a list or of a bulk action, or for the record that `Where`
 * selects if the path does not.
 */
function planTarget(
  context: PlanContext,
  endpoint: Endpoint,
): ((evaluation: EvaluationContext) => Awaitable<void>) | undefined {
  const { resource } = endpoint;
  const isNew = endpoint.does.every((does) => does.kind === "create" || signsIn(does));
  if (resource === undefined || isNew || endpoint.records.some((record) => record.target)) return undefined;
  const plan = context.resource(resource);
  const conditions = conditionsOf(context, plan, endpoint.where);
  if (conditions.length === 0) return undefined;
  const query = context.store.prepareRecords({
    resource,
    where: scopeConditions(context, endpoint, plan),
    order: [],
    ...(endpoint.finds ? { includesDeleted: true } : {}),
  });
  return (evaluation) =>
    after(evaluation.work.session.records(query, evaluation.frame), (candidates) =>
      after(holdingOf(conditions, plan, evaluation, candidates), () => {}),
    );
}

function conditionsOf(
  context: PlanContext,
  { resource }: ResourcePlan,
  where: readonly Expression[],
): readonly Evaluate[] {
  return [...where, ...(resource.visible ? [resource.visible] : [])].map((expression) =>
    evaluateOf(context, expression),
  );
}

/**
 * Returns the candidates for which all conditions hold. The evaluation of a candidate stops at the
 * first condition that does not hold.
 */
function holdingOf(
  conditions: readonly Evaluate[],
  plan: ResourcePlan,
  evaluation: EvaluationContext,
  candidates: readonly RecordValue[],
): Awaitable<readonly RecordValue[]> {
  const evaluated = mapInOrder(candidates.slice(0, candidatesMax), (candidate) => {
    const inner = scratchContext(evaluation);
    setRecord(inner, "this", plan.name, candidate);
    const holdsFrom = (at: number): Awaitable<boolean> => {
      const condition = conditions[at];
      return condition ? after(condition(inner), (holds) => holds === true && holdsFrom(at + 1)) : true;
    };
    return after(holdsFrom(0), (holds) => (holds ? [candidate] : []));
  });
  return after(evaluated, (found) => found.flat());
}
