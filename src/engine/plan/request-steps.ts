/**
 * The life of a request behind its route and version: its steps in the notation's "The order of checks". They are put together once
 * for each endpoint, and only those that have something to do there; each is done at once where it can be.
 */
import type { Endpoint } from "../../model/model.ts";
import { ownGuards } from "../../model/path-guards.ts";
import { after, type Awaitable, forEachInOrder, withRecovery } from "../../support/awaitable.ts";
import { Fault } from "../../support/invariant.ts";
import { type Answer, type RequestContext, sentValue } from "../request-context.ts";
import { storeEvents } from "../events/events.ts";
import { planList } from "../actions/list.ts";
import { type ChosenOperation, planOperation } from "../actions/operation.ts";
import { leftOut } from "../actions/left-out.ts";
import { planReadAtOnce } from "../actions/read-at-once.ts";
import { takeThen } from "../actions/then.ts";
import { Problem } from "../problem.ts";
import { BrokenRule } from "../records/broken-rule.ts";
import { DuplicateFound, type SentField } from "../records/change.ts";
import { flush, createEvaluationContext, createUnitOfWork, refresh } from "../evaluation/context.ts";
import { planEffects } from "../records/effect-plans.ts";
import { runEffects } from "../records/effects.ts";
import { planCandidates } from "./candidates.ts";
import { settle } from "../records/settle.ts";
import { shownByType } from "../records/stored-form.ts";
import { planAccept } from "../steps/accept.ts";
import { planAllow, unauthenticated } from "../steps/allow.ts";
import type { Authenticate, Carried } from "../steps/authenticate.ts";
import { planHashAhead } from "../steps/hash-ahead.ts";
import { countingRefused } from "../steps/counting-refused.ts";
import type { Limit } from "../steps/limit.ts";
import { planLoad } from "../steps/load.ts";
import { upgradeInputs, type UpgradeTurn } from "../steps/older-words.ts";
import { checkPreconditions } from "../steps/preconditions.ts";
import type { Replay } from "../steps/replay.ts";
import { planReturns } from "../steps/returns.ts";
import { planValidate } from "../steps/validate.ts";
import { type AskAgain, planStream } from "../streams/plan-stream.ts";
import { planWaits, type WaitPlan } from "../waits/plan-waits.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import type { SharedPlans } from "./shared-plans.ts";
import { expansionPaths, planWrongExpansions } from "../evaluation/expansion.ts";

/** The steps that are taken before the records of the path are known. */
export interface FirstSteps {
  readonly authenticate: Authenticate;
  readonly callerNeeded: boolean;
  readonly limit: Limit;
  readonly replay: Replay;
  readonly upgrading: UpgradeTurn | undefined;
}

/** Where a request is in its steps, and what they have found for those that come. */
interface Course {
  readonly exchange: RequestContext;
  readonly carried: Carried;
  /** The references that it wants in full. */
  expansions: readonly string[];
  operation: ChosenOperation | undefined;
  /** How long its answer may be held, in milliseconds. */
  heldMs: number;
}

/** One step; what it answers ends the walk. */
type Step = (course: Course) => Awaitable<Answer | undefined> | Awaitable<void>;

export type AnswerRequest = (request: RequestContext, carried: Carried) => Awaitable<Answer>;

