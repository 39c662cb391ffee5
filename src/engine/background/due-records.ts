/**
 * Named records: finds the records that a request names or reaches by reference before it runs.
 * Their due transitions run first (decision "What is due, and how far it reaches"). These are the
 * caller and the credential, the records of the path, the target, the records that inputs refer to,
 * and all that these refer to. This file rejects nothing: the request itself reports what is
 * missing or not allowed.
 */
import { createsIfMissing, signsIn } from "../../model/endpoints/does.ts";
import type { Node } from "../../expressions/node.ts";
import type { Frame, RecordValue, Value, QueryParameters } from "../../expressions/value.ts";
import { callerResourcesOf, servingSchemes } from "../../model/authentication/caller-type.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Query, Session } from "../../store/store.ts";
import type { RequestContext, ParsedRequest, RequestCredentials } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { comparedAtWirePrecision } from "../evaluation/wire-precision.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import { createTextReader } from "../evaluation/text-reader.ts";
import { expressionType } from "../../fields/type.ts";
import { Problem } from "../problem.ts";
import {
  isRecord,
  createEvaluationContext,
  createUnitOfWork,
  type Evaluate,
  type EvaluationContext,
  setRecord,
} from "../evaluation/context.ts";
import { bareObject } from "../../support/bare-object.ts";
import { createAuthenticate } from "../steps/authenticate.ts";
import { recordConditions, targetConditions } from "../records/path-conditions.ts";
import { upgradedInputs } from "../steps/upgrade-inputs.ts";
import { callerResources, type EndpointDueScope, untimedTargetConditions } from "./endpoint-scope.ts";
import type { ReachedRecord } from "./reach.ts";
import type { TimedModel } from "./units.ts";
import { bind, parameterNode } from "../../expressions/parameters.ts";
import { type Exit, withExit } from "../../support/early-exit.ts";

export interface NamedRecord {
  readonly resource: string;
  readonly row: number;
}

/**
 * Maximum number of candidates that conditions may select. Beyond it, the due work of the whole
 * resource runs.
 */
const candidatesMax = 100;

export type IsDue = (resource: string, row: number) => Promise<boolean>;

/** The parts of a request that determine which records it names. */
export type ParsedScope = Pick<ParsedRequest, "request" | "parameters" | "frame"> & {
  readonly inputs: Pick<RequestContext["inputs"], "references" | "upgrade">;
};

/**
 * Finds the first record of the request with due work, or its resource if any record may be meant;
 * null if there is none.
 */
export type FindDueRecord = (
  request: ParsedScope,
  carried: RequestCredentials,
  session: Session,
  isDue: IsDue,
) => Promise<DueRecord | null>;

type DueRecord = NamedRecord | { readonly resource: string };

interface Search {
  readonly exchange: ParsedScope;
  readonly carried: RequestCredentials;
  readonly evaluation: EvaluationContext;
  references: RequestContext["inputs"]["references"];
  readonly exit: Exit<DueRecord | null>;
  /** Checks a record, and ends the search if it has due work. */
  check(resource: string, record: Value): Promise<void>;
}

type Step = (search: Search) => Promise<boolean>;

/** Whether to continue the search. */
const continueSearch = true;

export function planDueRecordSearch(
  context: PlanContext,
  timed: TimedModel,
  endpoint: Endpoint,
  scope: EndpointDueScope,
): FindDueRecord {
  const steps: readonly Step[] = [
    planCaller(context, endpoint, scope),
    upgradeStep,
    ...endpoint.records.map((record, at) =>
      planPathRecord(context, endpoint, record, scope.fromPath[at] ?? [], scope),
    ),
    planTarget(context, timed, endpoint),
    planInputs(context, scope),
    planReached(context, scope.fromTarget),
  ];
  return (request, carried, session, isDue) =>
    withExit<DueRecord | null>(async (exit) => {
      const meet = async (resource: string, record: Value) => {
        if (!scope.single.has(resource) || !isRecord(record)) return;
        if (await isDue(resource, record["#row"])) exit({ resource, row: record["#row"] });
      };
      const search: Search = {
        exchange: request,
        carried,
        evaluation: scratchEvaluation(request, session),
        exit,
        check: meet,
        references: request.inputs.references,
      };
      try {
        for (const step of steps) if (!(await step(search))) break;
        return null;
      } catch (error) {
        if (error instanceof Problem) return null;
        throw error;
      }
    });
}

