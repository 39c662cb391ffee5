/**
 * Record loading: reads the records of the path, from the shortest path to the longest, each with
 * its own `Allowed` and `Fails`. Then it reads the target record of the endpoint (part 4, "Paths"
 * and "Where"). A record outside of the caller's scope is not found, never forbidden, so that its
 * existence stays hidden.
 */
import { parameterNames } from "../../model/endpoints/path-text.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { createTextReader } from "../evaluation/text-reader.ts";
import { readsName } from "../../expressions/analysis/reads.ts";
import type { Allowed, Endpoint, PathRecord } from "../../model/model.ts";
import { hasOptionalRecord, isOwnRecord } from "../../model/endpoints/optional-record.ts";
import { pathGuards } from "../../model/endpoints/path-guards.ts";
import type { Position } from "../../source/source.ts";
import type { Query } from "../../store/store.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { Problem } from "../problem.ts";
import { checkFails } from "../records/record-rules.ts";
import { type FailPlan, planFails, type ResourcePlan } from "../records/resource-plan.ts";
import { type EvaluationContext, setRecord } from "../evaluation/context.ts";
import { type Allow, planAllow } from "./allow.ts";
import { type HiddenBy, planHiddenBy } from "../problems/hidden-by.ts";
import {
  recordConditions,
  parameterCondition,
  targetConditions,
  scopeConditions,
} from "../records/path-conditions.ts";
import { mayCreate, isOnExistingRecord, createsIfMissing } from "../../model/endpoints/does.ts";
import { bind } from "../../expressions/parameters.ts";

export type Load = (request: RequestContext) => Awaitable<void>;

export function planLoad(context: PlanContext, endpoint: Endpoint): Load {
  const records = endpoint.records.map((record): PathStep => {
    const load = planRecord(context, endpoint, record);
    return { path: record.path, run: (request) => loadRecord(request, load) };
  });
  const guards = pathGuards(endpoint).map(({ path, allowed, fails }): PathStep => {
    const allow = planAllow(context, endpoint, allowed);
    const rules = planFails(context, fails);
    return {
      path,
      run: (request) => after(allow(request), () => checkFails(rules, request.evaluation, endpoint.resource)),
    };
  });
  const steps = [...records, ...guards].toSorted((a, b) => a.path.length - b.path.length);
  const target = planTarget(context, endpoint);
  return (request) => {
    const loading = forEachInOrder(steps, (step) => step.run(request));
    return target ? after(loading, () => target(request)) : loading;
  };
}

/** A record of the path, or the guards of a path heading without a record. */
interface PathStep {
  readonly path: string;
  readonly run: Load;
}

interface RecordLoad {
  readonly record: PathRecord;
  /** The last parameter of the path: the value of `error.value` if the record does not exist. */
  readonly lastParameter: string;
  readonly plan: ResourcePlan;
  readonly query: Query<RecordValue>;
  readonly parameter?: { readonly name: string; readonly read: (text: string) => Value | undefined };
  readonly allow: Allow;
  /** The rules that can be evaluated if the record is absent and optional. */
  readonly allowMissing: Allow;
  readonly fails: readonly FailPlan[];
  readonly hiddenBy: HiddenBy;
  /** An action of the endpoint accepts a missing record: `delete X, if any`, `upsert`. */
  readonly ifAny: boolean;
  /** `delete X, if any`: a path parameter that is not of its type is no error either. */
  readonly optional: boolean;
}

function planRecord(context: PlanContext, endpoint: Endpoint, record: PathRecord): RecordLoad {
  const plan = context.resource(record.resource);
  const field = record.by && plan.fields.get(record.by.field);
  const own = record.target ? endpoint.where.map((expression) => expression.node) : [];
  const isOwn = isOwnRecord(endpoint, record);
  return {
    record,
    lastParameter: lastParameterOf(record.path),
    plan,
    query: context.store.prepareRecords({
      resource: record.resource,
      where: [...recordConditions(context, plan, record), ...own],
      order: [],
      ...(endpoint.finds && record.target ? { includesDeleted: true } : {}),
    }),
    ...(record.by && field
      ? { parameter: { name: record.by.parameter, read: createTextReader(context, field) } }
      : {}),
    allow: planAllow(context, endpoint, record.allowed),
    allowMissing: planAllow(context, endpoint, record.allowed.filter(isOfRequest)),
    fails: planFails(context, record.fails),
    hiddenBy: planHidingConditions(context, endpoint, record),
    ifAny: isOwn && endpoint.does.some(takesMissing),
    optional: isOwn && hasOptionalRecord(endpoint),
  };
}

/**
 * Whether a rule does not read the record of the path, so that it also applies without a record.
 */
function isOfRequest(allowed: Allowed): boolean {
  return allowed.kind !== "condition" || !readsName(allowed.condition.node, { name: "this" });
}

function lastParameterOf(path: string): string {
  return parameterNames(path).at(-1) ?? "";
}

function takesMissing(does: Endpoint["does"][number]): boolean {
  return createsIfMissing(does) || ("ifAny" in does && does.ifAny);
}

