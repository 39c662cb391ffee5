/**
 * Due timed transitions (part 3): they fire in the order of due times, before any later request
 * sees their records, and across restarts. `endpoint-scope.ts` and `due-records.ts` decide what a request depends
 * on, and `slices.ts` fires the transitions. This file starts that work: for each request, the
 * records that the request may see; without requests, all records, by a timer.
 */
import type { Frame } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { CommittedSystem, Session, Transaction } from "../../store/store.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { EventPlan } from "../events/events.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { expansionPaths } from "../evaluation/expansion.ts";
import { isTimed } from "../../model/resources/timed-resources.ts";
import { type ParsedScope, type FindDueRecord, planDueRecordSearch } from "./due-records.ts";
import { type EndpointDueScope, endpointDueScope } from "./endpoint-scope.ts";
import { createSlices, readDueTimers, type Scope } from "./slices.ts";
import { type TimedModel, timedModel } from "./units.ts";
import type { RequestCredentials } from "../request-context.ts";

/** A request whose due work must run first. */
export interface DueScope {
  readonly exchange: ParsedScope & { readonly endpoint: Endpoint };
  readonly carried: RequestCredentials;
  readonly nowMs: number;
}

export interface DueCheck {
  /** Whether any due work had to run. */
  readonly any: boolean;
  /** The number of commits at the time of the check. */
  readonly commits: number;
}

/** Maximum delay until this instance reads due times of other instances, in milliseconds. */
const followEveryMs = 1_000;
/** Delay of a retry after a failed write to the store, in milliseconds. */
const failureMs = 10_000;

/**
 * Thrown inside a write that depends on pending due work: the work runs first, and then the write
 * is repeated.
 */
export class PendingDueWork extends Error {
  override name = "PendingDueWork";
}

type System = Pick<CommittedSystem, "dueTimers">;

/** Runs due work of one service. */
export class DueTimers {
  readonly #context: PlanContext;
  readonly #timed: TimedModel;
  readonly #takeSlice: ReturnType<typeof createSlices>;
  readonly #plans = new Map<Endpoint, { readonly needs: EndpointDueScope; readonly find: FindDueRecord }>();
  /** Running and queued slices, by scope: callers that need the same scope share one slice. */
  readonly #running = new Map<string, Promise<boolean>>();
  #lane: Promise<unknown> = Promise.resolve();
  /** The earliest known due time, for the wake-up. */
  #nextDue: number | null = null;
  /** For each running query of the next due time: the earliest time that was set during it. */
  readonly #armedMeanwhile = new Set<{ soonest: number | null }>();
  #commits = 0;
  #isStopped = false;
  #cancelWakeUp: (() => void) | undefined;
  #stopFollowing: (() => void) | undefined;
  readonly #forgetCommits: () => void;
  /** Whether any timed transition or retention applies to this service. */
  readonly any: boolean;

