/**
 * Request steps: the steps after routing and version negotiation, in the notation's "The order of
 * checks". They are composed once for each endpoint, and include only the steps that the endpoint
 * needs. Each step runs synchronously if possible.
 */
import type { Endpoint } from "../../model/model.ts";
import { listBodyOf } from "../../model/endpoints/does.ts";
import { ownGuards } from "../../model/endpoints/path-guards.ts";
import { after, type Awaitable, forEachInOrder, withRecovery } from "../../support/awaitable.ts";
import {
  elementContext,
  type RequestContext,
  sentValue,
  type RequestCredentials,
} from "../request-context.ts";
import { storeEvents } from "../events/events.ts";
import { planList } from "../actions/list.ts";
import { type PlannedAction, planAction } from "../actions/action.ts";
import { missingInputProblem } from "../actions/required-inputs.ts";
import { planSingleStatementRead } from "../actions/single-statement-read.ts";
import { runThen } from "../actions/then.ts";
import { Problem } from "../problem.ts";
import { BrokenRule } from "../records/broken-rule.ts";
import { DuplicateFound, type SentField } from "../records/change.ts";
import {
  flush,
  createEvaluationContext,
  createUnitOfWork,
  isRecord,
  refresh,
} from "../evaluation/context.ts";
import { planEffects } from "../records/effect-plans.ts";
import { runEffects } from "../records/effects.ts";
import { planCandidates } from "./candidates.ts";
import { completeChanges } from "../records/complete-changes.ts";
import { toWireForm } from "../records/stored-form.ts";
import { planAllow, unauthenticated } from "../steps/allow.ts";
import { planHashAhead } from "../steps/hash-ahead.ts";
import { planLoad } from "../steps/load.ts";
import { upgradeInputs, type UpgradePhase } from "../steps/upgrade-inputs.ts";
import { checkPreconditions } from "../steps/preconditions.ts";
import { planReturns } from "../steps/returns.ts";
import { planValidate, type Validate } from "../steps/validate.ts";
import type { ListPlan } from "../pagination/list-plan.ts";
import { type RepeatRead, planStream } from "../streams/plan-stream.ts";
import { planWaits, type WaitPlan } from "../waits/plan-waits.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { changeAnswer, readAnswer, storingRead, unanswered } from "./answer-steps.ts";
import type { SharedPlans } from "./shared-plans.ts";
import {
  type AnswerRequest,
  type FirstSteps,
  runSteps,
  type Step,
  type StepState,
  stepsToRecords,
  stepsOfPhase,
} from "./steps.ts";
import { planWrongExpansions } from "../evaluation/expansion.ts";

export interface PlannedSteps {
  readonly answer: AnswerRequest;
  /**
   * Checks the request on committed data and calls `prepare` of its handler. Absent if no handler
   * has a `prepare`.
   */
  readonly prepare?: AnswerRequest;
}