function loadRecord(request: RequestContext, load: RecordLoad): Awaitable<void> {
  const { evaluation } = request;
  const { session } = evaluation.work;
  let { frame } = evaluation;
  if (load.optional && request.inputs.findsNothing) return withoutRecord(request, load);
  if (load.parameter) {
    // Part 4: a path parameter that is not of its type finds nothing.
    const text = request.parameters[load.parameter.name];
    const value = text === undefined ? undefined : load.parameter.read(text);
    if (value === undefined && load.optional) return withoutRecord(request, load);
    if (value === undefined) throw missing(request, load, undefined);
    frame = bind(frame, { path: value });
  }
  return after(session.record(load.query, frame), (found) => {
    if (!found && load.ifAny) return withoutRecord(request, load);
    if (!found)
      return after(load.hiddenBy(session, frame), (line) => {
        throw missing(request, load, line);
      });
    const before = load.record.target ? undefined : thisOf(evaluation);
    setRecord(evaluation, load.record.name, load.plan.name, found);
    setRecord(evaluation, "this", load.plan.name, found);
    const allowed = after(load.allow(request), () => checkFails(load.fails, evaluation, load.plan.name));
    return after(allowed, () => before?.());
  });
}

/** Applies the rules of a record that may be missing, and is. */
function withoutRecord(request: RequestContext, { allowMissing, fails, plan }: RecordLoad): Awaitable<void> {
  return after(allowMissing(request), () => checkFails(fails, request.evaluation, plan.name));
}

/**
 * Captures the current `this` (a parent record that the endpoint works on, or none) and returns a
 * function that restores it.
 */
function thisOf(evaluation: EvaluationContext): () => void {
  const record = evaluation.frame.this;
  const resource = evaluation.records.get("this");
  return () => {
    evaluation.frame.this = record;
    if (resource === undefined) evaluation.records.delete("this");
    else evaluation.records.set("this", resource);
  };
}

function missing(
  { parameters }: RequestContext,
  { plan, record, lastParameter }: RecordLoad,
  hiddenBecause: Position | undefined,
): Problem {
  return notFound(plan.name, record.position, requestedRecord(lastParameter, parameters), hiddenBecause);
}

/** The conditions that may hide the record of a path. */
export function planHidingConditions(context: PlanContext, endpoint: Endpoint, record: PathRecord): HiddenBy {
  const { visible } = context.resource(record.resource).resource;
  return planHiddenBy(context, record.resource, parameterCondition(context, record), [
    ...record.where,
    ...(record.target ? endpoint.where : []),
    ...(visible ? [visible] : []),
  ]);
}

/** The path parameter that requested a record, and its value. */
interface RequestedRecord {
  readonly parameter: string;
  readonly value: string;
}

export function requestedRecord(
  parameter: string,
  parameters: RequestContext["parameters"],
): RequestedRecord | undefined {
  const value = parameters[parameter];
  return value === undefined ? undefined : { parameter, value };
}

/**
 * Creates the problem of a record that was not found.
 * @param hiddenBecause see `problems/hidden-by.ts`
 */
export function notFound(
  resource: string,
  because: Position,
  requested?: RequestedRecord,
  hiddenBecause?: Position,
): Problem {
  return new Problem(
    { condition: "not found", resource, problem: "does not exist", ...requested },
    { because, hiddenBecause },
  );
}

/**
 * Loads the target of an endpoint whose path does not contain it: `GET /user` with `Where: this ==
 * caller`.
 */
function planTarget(context: PlanContext, endpoint: Endpoint): Load | undefined {
  const { resource } = endpoint;
  if (resource === undefined || !endpoint.does.some(isOnExistingRecord)) return undefined;
  if (endpoint.records.some((record) => record.target)) return undefined;
  const plan = context.resource(resource);
  const query = context.store.prepareRecords({
    resource,
    where: targetConditions(context, endpoint, plan),
    order: endpoint.order.flatMap((item) =>
      item.keys.map((key) => ({ by: key.by.node, descending: key.descending })),
    ),
    ...(endpoint.finds ? { includesDeleted: true } : {}),
  });
  // One of several actions may create the record: whether it is required is known when the action
  // is chosen.
  const ifAny = endpoint.does.some((does) => takesMissing(does) || mayCreate(does));
  const optional = hasOptionalRecord(endpoint);
  // If the last path parameter belongs to a different record, it did not request this record.
  const last = lastParameterOf(endpoint.path.text);
  const own = endpoint.records.every((record) => lastParameterOf(record.path) !== last);
  const { visible } = plan.resource;
  const hiddenBy = planHiddenBy(context, resource, scopeConditions(context, endpoint, plan), [
    ...endpoint.where,
    ...(visible ? [visible] : []),
  ]);
  return (request) => {
    const { evaluation } = request;
    const finds = optional && request.inputs.findsNothing ? null : query;
    return after(finds && evaluation.work.session.record(finds, evaluation.frame), (found) => {
      if (!found && !ifAny)
        return after(hiddenBy(evaluation.work.session, evaluation.frame), (line) => {
          throw notFound(
            resource,
            endpoint.position,
            own ? requestedRecord(last, request.parameters) : undefined,
            line,
          );
        });
      setRecord(evaluation, "this", resource, found);
      // The path's record keeps its name: `DELETE /profiles/{username}/follow` returns `user`.
      if (!evaluation.records.has(plan.resource.variableName))
        setRecord(evaluation, plan.resource.variableName, resource, found);
    });
  };
}
