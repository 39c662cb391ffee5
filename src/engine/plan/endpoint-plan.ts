/**
 * An endpoint, ready to answer: every step compiled once, when the service starts. `answer` is the life of a request behind its route
 * and version, in the notation's order of checks (section 4).
 */
import type { Endpoint } from "../../model/model.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { type EventPlan, storeEvents } from "../events/events.ts";
import type { Wake } from "../events/wake.ts";
import { type ChosenOperation, changes, planOperation } from "../operations/operation.ts";
import { sentValue } from "../operations/values.ts";
import { planList } from "../operations/list.ts";
import { planReadAtOnce } from "../operations/read-at-once.ts";
import { parameterKeys } from "../http/form-reader.ts";
import type { CursorSeal } from "../pagination/cursor.ts";
import { NotShown, Problem } from "../problem.ts";
import type { ProblemWriter } from "../problems/answer.ts";
import { DuplicateFound, flush, type SentField } from "../records/change.ts";
import { planEffects } from "../records/effect-plans.ts";
import { runEffects } from "../records/effects.ts";
import { settle } from "../records/settle.ts";
import { shownByType } from "../records/stored-form.ts";
import { createScene, refresh } from "../records/scene.ts";
import { takeThen } from "../operations/then.ts";
import { planAccept } from "../steps/accept.ts";
import { needsCaller, planAllow, unauthenticated } from "../steps/allow.ts";
import { type Authenticate, type Carried, createAuthenticate } from "../steps/authenticate.ts";
import { type Decode, planDecode } from "../steps/decode.ts";
import { type Limit, planLimit, type RateCounters } from "../steps/limit.ts";
import { planLoad } from "../steps/load.ts";
import { upgradeInputs, type UpgradeTurn, upgradeTurn } from "../steps/older-words.ts";
import { checkPreconditions } from "../steps/preconditions.ts";
import { type KeysUnderWay, planReplay, type Replay } from "../steps/replay.ts";
import { planReturns } from "../steps/returns.ts";
import { planValidate } from "../steps/validate.ts";
import { type AskAgain, planStream, streamGap } from "../streams/plan-stream.ts";
import type { Streams } from "../streams/streams.ts";
import { planWaits } from "../waits/plan-waits.ts";
import type { Waits } from "../waits/waits.ts";
import { createJournal } from "../records/journal.ts";
import { boundsOf, type RequestBounds } from "../limits/bounds.ts";
import { type PlacesTaken, planPlaces } from "../limits/concurrency.ts";
import { callerGap } from "./caller-gap.ts";
import { evaluateOf, type PlanContext } from "./context.ts";
import { expansionPaths, planWrongExpansions } from "./expansion.ts";

export interface EndpointPlan {
  readonly endpoint: Endpoint;
  /** Why it can't be answered at all. */
  readonly notShown?: NotShown;
  /** It is run inside a transaction. */
  readonly writes: boolean;
  readonly bounds: RequestBounds;
  readonly decode: Decode;
  /** Takes a place among the requests under way, and notes its key; absent where neither is bounded. */
  readonly takePlace?: (exchange: Exchange, carried: Carried) => Promise<() => void>;
  readonly answer: (exchange: Exchange, carried: Carried) => Promise<Answer>;
}

/** What all endpoints of a service share. */
export interface SharedPlans {
  readonly mediaType: string;
  readonly events: readonly EventPlan[];
  readonly rates: RateCounters;
  readonly places: PlacesTaken;
  readonly keysUnderWay: KeysUnderWay;
  readonly seal: CursorSeal;
  readonly problems: ProblemWriter;
  /** Tells of commits: for streams and deliveries. */
  readonly wake: Wake;
  readonly streams: Streams;
  readonly waits: Waits;
  /** Takes the timed transitions that are due at that time. */
  readonly settleDue: (nowMs: number) => Promise<void>;
  /** In whose words events are told (decision 14): those of the version of `Default`. */
  readonly standard: PlanContext;
}

export function planEndpoint(context: PlanContext, endpoint: Endpoint, shared: SharedPlans): EndpointPlan {
  const bounds = boundsOf(context.model.limits, endpoint);
  const decode = planDecode(context, endpoint, knownParameters(context, endpoint));
  const notShown = notShownOf(context, endpoint);
  if (notShown) {
    return {
      endpoint,
      notShown,
      writes: false,
      bounds,
      decode,
      answer: async () => {
        throw notShown;
      },
    };
  }
  const writes = changes(endpoint);
  const steps: FirstSteps = {
    authenticate: createAuthenticate(context, endpoint.schemes),
    callerNeeded: needsCaller(context, endpoint),
    limit: planLimit(context, endpoint, shared.rates),
    replay: planReplay(context, endpoint, shared.keysUnderWay),
    upgrading: upgradeTurn(context, endpoint, decode),
  };
  const takePlace = planTakePlace(context, endpoint, shared.places, writes, steps);
  return {
    endpoint,
    writes,
    bounds,
    decode,
    ...(takePlace ? { takePlace } : {}),
    answer: planAnswer(context, endpoint, shared, writes, steps),
  };
}