/**
 * Creates a separate evaluation context, which does not affect that of the request. A caller's
 * identity doesn't depend on the password.
 */
function scratchEvaluation({ frame: read }: ParsedScope, session: Session): EvaluationContext {
  const frame: Frame = {
    ...read,
    ports: { ...read.ports, verifyPassword: () => true },
    named: Object.assign(bareObject<Frame["named"]>(), read.named),
    caller: null,
    credential: null,
    page: { limit: candidatesMax + 1, offset: 0 },
    locals: [],
  };
  return createEvaluationContext(createUnitOfWork(session, null), frame);
}

function planCaller(context: PlanContext, endpoint: Endpoint, scope: EndpointDueScope): Step {
  const resources = callerResources(context, endpoint);
  const callers = callerResourcesOf(servingSchemes(context.model, endpoint));
  const authenticate = createAuthenticate(context, endpoint.schemes, { identifies: true });
  const reached = planReached(context, scope.fromCaller);
  return async (search) => {
    const { evaluation, exchange, carried } = search;
    if (resources.length === 0) return continueSearch;
    await authenticate(exchange.request, carried, evaluation);
    const { credential, caller } = evaluation.frame;
    // The applicable scheme is unknown here. If another scheme applies, due transitions of one more
    // record run early.
    for (const resource of resources) await search.check(resource, credential);
    evaluation.frame.this = credential;
    await reached(search);
    evaluation.frame.this = null;
    for (const resource of callers) await search.check(resource, caller);
    return continueSearch;
  };
}

/**
 * The records that a client of an older version names may be known only after a query of the store.
 */
const upgradeStep: Step = async (search) => {
  const made = await upgradedInputs(search.exchange.inputs, search.evaluation);
  search.references = made?.references ?? search.references;
  return continueSearch;
};

function planPathRecord(
  context: PlanContext,
  endpoint: Endpoint,
  record: Endpoint["records"][number],
  reached: readonly ReachedRecord[],
  scope: EndpointDueScope,
): Step {
  const plan = context.resource(record.resource);
  const field = record.by && plan.fields.get(record.by.field);
  const follow = planReached(context, reached);
  const read = field && createTextReader(context, field);
  const own = record.target ? endpoint.where.map((expression) => expression.node) : [];
  const found = context.store.prepareRecords({
    resource: record.resource,
    where: [...recordConditions(context, plan, record), ...own],
    order: [],
    includesDeleted: true,
  });
  // Its conditions may depend on due transitions, so each record that the parameter selects runs
  // them first.
  const candidates = record.by && field ? byParameter(context, plan.name, field) : undefined;
  return async (search) => {
    const { evaluation, exchange } = search;
    let parameters: QueryParameters = {};
    if (record.by && read) {
      const text = exchange.parameters[record.by.parameter];
      const value = text === undefined ? undefined : read(text);
      if (value === undefined) return false;
      parameters = { path: value };
    }
    if (candidates && (scope.single.has(plan.name) || reached.length > 0))
      await meetAll(search, plan.name, candidates, parameters, async (recordValue) => {
        setRecord(evaluation, "this", plan.name, recordValue);
        setRecord(evaluation, record.name, plan.name, recordValue);
        await follow(search);
      });
    const chosen = await evaluation.work.session.record(found, bind(evaluation.frame, parameters));
    setRecord(evaluation, "this", plan.name, chosen);
    setRecord(evaluation, record.name, plan.name, chosen);
    if (!chosen) return endpoint.does.some(createsIfMissing);
    if (record.target) setRecord(evaluation, plan.resource.variableName, plan.name, chosen);
    else evaluation.frame.this = null;
    return continueSearch;
  };
}

