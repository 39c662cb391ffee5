/**
 * Faults on demand: failures that a test orders for the next requests to a data space, or for its
 * webhooks. They return errors, delay, or lose their connection, without a change of the document.
 */
import { type Condition, conditions } from "../../model/errors/conditions.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { DueDelivery } from "../../store/deliveries.ts";
import { nearest } from "../../support/nearest.ts";
import {
  type FaultInjection,
  FaultResponse,
  type RequestFault,
} from "../request-lifecycle/fault-injection.ts";
import type { AttemptOutcome } from "../deliveries/schedule.ts";
import type { WrapAttempt } from "../deliveries/webhook.ts";
import type { KnownCaller } from "../observability/answered-request.ts";
import type { HeaderLine, ServiceResponse } from "../http/message.ts";
import type { Clock } from "../ports.ts";
import { Problem } from "../problem.ts";
import { sandboxLimits } from "./limits.ts";
import { SandboxRefusal } from "./refusal.ts";

/**
 * How long a response is delayed: a constant time, or times distributed like those of a real
 * network.
 */
export type Latency = { readonly ms: number } | { readonly medianMs: number; readonly p99Ms: number };

export interface FaultOrder {
  /** An endpoint such as `POST /parcels`, as the document states it; absent: all endpoints. */
  readonly endpoint?: string | undefined;
  /** The identifier of the caller; absent: all requests. */
  readonly caller?: string | undefined;
  /** The event type of webhooks, `*` for all. With it, the fault does not apply to requests. */
  readonly webhook?: string | undefined;
  /** Number of matching requests or webhooks before the fault applies. */
  readonly skip: number;
  /** Number of requests or webhooks to which the fault applies; null until it is removed. */
  readonly times: number | null;
  readonly latency?: Latency | undefined;
  /** The status that replaces the service's response; for a webhook, that of its receiver. */
  readonly status?: number | undefined;
  readonly headers?: readonly HeaderLine[] | undefined;
  readonly body?: string | undefined;
  /** A condition of part 7, or one of its codes: the document's own error. */
  readonly error?: string | undefined;
  readonly connection?: "reset" | "cut" | "hang" | undefined;
  /** The work is done, and its response is lost. For a webhook, the receiver gets the request. */
  readonly isLate: boolean;
  /** Sends a webhook twice, or after the next webhook. */
  readonly deliver?: "twice" | "after the next" | undefined;
}

export interface Fault {
  readonly number: number;
  readonly order: FaultOrder;
  /** Number of requests or webhooks to which the fault has applied. */
  readonly hits: number;
}

interface Armed {
  readonly number: number;
  readonly order: FaultOrder;
  readonly problem: Problem | undefined;
  readonly next: () => number;
  seen: number;
  hits: number;
}

/** @param machine real time, because clients wait in real time */
export class Faults implements FaultInjection {
  readonly #model: Model;
  readonly #machine: Clock;
  #faults: Armed[] = [];
  #count = 0;
  readonly #heldReleases = new Set<() => void>();
  /** Webhooks that wait for the next webhook. */
  readonly #overtaken = new Set<() => void>();

  constructor(model: Model, machine: Clock) {
    this.#model = model;
    this.#machine = machine;
  }

  get readsCaller(): boolean {
    return this.#faults.some(({ order }) => order.caller !== undefined);
  }

  atEndpoint(endpoint: Endpoint): readonly RequestFault[] {
    return this.#dueAt(endpoint, undefined);
  }

  ofCaller(endpoint: Endpoint, caller: KnownCaller): readonly RequestFault[] {
    return this.#dueAt(endpoint, caller.id);
  }

