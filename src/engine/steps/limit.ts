/**
 * Rate limits of an endpoint (part 8): charged after authentication, and reported in the headers
 * that the document requires.
 */
import { nonNull } from "../../support/non-null.ts";
import { pieceReads } from "../../expressions/analysis/reads.ts";
import type { Value } from "../../expressions/value.ts";
import { appliesTo } from "../../model/limits/applies.ts";
import type { Endpoint, LimitsPart, Model, RateLimit } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { StoreUnavailable } from "../../store/errors.ts";
import type { SharedRates } from "../../store/shared.ts";
import { after, type Awaitable, mapInOrder, withRecovery } from "../../support/awaitable.ts";
import type { RequestContext, RefundRates } from "../request-context.ts";
import type { HeaderLine, ServiceResponse } from "../http/message.ts";
import { createRateCounter, type RateCounter, type RateState, type RateCharge } from "../limits/rates.ts";
import { createSharedRateCounter } from "../limits/shared-rates.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import type { Clock } from "../ports.ts";
import { Problem } from "../problem.ts";
import { isRecord, type Evaluate } from "../evaluation/context.ts";
import { recordKey } from "../records/caller.ts";

/**
 * Charges a request once, and reports the result to each attempt. Undefined if no rate applies to
 * the endpoint.
 */
export type Limit =
  | {
      (request: RequestContext, nowMs: number): Awaitable<void>;
      /** The step queries shared state, which must not happen while writes wait. */
      readonly isShared: boolean;
    }
  | undefined;

/** The counters of a service's rates; endpoints with the same row share its counter. */
export type RateCounters = ReadonlyMap<RateLimit, RateCounter>;

/**
 * @param shared the state that instances share; undefined for a single instance, which counts in
 * memory
 */
export function createRateCounters(
  limits: LimitsPart,
  shared: SharedRates | undefined,
  clock: Clock,
): RateCounters {
  const counterOf = (rate: RateLimit, index: number): RateCounter => {
    if (!shared) return createRateCounter(rate);
    // A rate without a name is identified by its index.
    const name = rate.name === "" ? `#${index + 1}` : rate.name;
    return createSharedRateCounter(shared, rate, name, clock.isSet === true);
  };
  return new Map(limits.rates.map((rate, index) => [rate, counterOf(rate, index)]));
}

interface RatePlan {
  readonly rate: RateLimit;
  /**
   * The endpoint is charged for the rate; otherwise the rate is only reported (`limits.core` of
   * `GET /rate_limit`).
   */
  readonly charges: boolean;
  readonly counter: RateCounter;
  readonly when?: Evaluate;
  readonly cost?: Evaluate;
  readonly per?: Evaluate;
}

const readsLimits = (piece: unknown): boolean => pieceReads(piece, { name: "limits" });
/**
 * Shapes, records and errors do not belong to one endpoint and may be evaluated for any request.
 */
const anyReadsLimits = memoizeBy((model: Model) => readsLimits({ ...model, endpoints: [] }));