export function planRequestSteps(
  context: PlanContext,
  endpoint: Endpoint,
  shared: SharedPlans,
  writes: boolean,
  first: FirstSteps,
): PlannedSteps {
  const { replay, upgrading } = first;
  const load = planLoad(context, endpoint);
  const allow = planAllow(context, endpoint, ownGuards(endpoint.allowed));
  const validate = planValidate(context, endpoint);
  const hashAhead = writes ? planHashAhead(context, endpoint) : undefined;
  const lists = endpoint.does.some(({ kind }) => kind === "list");
  const list = lists ? planList(context, endpoint, shared.seal) : undefined;
  const returns = planReturns(context, endpoint, shared.mediaType, list, shared.problems);
  const upserts = endpoint.does.some(({ kind }) => kind === "upsert");
  const operations = endpoint.does.map((does) => planAction(context, endpoint, does));
  const reevaluate = planRepeat(context, endpoint, shared, first, (request) =>
    after(load(request), () => allow(request)),
  );
  const stream = streamSteps(context, endpoint, shared, writes, reevaluate);
  const waits = planWaits(context, endpoint, writes, {
    waits: shared.waits,
    runDue: shared.runDue,
    returns,
    replay,
    list,
    async reevaluate(request) {
      const fresh = await reevaluate(request);
      await (await choose(operations, fresh)).run(fresh);
      return fresh;
    },
  });

  const mayReadAtOnce = !writes && !endpoint.waits && !endpoint.inputsFirst;
  const readAtOnce = mayReadAtOnce && planSingleStatementRead(context, endpoint, shared.mediaType);
  const candidates = context.observer && planCandidates(context, endpoint);

  const repeated: Step = ({ exchange }) => after(replay.find(exchange), (kept) => kept ?? undefined);
  const isRepeatable = endpoint.idempotency !== undefined;
  // Part 4: a response is stored for its idempotency key even if the request changes nothing.
  const storing = (step: Step): Step => (isRepeatable ? storingRead(step, replay) : step);
  const beforeInputs = stepsToRecords(context, endpoint, shared, first, isRepeatable ? [repeated] : []);
  const toRecord: readonly Step[] = [({ exchange }) => load(exchange), ({ exchange }) => allow(exchange)];
  const checked = inputCheck(context, endpoint, validate, list);
  const toInputs: readonly Step[] = [...stepsOfPhase(upgrading, "inputs"), checked];
  const toOperation: readonly Step[] = [
    ...(endpoint.inputsFirst ? [...toInputs, ...toRecord] : [...toRecord, ...toInputs]),
    ...(upserts ? [] : [({ exchange }: StepState) => checkPreconditions(endpoint, exchange)]),
  ];
  const chosen = chooseStep(endpoint, operations);
  const hashing = hashAhead ? [({ exchange }: StepState) => hashAhead(exchange)] : [];
  const change = changeSteps(context, endpoint, writes, waits);
  const answer = runSteps([
    ...beforeInputs,
    ...(candidates ? [({ exchange }: StepState) => candidates(exchange)] : []),
    ...(readAtOnce ? [storing(singleStatementStep(readAtOnce, load, validate, upgrading))] : []),
    ...toOperation,
    ...(listBodyOf(endpoint)
      ? [...hashing, forEachElement(validate, [chosen, ...change])]
      : [chosen, ...hashing, ...change]),
    ...(writes
      ? [...sharedConsequences(context, endpoint, shared), ...stream, changeAnswer(waits, returns, replay)]
      : [...stream, storing(readAnswer(waits, returns))]),
  ]);
  if (!operations.some((operation) => operation.prepare)) return { answer };
  const prepare: Step = ({ exchange, operation }) => after(operation?.prepare?.(exchange), () => unanswered);
  return { answer, prepare: runSteps([...beforeInputs, ...toOperation, chosen, prepare]) };
}

/** Plans how a request is checked again later, at the current time. */
function planRepeat(
  context: PlanContext,
  endpoint: Endpoint,
  { runDue }: SharedPlans,
  { authenticate, callerNeeded }: FirstSteps,
  toRecord: (request: RequestContext) => Awaitable<void>,
): RepeatRead {
  return async (request) => {
    const fresh = freshContext(context, request);
    await runDue();
    await authenticate(fresh.request, credentialsOf(fresh), fresh.evaluation);
    if (callerNeeded && fresh.evaluation.frame.caller === null) throw unauthenticated(context, endpoint);
    await toRecord(fresh);
    return fresh;
  };
}

function streamSteps(
  context: PlanContext,
  endpoint: Endpoint,
  { defaultVersion, streams }: SharedPlans,
  writes: boolean,
  reevaluate: RepeatRead,
): readonly Step[] {
  if (!endpoint.stream) return [];
  const open = planStream(context, defaultVersion, endpoint, streams, reevaluate);
  return [
    ({ exchange, operation }) => {
      if (!operation?.isStream) return;
      return { ...unanswered, afterwards: async () => open(writes ? await reevaluate(exchange) : exchange) };
    },
  ];
}

/** Validates the inputs, and reports wrong pages and expansions with them. */
function inputCheck(
  context: PlanContext,
  endpoint: Endpoint,
  validate: Validate,
  list: ListPlan | undefined,
): Step {
  const wrongExpansions = planWrongExpansions(context, endpoint);
  return ({ exchange, expansions }) =>
    validate(
      exchange,
      list || expansions.length > 0
        ? [...(list?.wrongPage(exchange) ?? []), ...wrongExpansions(expansions)]
        : noMore,
    );
}