  readonly aroundAttempt: WrapAttempt = async (delivery, attempt, signal) => {
    const met = this.#due((order) => isAboutDelivery(order, delivery));
    for (const { order, next } of met) {
      if (order.latency) await this.#wait(delayMs(order.latency, next), signal);
      if (order.deliver === "after the next") await this.#waitForNext(signal);
    }
    const { order } = met.find((fault) => decides(fault.order)) ?? {};
    const outcome = await attemptUnder(order, attempt);
    if (order?.deliver !== "after the next") for (const release of [...this.#overtaken]) release();
    return outcome;
  };

  /** Lists the faults in the order in which they were added. */
  all(): readonly Fault[] {
    return this.#faults;
  }

  /**
   * Adds a fault.
   * @throws SandboxRefusal
   */
  add(order: FaultOrder): Fault {
    if (this.#faults.length >= sandboxLimits.faultsMax) this.#faults = this.#faults.filter(isArmed);
    if (this.#faults.length >= sandboxLimits.faultsMax)
      throw refused(`A data space has at most ${sandboxLimits.faultsMax} faults. Remove some.`);
    checkOrder(order, this.#model);
    this.#count += 1;
    const fault: Armed = {
      number: this.#count,
      order,
      problem: order.error === undefined ? undefined : problemOf(order.error, this.#model),
      next: seeded(this.#count),
      seen: 0,
      hits: 0,
    };
    this.#faults = [...this.#faults, fault];
    return fault;
  }

  /**
   * Removes a fault.
   * @throws SandboxRefusal if there is no such fault
   */
  remove(number: number): void {
    const found = this.#find(number);
    this.#faults = this.#faults.filter((fault) => fault !== found);
  }

  /** Removes all faults. Returns their number. */
  clear(): number {
    const all = this.#faults.length;
    this.#faults = [];
    this.release();
    return all;
  }

  /** Releases held requests and webhooks. */
  release(): void {
    for (const release of [...this.#heldReleases, ...this.#overtaken]) release();
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        takeBack();
        this.#heldReleases.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const takeBack = this.#machine.at(this.#machine.now() + ms, done);
      this.#heldReleases.add(done);
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }

  /** Waits until the next webhook was sent, or for a limited time if none follows. */
  async #waitForNext(signal: AbortSignal): Promise<void> {
    const next = Promise.withResolvers<void>();
    this.#overtaken.add(next.resolve);
    await Promise.race([next.promise, this.#wait(sandboxLimits.faultOvertakenMs, signal)]);
    this.#overtaken.delete(next.resolve);
  }

  /** @param caller undefined selects the faults of all callers */
  #dueAt({ method, path }: Endpoint, caller: string | undefined): readonly RequestFault[] {
    const endpoint = `${method} ${path.text}`;
    return this.#due(
      (order) =>
        order.webhook === undefined && order.caller === caller && (order.endpoint ?? endpoint) === endpoint,
    ).map((fault) => this.#toRequestFault(fault));
  }

  /**
   * Returns the faults that apply to a request or webhook; the first that decides its result ends
   * the search.
   */
  #due(isAbout: (order: FaultOrder) => boolean): readonly Armed[] {
    const found: Armed[] = [];
    for (const fault of this.#faults) {
      const { order } = fault;
      if (!isAbout(order)) continue;
      fault.seen += 1;
      if (fault.seen <= order.skip || (order.times !== null && fault.hits >= order.times)) continue;
      fault.hits += 1;
      found.push(fault);
      if (decides(order)) break;
    }
    return found;
  }

  #toRequestFault(fault: Armed): RequestFault {
    const { order, problem } = fault;
    return {
      cause: decides(order) ? `fault ${fault.number} on demand: ${effectOf(order)}` : undefined,
      // The delay of a response doesn't count for the time-out of the work.
      isLate: order.isLate || order.connection === "cut" || !decides(order),
      apply: async (request, answer) => {
        if (order.latency) await this.#wait(delayMs(order.latency, fault.next), request.signal);
        if (order.connection === "hang") await this.#wait(sandboxLimits.faultDelayMsMax, request.signal);
        if (problem) throw problem;
        const made = responseOf(order, answer);
        if (answer === undefined) throw new FaultResponse(made);
        return made;
      },
    };
  }

  #find(number: number): Armed {
    const found = this.#faults.find((fault) => fault.number === number);
    if (!found)
      throw new SandboxRefusal(404, "No such fault", `There is no fault ${number} in this data space.`);
    return found;
  }
}

function isArmed({ order, hits }: Armed): boolean {
  return order.times === null || hits < order.times;
}

/** Whether the fault changes the result, not only its time. */
function decides({ status, error, connection, deliver }: FaultOrder): boolean {
  return [status, error, connection, deliver].some((effect) => effect !== undefined);
}

function effectOf({ status, error, connection, isLate }: FaultOrder): string {
  const effect = error ?? connection ?? `status ${status}`;
  return isLate ? `${effect} after the work was done` : effect;
}

function responseOf(order: FaultOrder, answer: ServiceResponse | undefined): ServiceResponse {
  const { status, connection, headers = [], body } = order;
  if (status !== undefined) return { status, headers, body: body ?? "" };
  // No client receives this response: the connection closes before it is written.
  const lostResponse: ServiceResponse = answer ?? { status: 503, headers: [], body: "" };
  if (connection === undefined) return lostResponse;
  return { ...lostResponse, breaks: connection === "cut" ? "cut" : "reset" };
}

function isAboutDelivery({ webhook }: FaultOrder, { eventType }: DueDelivery): boolean {
  return webhook === "*" || webhook === eventType;
}

async function attemptUnder(
  order: FaultOrder | undefined,
  attempt: () => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> {
  if (!order) return attempt();
  if (order.deliver === "twice") await attempt();
  if (order.deliver !== undefined) return attempt();
  if (order.isLate) await attempt();
  return order.status === undefined
    ? { kind: "failed", error: "the connection was reset by a fault on demand" }
    : { kind: "answered", status: order.status };
}

/**
 * Validates an order.
 * @throws SandboxRefusal
 */
function checkOrder(order: FaultOrder, model: Model): void {
  const { status, error, connection, deliver, latency, body, headers } = order;
  const effects = [status, error, connection, deliver].filter((effect) => effect !== undefined);
  if (effects.length > 1)
    throw refused("A fault has one effect: a status, an error, a connection, or an order of webhooks.");
  if (effects.length === 0 && !latency)
    throw refused(
      "A fault needs an effect: a status, an error, a connection, an order of webhooks, or a delay.",
    );
  if (status === undefined && (body !== undefined || headers !== undefined))
    throw refused("A body and headers belong to a status. A documented error has its own.");
  if (order.isLate && effects.length === 0) throw refused("A delay alone always applies after the work.");
  if (order.webhook === undefined) checkRequestOrder(order, model);
  else checkWebhookOrder(order, order.webhook, model);
}

function checkWebhookOrder(order: FaultOrder, webhook: string, model: Model): void {
  const { error, body, connection } = order;
  if (order.endpoint !== undefined || order.caller !== undefined)
    throw refused("A fault affects requests or webhooks, not both.");
  if (error !== undefined || body !== undefined || (connection !== undefined && connection !== "reset"))
    throw refused("A fault of webhooks is a status, a reset connection, an order, or a delay.");
  const events = model.events.events.map(({ name }) => name);
  if (webhook !== "*" && !events.includes(webhook)) throw refused(unknown("event", webhook, events));
}

function checkRequestOrder(order: FaultOrder, model: Model): void {
  if (order.deliver !== undefined)
    throw refused("An order applies to webhooks. Name the event type, or * for all.");
  const endpoints = model.endpoints.map(({ method, path }) => `${method} ${path.text}`);
  if (order.endpoint !== undefined && !endpoints.includes(order.endpoint))
    throw refused(unknown("endpoint", order.endpoint, endpoints));
}

function unknown(kind: string, name: string, known: readonly string[]): string {
  const suggestion = nearest(name, known);
  return `The document has no ${kind} ${name}.${suggestion === undefined ? "" : ` Did you mean ${suggestion}?`}`;
}

/**
 * Creates the problem of an error.
 * @throws SandboxRefusal if the document has no such error
 */
function problemOf(error: string, model: Model): Problem {
  const problem = "was requested as a fault";
  const condition = conditions.find((known) => known === error);
  if (condition) return new Problem({ condition, problem });
  const row = model.errors.rows.find(({ code }) => code === error);
  if (row)
    return new Problem(
      { condition: row.when[0]?.condition ?? uncoded, code: error, problem },
      { because: row.position },
    );
  const codes = model.errors.rows.flatMap(({ code }) => code ?? []);
  throw refused(unknown("error", error, [...conditions, ...codes]));
}

/** The condition of a code that only `Fails` and similar items state. */
const uncoded: Condition = "guard failed";

function refused(detail: string): SandboxRefusal {
  return new SandboxRefusal(400, "The fault can't be added", detail);
}

/** Draws a delay, log-normal between the median and the 99th percentile, as response times are. */
function delayMs(latency: Latency, next: () => number): number {
  if ("ms" in latency) return latency.ms;
  const { medianMs, p99Ms } = latency;
  const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const spread = Math.log(p99Ms / medianMs) / normalAt99;
  return Math.min(medianMs * Math.exp(spread * normal), sandboxLimits.faultDelayMsMax);
}

/** The standard normal deviate of the 99th percentile. */
const normalAt99 = 2.326_347_9;

/**
 * Returns a generator with the same numbers in every run (mulberry32): a test must not depend on
 * chance.
 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