/** The steps that are taken before the records of the path are known. */
interface FirstSteps {
  readonly authenticate: Authenticate;
  readonly callerNeeded: boolean;
  readonly limit: Limit;
  readonly replay: Replay;
  readonly upgrading: UpgradeTurn | undefined;
}

/** A change waits for those before it, so its place is taken before, and who asks for it is found out twice. */
function planTakePlace(
  context: PlanContext,
  endpoint: Endpoint,
  taken: PlacesTaken,
  writes: boolean,
  { authenticate, callerNeeded, limit, replay, upgrading }: FirstSteps,
): EndpointPlan["takePlace"] {
  const places = planPlaces(context, endpoint, taken);
  const begin = writes ? replay.begin : undefined;
  if (!places && !begin) return undefined;
  return async (exchange, carried) => {
    const isAsked = upgrading === "rate";
    if (begin || places?.needsCaller || isAsked)
      await authenticate(exchange.request, carried, exchange.scene);
    if (isAsked) await upgradeInputs(exchange);
    const leave = (await places?.take(exchange)) ?? (() => {});
    if (!begin) return leave;
    try {
      if (callerNeeded && exchange.scene.frame.caller === null) throw unauthenticated(context, endpoint);
      // Section 4, "Order of checks": the rate comes before the key. It is counted once for a request.
      await limit(exchange, context.ports.clock.now());
      const end = await begin(exchange);
      return () => {
        end();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  };
}

function planAnswer(
  context: PlanContext,
  endpoint: Endpoint,
  shared: SharedPlans,
  writes: boolean,
  { authenticate, callerNeeded, limit, replay, upgrading }: FirstSteps,
): EndpointPlan["answer"] {
  const load = planLoad(context, endpoint);
  const allow = planAllow(context, endpoint, endpoint.allowed);
  const validate = planValidate(context, endpoint);
  const wrongExpansions = planWrongExpansions(context, endpoint);
  const accept = planAccept(context, endpoint, shared.mediaType);
  const lists = endpoint.does.some((does) => does.kind === "list");
  const list = lists ? planList(context, endpoint, shared.seal) : undefined;
  const returns = planReturns(context, endpoint, shared.mediaType, list, shared.problems);
  const readAtOnce =
    writes || endpoint.waits ? undefined : planReadAtOnce(context, endpoint, shared.mediaType);
  const operations = endpoint.does.map((does) => planOperation(context, endpoint, does));
  const effects = planEffects(context, endpoint.effects, endpoint.resource);
  const then = endpoint.then.map((one) => ({
    transition: one.transition,
    ...(one.when ? { when: evaluateOf(context, one.when) } : {}),
  }));
  const isAllowed = async (exchange: Exchange): Promise<void> => {
    await authenticate(exchange.request, carriedBy(exchange), exchange.scene);
    if (callerNeeded && exchange.scene.frame.caller === null) throw unauthenticated(context, endpoint);
    await load(exchange);
    await allow(exchange);
  };
  const again: AskAgain = async (exchange) => {
    const fresh = ofNow(context, exchange);
    await shared.settleDue(Date.parse(fresh.scene.frame.now));
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
    async again(exchange) {
      const fresh = await again(exchange);
      await (await choose(operations, fresh)).run(fresh);
      return fresh;
    },
  });

  return async (exchange, carried) => {
    const { scene } = exchange;
    await authenticate(exchange.request, carried, scene);
    if (callerNeeded && scene.frame.caller === null) throw unauthenticated(context, endpoint);
    if (upgrading === "rate") await upgradeInputs(exchange);
    // Most endpoints have nothing to do at most steps; those steps answer at once, and nobody waits for them.
    const limiting = limit(exchange, context.ports.clock.now());
    if (limiting) await limiting;
    const finding = writes ? replay.find(exchange) : null;
    const kept = finding && (await finding);
    if (kept) return kept;
    if (exchange.inputs.pathProblem) throw exchange.inputs.pathProblem;
    accept(exchange);
    const expansions = expansionPaths(context, exchange);
    if (upgrading === "records") await upgradeInputs(exchange);
    if (readAtOnce && expansions.length === 0 && exchange.headers["if-match"] === undefined) {
      if (upgrading === "inputs") await upgradeInputs(exchange);
      await validate(exchange).catch(async (error: unknown) => {
        // What isn't there is told before what is wrong with the inputs.
        await load(exchange);
        throw error;
      });
      return readAtOnce(exchange);
    }
    const loading = load(exchange);
    if (loading) await loading;
    const allowing = allow(exchange);
    if (allowing) await allowing;
    if (upgrading === "inputs") await upgradeInputs(exchange);
    await validate(exchange, [...(list?.wrongPage(exchange) ?? []), ...wrongExpansions(expansions)]);
    checkPreconditions(endpoint, exchange);
    const operation = await choose(operations, exchange);
    const heldMs = waits ? await waits.atMost(exchange) : 0;
    try {
      await operation.run(exchange);
      if (writes && scene.pending) await flush(scene);
    } catch (error) {
      throw error instanceof DuplicateFound
        ? error.blaming(endpoint.resource, sentFields(context, exchange))
        : error;
    }
    if (!writes) {
      if (operation.isStream && openStream) return { ...unanswered, afterwards: () => openStream(exchange) };
      if (!waits || !(await waits.isNeeded(exchange, heldMs))) return returns(exchange);
      return { ...unanswered, afterwards: () => waits.hold(exchange, heldMs) };
    }
    if (effects.length > 0) await runEffects(context, effects, scene, endpoint.resource);
    for (const one of then)
      if (!one.when || (await one.when(scene)) === true)
        await takeThen(context, endpoint, one.transition, scene);
    await settle(context, scene);
    refresh(scene);
    await storeEvents(context, shared.events, scene);
    if (operation.isStream && openStream)
      return { ...unanswered, afterwards: async () => openStream(await again(exchange)) };
    const isHeld = waits !== undefined && (await waits.isNeeded(exchange, heldMs));
    const afterwards = isHeld && waits ? () => waits.hold(exchange, heldMs) : undefined;
    if (afterwards && !replay.carriesKey(exchange)) return { ...unanswered, afterwards };
    // Of a held answer with a key this is what is known so far, in case that the service is gone before it can be given.
    const answer = await returns(exchange);
    // Part 4: kept if the request succeeded or changed something.
    if (answer.status < 400 || scene.work.journal.changes > 0) {
      const keeping = replay.keep(exchange, answer);
      if (keeping) await keeping;
    }
    return afterwards ? { ...answer, afterwards } : answer;
  };
}

/** What an answer stands for that is only worked out when the changes are committed. */
const unanswered: Answer = { status: 500, headers: [], body: "" };

/** What a request carries, to be looked at again. */
function carriedBy({ headers, queryText }: Exchange): Carried {
  return { header: (name) => headers[name], query: queryText };
}

/** The same request, asked now: nothing of what was found for it before is taken over but the names of `Let`. */
function ofNow({ store, ports }: PlanContext, exchange: Exchange): Exchange {
  const { frame, records } = exchange.scene;
  const work = {
    session: store.session,
    transaction: null,
    journal: createJournal(),
    shown: new Map(),
    hashed: new Map(),
    soonestDue: null,
  };
  const scene = createScene(work, {
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
  for (const [name, resource] of records) if (name !== "this") scene.records.set(name, resource);
  return { ...exchange, scene };
}

/** The fields that the request has set, by which inputs. Nobody is told a credential again. */
function sentFields(context: PlanContext, exchange: Exchange): ReadonlyMap<string, SentField> {
  const sent = new Map<string, SentField>();
  for (const input of exchange.plan.endpoint.inputs) {
    const value = input.sets === undefined ? undefined : sentValue(exchange, input);
    if (input.sets === undefined || value === undefined) continue;
    const shown = input.type.kind === "credential" ? null : shownByType(context, input.type, value);
    sent.set(input.sets, { input: input.name.join("."), value: shown });
  }
  return sent;
}

/** Part 4: the first `Does` whose `when` holds. */
async function choose(operations: readonly ChosenOperation[], exchange: Exchange): Promise<ChosenOperation> {
  for (const operation of operations) {
    if (!operation.when || (await operation.when(exchange.scene)) === true) return operation;
  }
  throw new Problem(
    { condition: "invalid field", problem: "asks for nothing that this endpoint does" },
    { because: exchange.plan.endpoint.position },
  );
}

/** Query parameters that the engine reads itself. */
function knownParameters(context: PlanContext, endpoint: Endpoint): readonly string[] {
  const { pagination } = endpoint;
  const names = pagination
    ? Object.entries(pagination).flatMap(([role, name]) =>
        ["size", "after", "before", "at", "page", "offset"].includes(role) && typeof name === "string"
          ? [name]
          : [],
      )
    : [];
  const { scheme } = context.model.versioning;
  if (scheme?.kind === "query") names.push(scheme.name);
  for (const one of context.model.authentication.schemes)
    if (one.placement?.kind === "query") names.push(one.placement.name);
  // Of `page[limit]` the reader of inputs sees `page`.
  return names.map((name) => parameterKeys(name)[0] as string);
}

/** Gaps that the endpoint needs. */
function notShownOf(context: PlanContext, endpoint: Endpoint): NotShown | undefined {
  if (endpoint.gap) return new NotShown(endpoint.gap);
  const resource =
    endpoint.resource === undefined
      ? undefined
      : context.model.resources.find((one) => one.name === endpoint.resource);
  if (resource?.gap) return new NotShown(resource.gap);
  if (resource?.identifier.kind === "not shown") return new NotShown(resource.identifier.gap);
  const makes = endpoint.does.some((does) => does.kind === "create" || does.kind === "upsert");
  if (makes && resource?.states?.initialGap) return new NotShown(resource.states.initialGap);
  return streamGap(context, endpoint) ?? callerGap(context.model, endpoint);
}