export function planRequestSteps(
  context: PlanContext,
  endpoint: Endpoint,
  shared: SharedPlans,
  writes: boolean,
  first: FirstSteps,
): AnswerRequest {
  const { authenticate, callerNeeded, limit, replay, upgrading } = first;
  const load = planLoad(context, endpoint);
  const allow = planAllow(context, endpoint, ownGuards(endpoint.allowed));
  const validate = planValidate(context, endpoint);
  const wrongExpansions = planWrongExpansions(context, endpoint);
  const accept = planAccept(context, endpoint, shared.mediaType);
  const hashAhead = writes ? planHashAhead(context, endpoint) : undefined;
  const lists = endpoint.does.some((does) => does.kind === "list");
  const list = lists ? planList(context, endpoint, shared.seal) : undefined;
  const returns = planReturns(context, endpoint, shared.mediaType, list, shared.problems);
  const operations = endpoint.does.map((does) => planOperation(context, endpoint, does));
  const isAllowed = (request: RequestContext): Awaitable<void> => {
    const known = after(authenticate(request.request, carriedBy(request), request.evaluation), () => {
      if (callerNeeded && request.evaluation.frame.caller === null) throw unauthenticated(context, endpoint);
      return load(request);
    });
    return after(known, () => allow(request));
  };
  const again: AskAgain = async (request) => {
    const fresh = ofNow(context, request);
    await shared.settleDue();
    await isAllowed(fresh);
    return fresh;
  };
  const openStream = endpoint.stream && planStream(context, shared.standard, endpoint, shared.streams, again);
  const waits = planWaits(context, endpoint, writes, {
    waits: shared.waits,
    settleDue: shared.settleDue,
    returns,
    replay,
    list,
    async again(request) {
      const fresh = await again(request);
      await (await choose(operations, fresh)).run(fresh);
      return fresh;
    },
  });

  const stream: Step = ({ exchange, operation }) => {
    if (!operation?.isStream || !openStream) return;
    const opened = writes ? async () => openStream(await again(exchange)) : () => openStream(exchange);
    return { ...unanswered, afterwards: opened };
  };
  const readAtOnce =
    writes || endpoint.waits ? undefined : planReadAtOnce(context, endpoint, shared.mediaType);
  const candidates = context.observer && planCandidates(context, endpoint);
  const upgradesAt = (turn: UpgradeTurn): readonly Step[] =>
    upgrading === turn ? [({ exchange }) => upgradeInputs(exchange)] : [];

  // Part 4: an answer is kept for its key where nothing is changed, too.
  const keeping = (step: Step): Step => (endpoint.idempotency ? keepingRead(step, replay) : step);

  return inTurn([
    ...identifying(context, endpoint, first),
    ...upgradesAt("rate"),
    ...(limit ? [({ exchange }: Course) => limit(exchange, context.ports.clock.now())] : []),
    ...(endpoint.idempotency
      ? [({ exchange }: Course) => after(replay.find(exchange), (kept) => kept ?? undefined)]
      : []),
    (course) => {
      if (course.exchange.inputs.pathProblem) throw course.exchange.inputs.pathProblem;
      accept(course.exchange);
      course.expansions = expansionPaths(context, course.exchange.evaluation.frame);
    },
    ...upgradesAt("records"),
    ...(candidates ? [({ exchange }: Course) => candidates(exchange)] : []),
    ...(readAtOnce ? [keeping(readingAtOnce(readAtOnce, load, validate, upgrading))] : []),
    ({ exchange }) => load(exchange),
    ({ exchange }) => allow(exchange),
    ...upgradesAt("inputs"),
    ({ exchange, expansions }) =>
      validate(exchange, list || expansions.length > 0 ? wrongBesides(exchange, expansions) : noMore),
    ({ exchange }) => checkPreconditions(endpoint, exchange),
    (course) =>
      after(choose(operations, course.exchange), (operation) => {
        course.operation = operation;
        if (operations.length > 1) course.exchange.because = operation.position;
      }),
    ...(hashAhead ? [({ exchange }: Course) => hashAhead(exchange)] : []),
    ({ exchange, operation }) =>
      blaming(context, endpoint, exchange, () =>
        after(operation?.run(exchange), () => (writes ? flush(exchange.evaluation) : undefined)),
      ),
    ...(waits ? [holding(waits)] : []),
    ...(writes
      ? [...consequences(context, endpoint, shared), stream, answeringChange(waits, returns, replay)]
      : [stream, keeping(answeringRead(waits, returns))]),
  ]);

  function wrongBesides(request: RequestContext, expansions: readonly string[]) {
    return [...(list?.wrongPage(request) ?? []), ...wrongExpansions(expansions)];
  }
}