function byParameter(
  context: PlanContext,
  resource: string,
  field: Parameters<typeof createTextReader>[1],
): Query<RecordValue> {
  const type = expressionType(field.type);
  const own = fieldNode(thisOf(resource), field.name, type);
  return context.store.prepareRecords({
    resource,
    where: [comparedAtWirePrecision(context, "==", own, parameterNode("path", type))],
    order: [],
    limited: true,
    includesDeleted: true,
  });
}

/** The target of an endpoint without one in its path. */
function planTarget(context: PlanContext, timed: TimedModel, endpoint: Endpoint): Step {
  const { resource } = endpoint;
  const where = untimedTargetConditions(timed, endpoint);
  const hasOwn = endpoint.records.some((record) => record.target);
  if (resource === undefined || hasOwn || where.length === 0) return async () => continueSearch;
  const prepare = (conditions: readonly Node[]) =>
    context.store.prepareRecords({
      resource,
      where: conditions,
      order: [],
      limited: true,
      includesDeleted: true,
    });
  const candidates = prepare(where);
  const plan = context.resource(resource);
  const target = endpoint.does.some(signsIn) ? undefined : prepare(targetConditions(context, endpoint, plan));
  return async (search) => {
    const { evaluation } = search;
    await meetAll(search, resource, candidates, {}, async () => {});
    const chosen = target ? await evaluation.work.session.record(target, evaluation.frame) : null;
    setRecord(evaluation, "this", resource, chosen);
    if (!evaluation.records.has(plan.resource.variableName))
      setRecord(evaluation, plan.resource.variableName, resource, chosen);
    return continueSearch;
  };
}

async function meetAll(
  search: Search,
  resource: string,
  query: Query<RecordValue>,
  parameters: QueryParameters,
  follow: (record: RecordValue) => Promise<void>,
): Promise<void> {
  const { work, frame } = search.evaluation;
  const records = await work.session.records(query, bind(frame, parameters));
  if (records.length > candidatesMax) search.exit({ resource });
  for (const record of records) {
    await search.check(resource, record);
    await follow(record);
  }
}

/**
 * Plans the check of records that inputs refer to, and of what decides whether the caller may see
 * them.
 */
function planInputs(context: PlanContext, scope: EndpointDueScope): Step {
  const follows = new Map<string, Step>();
  for (const [resource, reached] of scope.fromInput) follows.set(resource, planReached(context, reached));
  return async (search) => {
    const { evaluation, references } = search;
    const kept = evaluation.frame.this;
    for (const { resource, value } of references) {
      const record = await byIdentifier(context, resource, value, evaluation);
      await search.check(resource, record);
      evaluation.frame.this = record;
      if (record) await follows.get(resource)?.(search);
    }
    evaluation.frame.this = kept;
    return continueSearch;
  };
}

/**
 * Plans the check of records that references lead to, nearer records first, because their due
 * transitions may change the references.
 */
function planReached(context: PlanContext, reached: readonly ReachedRecord[]): Step {
  let plans: readonly { readonly resource: string; readonly evaluate: Evaluate }[] | undefined;
  return async (search) => {
    plans ??= reached.map(({ resource, node }) => ({ resource, evaluate: evaluateOf(context, node) }));
    for (const { resource, evaluate } of plans) {
      const value = await evaluate(search.evaluation);
      const record = isRecord(value)
        ? value
        : await byIdentifier(context, resource, value, search.evaluation);
      await search.check(resource, record);
    }
    return continueSearch;
  };
}

async function byIdentifier(
  context: PlanContext,
  resource: string,
  identifier: Value,
  evaluation: EvaluationContext,
): Promise<RecordValue | null> {
  if (identifier === null) return null;
  return context.resource(resource).find(evaluation.work.session, evaluation.frame, identifier);
}