function chooseStep(endpoint: Endpoint, operations: readonly PlannedAction[]): Step {
  const upserts = endpoint.does.some(({ kind }) => kind === "upsert");
  return (state) =>
    after(choose(operations, state.exchange), (operation) => {
      state.operation = operation;
      if (operations.length > 1) state.exchange.because = operation.position;
      // An upsert checks the preconditions after it has found its record.
      if (upserts && endpoint.does[operations.indexOf(operation)]?.kind !== "upsert")
        checkPreconditions(endpoint, state.exchange);
    });
}

/** Plans the operation, and what follows from it in its request. */
function changeSteps(
  context: PlanContext,
  endpoint: Endpoint,
  writes: boolean,
  waits: WaitPlan | undefined,
): readonly Step[] {
  return [
    ({ exchange, operation }) =>
      withInputDetails(context, endpoint, exchange, () =>
        after(operation?.run(exchange), () => (writes ? flush(exchange.evaluation) : undefined)),
      ),
    ...(waits ? [computeWait(waits)] : []),
    ...(writes ? ownConsequences(context, endpoint) : []),
  ];
}

const noMore: readonly [] = [];

/**
 * Reads the record, its checks and its shape in one statement, unless the request needs more
 * statements.
 */
function singleStatementStep(
  readAtOnce: NonNullable<ReturnType<typeof planSingleStatementRead>>,
  load: ReturnType<typeof planLoad>,
  validate: ReturnType<typeof planValidate>,
  upgrading: UpgradePhase | undefined,
): Step {
  return ({ exchange, expansions }) => {
    if (expansions.length > 0 || exchange.headers["if-match"] !== undefined) return;
    const upgraded = upgrading === "inputs" ? upgradeInputs(exchange) : undefined;
    // *not found* is reported before problems of the inputs.
    const missingFirst = (error: unknown): Awaitable<void> =>
      after(load(exchange), () => {
        throw error;
      });
    const judged = after(upgraded, () => withRecovery(() => validate(exchange), missingFirst));
    return after(judged, () => readAtOnce(exchange));
  };
}

function computeWait(waits: WaitPlan): Step {
  return (state) => {
    state.heldMs = waits.atMost(state.exchange);
  };
}

/**
 * Plans what an endpoint does for its request or, if the body is a list, for each element of it.
 * The elements run in their order, and each sees the results of those before it.
 */
function forEachElement(validate: Validate, change: readonly Step[]): Step {
  const runAll = (state: StepState): Awaitable<void> =>
    forEachInOrder(change, (step) => after(step(state) as Awaitable<unknown>, () => undefined));
  return (state) => {
    const { exchange } = state;
    const { elements } = exchange.inputs;
    if (!elements) return runAll(state);
    const contexts: RequestContext[] = [];
    exchange.elements = contexts;
    return forEachInOrder(elements, (body) => {
      const element = elementContext(exchange, body);
      contexts.push(element);
      return ofElement(contexts.length - 1, () =>
        after(validate.ofElement(element), () => runAll({ ...state, exchange: element })),
      );
    });
  };
}

/** Runs work whose problems are about one element of the body. */
function ofElement(at: number, work: () => Awaitable<void>): Awaitable<void> {
  return withRecovery(work, (error) => {
    throw error instanceof Problem ? error.ofElement(at) : error;
  });
}

/** Plans the effects and the further transitions of an endpoint, in the transaction of its change. */
function ownConsequences(context: PlanContext, endpoint: Endpoint): readonly Step[] {
  const effects = planEffects(context, endpoint.effects, endpoint.resource);
  const then = endpoint.then.map((item) => ({
    transition: item.transition,
    ...(item.when ? { when: evaluateOf(context, item.when) } : {}),
  }));
  const steps: Step[] = [];
  if (effects.length > 0)
    steps.push(({ exchange }) =>
      withInputDetails(context, endpoint, exchange, () =>
        runEffects(context, effects, exchange.evaluation, endpoint.resource),
      ),
    );
  if (then.length > 0)
    steps.push(({ exchange }) =>
      withInputDetails(context, endpoint, exchange, () =>
        forEachInOrder(then, ({ transition, when }) =>
          after(when ? when(exchange.evaluation) : true, (isMeant) =>
            isMeant === true ? runThen(context, endpoint, transition, exchange.evaluation) : undefined,
          ),
        ),
      ),
    );
  return steps;
}