const noMore: readonly [] = [];

/** Walks the steps until one answers. */
function inTurn(steps: readonly Step[]): AnswerRequest {
  const walk = (course: Course, from: number): Awaitable<Answer> => {
    for (let at = from; at < steps.length; at += 1) {
      const done = (steps[at] as Step)(course);
      if (done instanceof Promise) return done.then((answer) => answer ?? walk(course, at + 1));
      if (done) return done;
    }
    throw new Fault("a request came to the end of its steps without an answer");
  };
  return (request, carried) =>
    walk({ exchange: request, carried, expansions: [], operation: undefined, heldMs: 0 }, 0);
}

function identifying(
  context: PlanContext,
  endpoint: Endpoint,
  { authenticate, callerNeeded, limit, upgrading }: FirstSteps,
): readonly Step[] {
  const identify = countingRefused(context, authenticate, limit, upgrading);
  const known: Step = ({ exchange, carried }) => identify(exchange, carried);
  if (!callerNeeded) return [known];
  return [
    known,
    ({ exchange }) => {
      if (exchange.evaluation.frame.caller === null) throw unauthenticated(context, endpoint);
    },
  ];
}

/** The record, its checks and its shape in one statement, unless the request wants more than that. */
function readingAtOnce(
  readAtOnce: NonNullable<ReturnType<typeof planReadAtOnce>>,
  load: ReturnType<typeof planLoad>,
  validate: ReturnType<typeof planValidate>,
  upgrading: UpgradeTurn | undefined,
): Step {
  return ({ exchange, expansions }) => {
    if (expansions.length > 0 || exchange.headers["if-match"] !== undefined) return;
    const upgraded = upgrading === "inputs" ? upgradeInputs(exchange) : undefined;
    // What isn't there is told before what is wrong with the inputs.
    const missingFirst = (error: unknown): Awaitable<void> =>
      after(load(exchange), () => {
        throw error;
      });
    const judged = after(upgraded, () => withRecovery(() => validate(exchange), missingFirst));
    return after(judged, () => readAtOnce(exchange));
  };
}

function holding(waits: WaitPlan): Step {
  return (course) => {
    course.heldMs = waits.atMost(course.exchange);
  };
}

/** What a change brings with it, in the same transaction. */
function consequences(context: PlanContext, endpoint: Endpoint, { events }: SharedPlans): readonly Step[] {
  const effects = planEffects(context, endpoint.effects, endpoint.resource);
  const then = endpoint.then.map((one) => ({
    transition: one.transition,
    ...(one.when ? { when: evaluateOf(context, one.when) } : {}),
  }));
  const steps: Step[] = [];
  if (effects.length > 0)
    steps.push(({ exchange }) =>
      blaming(context, endpoint, exchange, () =>
        runEffects(context, effects, exchange.evaluation, endpoint.resource),
      ),
    );
  if (then.length > 0)
    steps.push(({ exchange }) =>
      blaming(context, endpoint, exchange, () =>
        forEachInOrder(then, ({ transition, when }) =>
          after(when ? when(exchange.evaluation) : true, (isMeant) =>
            isMeant === true ? takeThen(context, endpoint, transition, exchange.evaluation) : undefined,
          ),
        ),
      ),
    );
  steps.push(({ exchange }) =>
    blaming(context, endpoint, exchange, () => settle(context, exchange.evaluation)),
  );
  steps.push(({ exchange }) => refresh(exchange.evaluation));
  if (events.length > 0) steps.push(({ exchange }) => storeEvents(context, events, exchange.evaluation));
  return steps;
}

function answeringRead(waits: WaitPlan | undefined, returns: ReturnType<typeof planReturns>): Step {
  if (!waits) return ({ exchange }) => returns(exchange);
  return async ({ exchange, heldMs }) =>
    (await waits.isNeeded(exchange, heldMs))
      ? { ...unanswered, afterwards: () => waits.hold(exchange, heldMs) }
      : returns(exchange);
}