export function planLimit(context: PlanContext, endpoint: Endpoint, counters: RateCounters): Limit {
  const { limits } = context.model;
  const reportsAll = readsLimits(endpoint) || anyReadsLimits(context.model);
  const rates = limits.rates
    .filter((rate) => reportsAll || appliesTo(rate.applies, endpoint))
    .map(
      (rate): RatePlan => ({
        rate,
        charges: appliesTo(rate.applies, endpoint),
        counter: nonNull(counters.get(rate)),
        ...(rate.when ? { when: evaluateOf(context, rate.when) } : {}),
        ...(rate.cost ? { cost: evaluateOf(context, rate.cost) } : {}),
        ...(typeof rate.per === "object" ? { per: evaluateOf(context, rate.per) } : {}),
      }),
    );
  if (rates.length === 0) return undefined;
  const mayGiveBack = rates.some(({ rate, charges }) => charges && rate.exceptAnswers);
  const limit = async (request: RequestContext, nowMs: number): Promise<void> => {
    const { chargedRates } = request;
    const counted: Counted[] = [];
    const otherRates: ReportedRate[] = [];
    let refused: Problem | undefined;
    for (const [index, plan] of rates.entries()) {
      if (refused && !reportsAll) break;
      const charges =
        !refused && plan.charges && (!plan.when || (await plan.when(request.evaluation)) === true);
      if (!charges && !reportsAll) continue;
      const key = await quotaKey(plan.rate.per, plan.per, request);
      if (key === undefined) continue;
      if (!charges) {
        const known = plan.counter.isShared ? chargedRates.remaining[index] : undefined;
        const state = known ?? (await plan.counter.peek(key, nowMs));
        chargedRates.remaining[index] = state;
        otherRates.push({ rate: plan.rate, state });
        continue;
      }
      const charge =
        chargedRates.charged[index] ?? (await chargeRate(plan, key, nowMs, await costOf(plan, request)));
      chargedRates.charged[index] = charge;
      const { state } = charge;
      counted.push({ ...charge, rate: plan.rate, counter: plan.counter, key });
      if (!state.allowed) refused = rateLimited(plan.rate, state);
    }
    request.evaluation.frame.limits = limitsOf([...counted, ...otherRates], nowMs);
    request.answerHeaders.push(...rateHeaderLines(limits, counted, nowMs));
    if (mayGiveBack) request.recount = recountOf(limits, counted);
    // A rejected request has rate limit headers too, because clients look for them there.
    if (refused) throw refused;
  };
  return Object.assign(limit, { isShared: rates.some(({ counter }) => counter.isShared) });
}

interface ReportedRate {
  readonly rate: RateLimit;
  readonly state: RateState;
}

interface Counted extends ReportedRate, RateCharge {
  readonly counter: RateCounter;
  readonly key: string;
}

async function chargeRate(
  { counter }: RatePlan,
  key: string,
  nowMs: number,
  cost: number,
): Promise<RateCharge> {
  const state = counter.take(key, nowMs, cost);
  return { state: state instanceof Promise ? await state : state, cost };
}

/**
 * Part 8, `except answers 304`: the status is known at the end, so a request in progress counts
 * until then.
 */
function recountOf(limits: LimitsPart, counted: readonly Counted[]): RefundRates {
  return (status, nowMs) => {
    const isFree = ({ rate, state }: Counted) => state.allowed && rate.exceptAnswers?.includes(status);
    if (!counted.some(isFree)) return undefined;
    const states = mapInOrder(counted, (item) => {
      const { rate, counter, key, cost, state } = item;
      if (!isFree(item)) return { rate, state };
      return after(counter.refund(key, nowMs, cost, state), (left) => ({ rate, state: left }));
    });
    return after(states, (all) => rateHeaderLines(limits, all, nowMs));
  };
}

/**
 * Refunds rates that do not count this response and replaces their headers. If the refund fails
 * because the store is unavailable, the response is unchanged.
 */
export function withRefundedRates(
  answer: ServiceResponse,
  request: Pick<RequestContext, "recount"> | undefined,
  nowMs: number,
): Awaitable<ServiceResponse> {
  const recount = request?.recount;
  if (!recount) return answer;
  const counting = withRecovery<readonly HeaderLine[] | undefined>(
    () => recount(answer.status, nowMs),
    (error) => {
      if (!(error instanceof StoreUnavailable)) throw error;
      return undefined;
    },
  );
  return after(counting, (lines) => {
    if (!lines) return answer;
    const names = new Set(lines.map(([name]) => name));
    return { ...answer, headers: [...answer.headers.filter(([name]) => !names.has(name)), ...lines] };
  });
}

async function costOf({ cost }: RatePlan, { evaluation }: RequestContext): Promise<number> {
  return cost ? Number((await cost(evaluation)) ?? 1) : 1;
}