/** Plans what follows from all changes of a transaction: transitions, rules of records, and events. */
function sharedConsequences(
  context: PlanContext,
  endpoint: Endpoint,
  { events }: SharedPlans,
): readonly Step[] {
  const complete: Step = ({ exchange }) =>
    withElementOfRecord(exchange, () =>
      withInputDetails(context, endpoint, exchange, () => completeChanges(context, exchange.evaluation)),
    );
  return [
    complete,
    ({ exchange }) => refresh(exchange.evaluation),
    ...(events.length > 0
      ? [({ exchange }: StepState) => storeEvents(context, events, exchange.evaluation)]
      : []),
    ({ exchange }) => exchange.elements?.forEach((element) => void refresh(element.evaluation)),
  ];
}

/** A rule that a record breaks after all changes is about the element that has made the record. */
function withElementOfRecord(request: RequestContext, work: () => Awaitable<void>): Awaitable<void> {
  return withRecovery(work, (error) => {
    const { elements } = request;
    if (!elements || !(error instanceof Problem) || !isRecord(error.record)) throw error;
    const { record } = error;
    const resource = error.details[0].resource;
    const at = elements.findLastIndex(({ evaluation }) => {
      const own = evaluation.frame.this;
      return evaluation.records.get("this") === resource && isRecord(own) && own["#row"] === record["#row"];
    });
    throw at === -1 ? error : error.ofElement(at);
  });
}

/**
 * Adds the request's inputs to errors of `work`. A duplicate names the input that the client sent,
 * a broken rule the input that is missing.
 */
function withInputDetails(
  context: PlanContext,
  endpoint: Endpoint,
  request: RequestContext,
  work: () => Awaitable<void>,
): Awaitable<void> {
  return withRecovery(work, (error) => {
    if (error instanceof DuplicateFound) throw error.blaming(endpoint.resource, sentFields(context, request));
    if (error instanceof BrokenRule) throw missingInputProblem(context, endpoint, request, error) ?? error;
    throw error;
  });
}

/** Returns the credentials of a request, for authenticating it again. */
function credentialsOf({ headers, queryText }: RequestContext): RequestCredentials {
  return { header: (name) => headers[name], query: queryText };
}

/**
 * Creates a context of the same request at the current time. It keeps only the names of `Let` from
 * the earlier attempt.
 */
function freshContext({ store, ports }: PlanContext, request: RequestContext): RequestContext {
  const { frame, records } = request.evaluation;
  const work = createUnitOfWork(store.session, null);
  const evaluation = createEvaluationContext(work, {
    ...frame,
    this: null,
    old: null,
    caller: null,
    credential: null,
    page: null,
    now: new Date(ports.clock.now()).toISOString(),
    named: Object.assign(Object.create(null), frame.named),
    locals: [],
  });
  for (const [name, resource] of records) if (name !== "this") evaluation.records.set(name, resource);
  return { ...request, evaluation };
}

/**
 * Returns the fields that the request has set, with their inputs. A response never repeats
 * credentials.
 */
function sentFields(context: PlanContext, request: RequestContext): ReadonlyMap<string, SentField> {
  const sent = new Map<string, SentField>();
  for (const input of request.endpoint.inputs) {
    const value = input.sets === undefined ? undefined : sentValue(request, input);
    if (input.sets === undefined || value === undefined) continue;
    const serialized = input.type.kind === "credential" ? null : toWireForm(context, input.type, value);
    sent.set(input.sets, { input: input.name.join("."), value: serialized });
  }
  return sent;
}

/** Part 4: chooses the first `Does` whose `when` holds. */
function choose(
  operations: readonly PlannedAction[],
  request: RequestContext,
  from = 0,
): Awaitable<PlannedAction> {
  const operation = operations[from];
  if (!operation)
    throw new Problem(
      { condition: "invalid field", problem: "matches no operation of this endpoint" },
      { because: request.endpoint.position },
    );
  return after(operation.when ? operation.when(request.evaluation) : true, (isMeant) =>
    isMeant === true ? operation : choose(operations, request, from + 1),
  );
}