  constructor(context: PlanContext, events: readonly EventPlan[], newFrame: (nowMs: number) => Frame) {
    const { model, meaning, store } = context;
    this.#context = context;
    this.any = model.resources.some(isTimed);
    this.#timed = timedModel(model, meaning);
    this.#takeSlice = createSlices(context, events, newFrame, (dueAtMs) => this.armed(dueAtMs));
    this.#forgetCommits = store.onCommit(() => {
      this.#commits += 1;
    });
    if (this.any && store.shared) this.#follow();
  }

  /** Number of commits: a scope without due work stays so while this number is the same. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Whether a transition may be due at that time; cheap, because every request checks it. The store
   * knows this from the commit that set the timer, in any process, before the response is sent.
   */
  mayBeDue(nowMs: number): boolean {
    return this.any && this.#context.store.session.system.mayBeDue(nowMs);
  }

  /**
   * Runs the due work of a scope, in slices between which other requests run.
   * @param checkDeadline throws when the request's time is over
   */
  async runDueOf(dueScope: DueScope, checkDeadline: () => void): Promise<DueCheck> {
    const { session } = this.#context.store;
    for (let any = false; ; any = true) {
      const asOf = this.#commits;
      const scope = this.mayBeDue(dueScope.nowMs)
        ? await this.#unsettled(dueScope, session, session.system)
        : null;
      if (!scope || this.#isStopped) return { any, commits: asOf };
      await this.#settleSome(scope, () => dueScope.nowMs);
      checkDeadline();
    }
  }

  /** Whether no due work remains in the scope, checked inside the request's own transaction. */
  hasNoDueWork(dueScope: DueScope, transaction: Transaction): Awaitable<boolean> {
    if (!this.any || this.#isStopped) return true;
    return after(
      transaction.system.dueTimers(dueScope.nowMs, 1),
      (due): Awaitable<boolean> =>
        due.length === 0 ||
        this.#unsettled(dueScope, transaction, transaction.system).then((scope) => scope === null),
    );
  }

  /** Runs all due work. If the clock is set back meanwhile, it stops at the new time. */
  async runAllDue(): Promise<void> {
    if (!this.any) return;
    const { clock } = this.#context.ports;
    const startedMs = clock.now();
    const untilMs = () => Math.min(startedMs, clock.now());
    do {
      while (!this.#isStopped && (await this.#settleSome({}, untilMs)));
      await this.#look();
    } while (!this.#isStopped && this.#nextDue !== null && this.#nextDue <= untilMs());
  }

  /** To be called after a transaction that has set timers, with the earliest of their due times. */
  armed(dueAtMs: number): void {
    for (const item of this.#armedMeanwhile) item.soonest = soonest(dueAtMs, item.soonest);
    if (this.#nextDue !== null && this.#nextDue <= dueAtMs) return;
    this.#nextDue = dueAtMs;
    this.#wakeAt(dueAtMs);
  }

  /** Stops running due work, and waits for the current slice. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#forgetCommits();
    this.#cancelWakeUp?.();
    this.#stopFollowing?.();
    await this.#lane;
  }

  #wakeAt(timeMs: number | null): void {
    this.#cancelWakeUp?.();
    const isAwaited = timeMs !== null && !this.#isStopped;
    this.#cancelWakeUp = isAwaited
      ? this.#context.ports.clock.at(timeMs, () => this.#runAndRetry())
      : undefined;
  }

  #runAndRetry(): void {
    const { clock, log } = this.#context.ports;
    void this.runAllDue().catch((error: unknown) => {
      log.error({ error: String(error) }, "timed transitions could not be run");
      // No later request may trigger them, so the service retries.
      this.#wakeAt(clock.now() + failureMs);
    });
  }

  /** Reads the next due time, and sets the wake-up. */
  async #look(): Promise<void> {
    const armed: { soonest: number | null } = { soonest: null };
    this.#armedMeanwhile.add(armed);
    try {
      const stored = await this.#context.store.session.system.nextDue();
      this.#nextDue = soonest(stored, armed.soonest);
    } finally {
      this.#armedMeanwhile.delete(armed);
    }
    this.#wakeAt(this.#nextDue);
  }

  /** If instances share the store, an instance also runs due work of instances that died. */
  #follow(): void {
    const { ports } = this.#context;
    const { machine = ports.clock } = ports;
    this.#stopFollowing = machine.at(machine.now() + followEveryMs, () => {
      // A failed read is repeated at the next interval.
      void this.#look()
        .catch(() => {})
        .then(() => (this.#isStopped ? undefined : this.#follow()));
    });
  }

  /**
   * Runs one slice of a scope. Returns false when no due work remains in it. Slices run one at a
   * time, with other work in between.
   * @param untilMs the latest due time, read when the slice starts
   */
  #settleSome(scope: Scope, untilMs: () => number): Promise<boolean> {
    if (scope.row !== undefined) return this.#takeSlice(scope, untilMs());
    const key = scope.resources?.join(" ") ?? "";
    let slice = this.#running.get(key);
    if (!slice) {
      slice = this.#lane
        .then(() => !this.#isStopped && this.#takeSlice(scope, untilMs()))
        .finally(() => this.#running.delete(key));
      this.#running.set(key, slice);
      this.#lane = slice.then(nextTurn, nextTurn);
    }
    return slice;
  }

  #planOf(endpoint: Endpoint) {
    let plan = this.#plans.get(endpoint);
    if (!plan) {
      const needs = endpointDueScope(this.#context, this.#timed, endpoint);
      plan = { needs, find: planDueRecordSearch(this.#context, this.#timed, endpoint, needs) };
      this.#plans.set(endpoint, plan);
    }
    return plan;
  }

  /** Returns a scope whose due work must run before the request; null if none remains. */
  async #unsettled(
    { exchange, carried, nowMs }: DueScope,
    session: Session,
    system: System,
  ): Promise<Scope | null> {
    const { needs, find } = this.#planOf(exchange.endpoint);
    const isDue = async (scope: Scope) => (await readDueTimers(system, scope, nowMs, 1)).length > 0;
    // Expanded references may lead to any record.
    const isExpanded = expansionPaths(this.#context, exchange.frame).length > 0;
    const whole = isExpanded ? this.#timed.units : needs.whole;
    for (const { resources } of whole) if (await isDue({ resources })) return { resources };
    let isAny = false;
    for (const resource of needs.single) isAny ||= await isDue({ resources: [resource] });
    if (!isAny) return null;
    const found = await find(exchange, carried, session, (resource, row) =>
      isDue({ resources: [resource], row }),
    );
    if (!found) return null;
    return { resources: [found.resource], ...("row" in found ? { row: found.row } : {}) };
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function soonest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
