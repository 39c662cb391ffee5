/**
 * Endpoint plan: the steps of an endpoint, compiled once when the service starts.
 * `request-steps.ts` has the steps after routing and version negotiation.
 */
import { needsCaller } from "../../model/authentication/caller-type.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { isCheckedFirst, unanswerable } from "../../model/endpoints/unanswerable-endpoints.ts";
import type { RequestContext, RequestCredentials } from "../request-context.ts";
import { changes } from "../actions/action.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { WriteOptions } from "../../store/store.ts";
import { NotShown } from "../problem.ts";
import { unauthenticated } from "../steps/allow.ts";
import { type Admit, planAdmit } from "../steps/admit.ts";
import { createAuthenticate } from "../steps/authenticate.ts";
import { type Decode, planDecode } from "../steps/decode.ts";
import { countRejected } from "../steps/count-rejected.ts";
import { planLimit } from "../steps/limit.ts";
import { upgradeInputs, upgradePhase } from "../steps/upgrade-inputs.ts";
import { planReplay } from "../steps/replay.ts";
import { boundsOf, type RequestBounds } from "../limits/bounds.ts";
import { type SlotPools, planSlots } from "../steps/concurrency.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { planRequestSteps } from "./request-steps.ts";
import { type AnswerRequest, type FirstSteps, planStepsBeforeGap } from "./steps.ts";
import type { SharedPlans } from "./shared-plans.ts";

export interface EndpointPlan {
  readonly endpoint: Endpoint;
  /** The gap that prevents every request of the endpoint from being checked or answered. */
  readonly notShown?: NotShown;
  /** Whether the request runs in a transaction. */
  readonly writes: boolean;
  readonly bounds: RequestBounds;
  readonly decode: Decode;
  /** Checks the request before its body is awaited. */
  readonly admit: Admit;
  /** The options of the request's transaction. */
  readonly writing: WriteOptions;
  /**
   * Acquires a concurrency slot, claims the idempotency key, and charges rates that instances
   * share. Absent if the endpoint needs none of these.
   */
  readonly acquireSlot?: (
    request: RequestContext,
    credentials: RequestCredentials,
  ) => Promise<ConcurrencySlot>;
  readonly answer: AnswerRequest;
  /**
   * Runs `prepare` before the transaction, on committed data. Absent if no handler has a `prepare`.
   */
  readonly prepare?: AnswerRequest;
}

/** A request's concurrency slot and its idempotency key. */
export interface ConcurrencySlot {
  /** Releases the slot. Never rejects. */
  leave(): Awaitable<void>;
  /**
   * How long the request waited for the response to another request with its key, in milliseconds.
   * The time-out excludes that time.
   */
  readonly waitedMs: number;
}

export function planEndpoint(context: PlanContext, endpoint: Endpoint, shared: SharedPlans): EndpointPlan {
  const bounds = boundsOf(context.model.limits, endpoint);
  const decode = planDecode(context, endpoint, knownParameters(context, endpoint));
  const gap = unanswerable(context.model, context.meaning, endpoint);
  const notShown = gap && new NotShown(gap);
  if (notShown && !isCheckedFirst(context.model, context.meaning, endpoint))
    return {
      endpoint,
      notShown,
      writes: false,
      writing: {},
      bounds,
      decode,
      admit: () => false,
      answer: () => {
        throw notShown;
      },
    };
  const writes = !notShown && changes(endpoint);
  const steps: FirstSteps = {
    authenticate: createAuthenticate(context, endpoint.schemes),
    callerNeeded: needsCaller(context.model, endpoint),
    limit: planLimit(context, endpoint, shared.rates),
    replay: planReplay(context, endpoint, shared, keysInLine(context.model)),
    upgrading: upgradePhase(context, endpoint, decode),
  };
  if (notShown)
    return {
      endpoint,
      writes,
      writing: {},
      bounds,
      decode,
      admit: planAdmit(context, endpoint, steps),
      answer: planStepsBeforeGap(context, endpoint, shared, steps, notShown),
    };
  const acquireSlot = planAcquireSlot(context, endpoint, shared.slots, steps, writes);
  return {
    endpoint,
    writes,
    writing: endpoint.does.some(({ kind }) => kind === "handler") ? { mayWait: true } : context.writing,
    bounds,
    decode,
    admit: planAdmit(context, endpoint, steps),
    ...(acquireSlot ? { acquireSlot } : {}),
    ...planRequestSteps(context, endpoint, shared, writes, steps),
  };
}

/**
 * Whether every endpoint with idempotency keys changes data and holds no response. Then the write
 * queue orders requests with the same key. An endpoint alone cannot decide this, because requests
 * to several endpoints may have the same key.
 */
const keysInLine = memoizeBy(({ endpoints }: Model) =>
  endpoints.every((endpoint) => !endpoint.idempotency || (changes(endpoint) && !endpoint.waits)),
);

/**
 * Plans the acquisition of a slot. A change waits for earlier changes, so the request acquires its
 * slot before that, and the caller is authenticated twice. The same holds for rates that instances
 * share: the store must not be blocked while they are counted.
 */
function planAcquireSlot(
  context: PlanContext,
  endpoint: Endpoint,
  slotPools: SlotPools,
  { authenticate, callerNeeded, limit, replay, upgrading }: FirstSteps,
  writes: boolean,
): EndpointPlan["acquireSlot"] {
  const identify = countRejected(context, authenticate, limit, upgrading);
  const places = planSlots(context, endpoint, slotPools);
  const { claim } = replay;
  const countsBefore = claim !== undefined || (writes && limit?.isShared === true);
  if (!places && !countsBefore) return undefined;
  return async (request, credentials) => {
    const isEvaluated = upgrading === "rate";
    if (countsBefore || places?.needsCaller || isEvaluated) await identify(request, credentials);
    if (isEvaluated) await upgradeInputs(request);
    const leave = (await places?.acquire(request)) ?? (() => {});
    if (!countsBefore) return { leave, waitedMs: 0 };
    try {
      if (callerNeeded && request.evaluation.frame.caller === null) throw unauthenticated(context, endpoint);
      // The rate precedes the key (notation, "The order of checks"). A request is charged once.
      await limit?.(request, context.ports.clock.now());
      if (!claim) return { leave, waitedMs: 0 };
      const { end, waitedMs } = await claim(request);
      return { waitedMs, leave: () => after(end(), leave) };
    } catch (error) {
      await leave();
      throw error;
    }
  };
}

/** Query parameters that the engine itself reads. */
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
  for (const item of context.model.authentication.schemes)
    if (item.placement?.kind === "query") names.push(item.placement.name);
  return names;
}