function rateLimited(rate: RateLimit, state: RateState): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil(state.retryAfterMs / 1000));
  return new Problem(
    {
      condition: "rate limited",
      problem: `exceeds the limit of ${rate.count} in ${rate.periodMs / 1000} seconds`,
      limitName: nameOf(rate),
      limit: rate.count,
      retryAfterSeconds,
    },
    { because: rate.position },
  );
}

/**
 * Returns the key of a quota's holder. Callers and addresses have different keys, so that `caller`
 * without a caller falls back to the address.
 */
export async function quotaKey(
  per: RateLimit["per"],
  evaluate: Evaluate | undefined,
  request: RequestContext,
): Promise<string | undefined> {
  const { frame } = request.evaluation;
  if (evaluate) {
    const value = await evaluate(request.evaluation);
    if (isRecord(value)) return `c${recordKey(value, typeof per === "object" ? per.node.type : undefined)}`;
    return value === null ? undefined : `=${JSON.stringify(value)}`;
  }
  if (per === "service") return "*";
  if (per === "caller" && isRecord(frame.caller)) return `c${recordKey(frame.caller)}`;
  return `a${addressKey(request.request.remoteAddress)}`;
}

/** An IPv6 client controls its /64 network, so it is counted per network. */
export function addressKey(address: string): string {
  const mapped = address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
  if (!mapped.includes(":")) return mapped;
  const [head = "", tail] = mapped.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...(tail === undefined ? [] : zeros), ...right].slice(0, 4).join(":");
}

function nameOf({ name }: RateLimit): string {
  return name === "" ? "rate" : name;
}

function limitsOf(states: readonly ReportedRate[], nowMs: number): Value {
  return Object.fromEntries(
    states.map(({ rate, state }) => [
      nameOf(rate),
      {
        limit: state.limit,
        remaining: state.remaining,
        used: state.used,
        reset: new Date(Math.max(nowMs, state.resetAt)).toISOString(),
      },
    ]),
  );
}

/**
 * `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-11. The syntax may still change; only this
 * function writes it.
 */
function rateHeaderLines(
  { rateHeaders: kind, rateHeadersOf }: LimitsPart,
  counted: readonly ReportedRate[],
  nowMs: number,
): HeaderLine[] {
  const isReported = ({ rate }: ReportedRate) =>
    rateHeadersOf === undefined || rateHeadersOf === nameOf(rate);
  const states = counted.filter(isReported);
  if (kind === undefined || kind === "none" || states.length === 0) return [];
  if (kind === "RateLimit") {
    const name = (rate: RateLimit) => `"${rate.name === "" ? "default" : rate.name}"`;
    const seconds = (milliseconds: number) => Math.max(0, Math.ceil(milliseconds / 1000));
    // A token bucket allows its burst in the time of a full refill, not in the period of its rate.
    const windowMs = ({ burst, count, periodMs }: RateLimit) => periodMs * ((burst ?? count) / count);
    return [
      [
        "RateLimit-Policy",
        states
          .map(
            ({ rate }) =>
              `${name(rate)};q=${rate.burst ?? rate.count};w=${Math.max(1, seconds(windowMs(rate)))}`,
          )
          .join(", "),
      ],
      [
        "RateLimit",
        states
          .map(({ rate, state }) => `${name(rate)};r=${state.remaining};t=${seconds(state.resetAt - nowMs)}`)
          .join(", "),
      ],
    ];
  }
  // One set of headers describes one limit: the limit with the fewest requests remaining.
  const tightest = states.reduce((least, reportedRate) =>
    reportedRate.state.remaining < least.state.remaining ? reportedRate : least,
  ).state;
  const values = {
    limit: ["X-RateLimit-Limit", tightest.limit],
    remaining: ["X-RateLimit-Remaining", tightest.remaining],
    used: ["X-RateLimit-Used", tightest.used],
    reset: ["X-RateLimit-Reset", Math.max(0, Math.ceil((tightest.resetAt - nowMs) / 1000))],
    "reset as unix seconds": ["X-RateLimit-Reset", Math.ceil(tightest.resetAt / 1000)],
  } as const;
  return kind.fields.map((field) => [values[field][0], String(values[field][1])]);
}
