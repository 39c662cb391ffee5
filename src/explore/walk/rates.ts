/**
 * Rate verification: sends one request until the service rejects it for its rate, and counts the
 * accepted ones. A reference with its own counters and the same clock gives the expected number.
 */
import type { HandlerModule } from "../../engine/handler-module.ts";
import { appliesTo } from "../../model/limits/applies.ts";
import type { Endpoint, Model, RateLimit } from "../../model/model.ts";
import { formatDuration } from "../../support/quantity.ts";
import type { ReceivedResponse } from "../../verify/scenario-failure.ts";
import { ServiceFailed } from "../../verify/service-failed.ts";
import { compareResponses, Unifier } from "../comparison/compare-responses.ts";
import { type FirstRequest, firstRequest } from "../requests/first-request.ts";
import {
  createReference,
  type GivenStep,
  type Implementation,
  type Reference,
} from "../comparison/implementation.ts";
import { headerOf } from "../stories/story.ts";

export interface RatesOptions {
  readonly model: Model;
  readonly service: Implementation;
  readonly given: readonly GivenStep[];
  readonly handlers?: HandlerModule | undefined;
  /** Whether the service's clock can be moved, so that a quota is full again. */
  readonly hasClock: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface ObservedRate {
  readonly line: number;
  readonly verdict: "holds" | "broken" | "not observable";
  readonly reason: string;
  readonly requests: number;
}

/** The maximum number of requests to provoke a rate. */
const requestsMax = 2_000;
/** The maximum period to wait for without a movable clock, in milliseconds. */
const periodMsMax = 60_000;

export async function observeRates(options: RatesOptions): Promise<readonly ObservedRate[]> {
  const observed: ObservedRate[] = [];
  for (const rate of options.model.limits.rates) observed.push(await observeRate(rate, options));
  return observed;
}

async function observeRate(rate: RateLimit, options: RatesOptions): Promise<ObservedRate> {
  const { model, service, given, handlers, hasClock } = options;
  const line = rate.position.start.line;
  const open = (reason: string): ObservedRate => ({ line, verdict: "not observable", reason, requests: 0 });
  if ((rate.burst ?? rate.count) > requestsMax) return open(`it allows more than ${requestsMax} requests`);
  let applied: Endpoint | undefined;
  const probe = firstRequest(model, given, (endpoint) => {
    applied = endpoint;
    return appliesTo(rate.applies, endpoint);
  });
  if (!probe || !applied) return open("it applies to no request that needs no record");
  const endpoint = applied;
  const periods = model.limits.rates
    .filter(({ applies }) => appliesTo(applies, endpoint))
    .map(({ periodMs }) => periodMs);
  const longestMs = Math.max(...periods);
  if (!hasClock && longestMs > periodMsMax)
    return open(
      `its quota is whole after ${formatDuration(longestMs)}, and the service's clock can't be moved`,
    );
  // After this, the service has restored what earlier requests consumed.
  await service.passTime(longestMs + 1_000);
  const startMs = service.nowMs();
  const references: readonly Reference[] = [
    await createReference(model, { given, handlers, startMs }),
    await createReference(model, { given, handlers, startMs }),
  ];
  try {
    return await provoke({ rate, probe, references, startMs, ...options }, open);
  } catch (error) {
    if (!(error instanceof ServiceFailed)) throw error;
    return { ...open(error.message), verdict: "broken" };
  } finally {
    for (const reference of references) await reference.close();
  }
}

interface Provoking extends RatesOptions {
  readonly rate: RateLimit;
  readonly probe: FirstRequest;
  readonly references: readonly Reference[];
  readonly startMs: number;
}

async function provoke(
  { rate, probe, references, service, startMs, signal }: Provoking,
  open: (reason: string) => ObservedRate,
): Promise<ObservedRate> {
  const [first, second] = references;
  const allowed = { expected: 0, actual: 0 };
  let rejected: readonly (ReceivedResponse | undefined)[] = [];
  let actual: ReceivedResponse | undefined;
  let lastMs = startMs;
  const { request } = probe;
  for (let sent = 0; sent <= requestsMax && !signal?.aborted; sent += 1) {
    const nowMs = service.nowMs();
    for (const reference of references) await reference.passTime(nowMs - lastMs);
    lastMs = nowMs;
    const expected = await first?.send(request);
    const because = first?.lastAnswered()?.because;
    const secondResponse = await second?.send(request);
    const received = await service.send(request);
    if (rejected.length === 0 && expected?.status === 429) {
      if (because !== rate.position) return open("another limit rejects the requests before it");
      rejected = [expected, secondResponse];
    } else if (rejected.length === 0) allowed.expected += 1;
    if (!actual && received.status === 429) actual = received;
    else if (!actual) allowed.actual += 1;
    const isOver =
      rejected.length > 0 && (actual || allowed.actual > allowed.expected + tolerance(rate, nowMs - startMs));
    if (isOver) break;
  }
  const elapsedMs = lastMs - startMs;
  const line = rate.position.start.line;
  const requests = Math.max(allowed.expected, allowed.actual) + 1;
  if (rejected.length === 0) return open(`${requests} requests didn't reach it`);
  if (rate.burst === undefined && elapsedMs >= rate.periodMs)
    return open("its period ended before it was reached");
  const isCount = Math.abs(allowed.expected - allowed.actual) <= tolerance(rate, elapsedMs);
  const what = `${request.method} ${request.target} by ${probe.caller}`;
  const counted = `${allowed.actual}${actual ? "" : " or more"} requests allowed, expected ${allowed.expected}`;
  if (!isCount) return { line, verdict: "broken", reason: `${what}: ${counted}`, requests };
  const difference = actual && differenceOf(rejected, actual, service.nowMs());
  if (difference !== undefined)
    return { line, verdict: "broken", reason: `${what}: ${difference}`, requests };
  return { line, verdict: "holds", reason: `${allowed.actual} requests allowed`, requests };
}

/**
 * How many units the service restores while requests are sent. A window restores nothing before it
 * ends.
 */
function tolerance({ burst, count, periodMs }: RateLimit, elapsedMs: number): number {
  return burst === undefined ? 0 : Math.ceil((elapsedMs * count) / periodMs);
}

/** The difference of the rejection from the expected one. Numbers depend on the moment. */
function differenceOf(
  rejected: readonly (ReceivedResponse | undefined)[],
  actual: ReceivedResponse,
  nowMs: number,
): string | undefined {
  const timed = (response: ReceivedResponse) => ({
    response: { ...response, body: response.body.replaceAll(/\d+/g, "0") },
    nowMs,
  });
  const [first, second = first] = rejected;
  if (!first || !second) return undefined;
  const rules = { identityNames: new Set<string>(), headers: [], hasDiverged: false, openTexts: [] };
  const [found] = compareResponses(timed(first), timed(second), timed(actual), rules, new Unifier());
  if (found) return `${found.what}: expected ${found.expected}, actual ${found.actual}`;
  const missing = first.headers
    .map(([name]) => name)
    .find((name) => /ratelimit|rate-limit|retry-after/i.test(name) && headerOf(actual, name) === undefined);
  return missing === undefined ? undefined : `header ${missing}: expected, and not there`;
}