/**
 * A read may be done again until it is certain, so its answer is kept when that is over, and before it is given: one that can't be kept is
 * not given.
 */
function keepingRead(step: Step, replay: Replay): Step {
  return (course) =>
    after(step(course) as Awaitable<Answer | undefined>, (answer) => {
      const { exchange } = course;
      if (!answer || !replay.carriesKey(exchange)) return answer;
      const { afterwards, ...made } = answer;
      return {
        ...made,
        async afterwards() {
          const given = afterwards ? await afterwards() : made;
          if (given.status < 400) await replay.keepAlone(exchange, given);
          return given;
        },
      };
    });
}

function answeringChange(
  waits: WaitPlan | undefined,
  returns: ReturnType<typeof planReturns>,
  replay: Replay,
): Step {
  /** Part 4: kept if the request succeeded or changed something. */
  const kept = (request: RequestContext): Awaitable<Answer> =>
    after(returns(request), (answer) => {
      if (answer.status >= 400 && request.evaluation.work.journal.changes === 0) return answer;
      return after(replay.keep(request, answer), () => answer);
    });
  if (!waits) return ({ exchange }) => kept(exchange);
  return async ({ exchange, heldMs }) => {
    if (!(await waits.isNeeded(exchange, heldMs))) return kept(exchange);
    const afterwards = () => waits.hold(exchange, heldMs);
    if (!replay.carriesKey(exchange)) return { ...unanswered, afterwards };
    // Of a held answer with a key this is what is known so far, in case that the service is gone before it can be given.
    return { ...(await kept(exchange)), afterwards };
  };
}

/** What an answer stands for that is only worked out when the changes are committed. */
const unanswered: Answer = { status: 500, headers: [], body: "" };

/** A duplicate that `work` meets blames the field that the request has sent; a broken rule, what it has left out. */
function blaming(
  context: PlanContext,
  endpoint: Endpoint,
  request: RequestContext,
  work: () => Awaitable<void>,
): Awaitable<void> {
  return withRecovery(work, (error) => {
    if (error instanceof DuplicateFound) throw error.blaming(endpoint.resource, sentFields(context, request));
    if (error instanceof BrokenRule) throw leftOut(context, endpoint, request, error) ?? error;
    throw error;
  });
}

/** What a request carries, to be looked at again. */
function carriedBy({ headers, queryText }: RequestContext): Carried {
  return { header: (name) => headers[name], query: queryText };
}

/** The same request, asked now: nothing of what was found for it before is taken over but the names of `Let`. */
function ofNow({ store, ports }: PlanContext, request: RequestContext): RequestContext {
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

/** The fields that the request has set, by which inputs. Nobody is told a credential again. */
function sentFields(context: PlanContext, request: RequestContext): ReadonlyMap<string, SentField> {
  const sent = new Map<string, SentField>();
  for (const input of request.endpoint.inputs) {
    const value = input.sets === undefined ? undefined : sentValue(request, input);
    if (input.sets === undefined || value === undefined) continue;
    const shown = input.type.kind === "credential" ? null : shownByType(context, input.type, value);
    sent.set(input.sets, { input: input.name.join("."), value: shown });
  }
  return sent;
}

/** Part 4: the first `Does` whose `when` holds. */
function choose(
  operations: readonly ChosenOperation[],
  request: RequestContext,
  from = 0,
): Awaitable<ChosenOperation> {
  const operation = operations[from];
  if (!operation)
    throw new Problem(
      { condition: "invalid field", problem: "asks for nothing that this endpoint does" },
      { because: request.endpoint.position },
    );
  return after(operation.when ? operation.when(request.evaluation) : true, (isMeant) =>
    isMeant === true ? operation : choose(operations, request, from + 1),
  );
}
