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
import { isTimed } from "../../model/timed-resources.ts";
import { type ParsedScope, type FindDueRecord, planDueRecordSearch } from "./due-records.ts";
import { type EndpointDueScope, endpointDueScope } from "./endpoint-scope.ts";
import { createSlices, readDueTimers, type Scope } from "./slices.ts";
import { timedModel } from "./units.ts";
import type { RequestCredentials } from "../request-context.ts";

export interface DueTimers {
  /** Whether any timed transition or retention applies to this service. */
  readonly any: boolean;
  /** Whether a transition may be due at that time; cheap, because every request checks it. */
  mayBeDue(nowMs: number): boolean;
  /** Number of commits: a scope without due work stays so while this number is the same. */
  readonly commits: number;
  /**
   * Runs the due work of a scope, in slices between which other requests run.
   * @param checkDeadline throws when the request's time is over
   */
  runDueOf(dueScope: DueScope, checkDeadline: () => void): Promise<DueCheck>;
  /** Whether no due work remains in the scope, checked inside the request's own transaction. */
  hasNoDueWork(dueScope: DueScope, transaction: Transaction): Awaitable<boolean>;
  /** Runs all due work. If the clock is set back meanwhile, it stops at the new time. */
  runAllDue(): Promise<void>;
  /** To be called after a transaction that has set timers, with the earliest of their due times. */
  armed(dueAtMs: number): void;
  /** Stops running due work, and waits for the current slice. */
  stop(): Promise<void>;
}

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

export function createDueTimers(
  context: PlanContext,
  events: readonly EventPlan[],
  newFrame: (nowMs: number) => Frame,
): DueTimers {
  const { store, ports } = context;
  const hasTimers = context.model.resources.some(isTimed);
  const timed = timedModel(context.model, context.meaning);
  const takeSlice = createSlices(context, events, newFrame, (dueAtMs) => timers.armed(dueAtMs));
  const plans = new Map<Endpoint, { readonly needs: EndpointDueScope; readonly find: FindDueRecord }>();
  /** The earliest known due time, for the wake-up. */
  let nextDue: number | null = null;
  let stopped = false;
  let cancel: (() => void) | undefined;
  /** For each running query of the next due time: the earliest time that was set during it. */
  const armedMeanwhile = new Set<{ soonest: number | null }>();
  let commits = 0;
  const forgetCommits = store.onCommit(() => {
    commits += 1;
  });
  /** Running and queued slices, by scope: callers that need the same scope share one slice. */
  const running = new Map<string, Promise<boolean>>();
  let lane: Promise<unknown> = Promise.resolve();

  const wakeAt = (timeMs: number | null) => {
    cancel?.();
    cancel = timeMs === null || stopped ? undefined : ports.clock.at(timeMs, settle);
  };
  const wakeUp = () => wakeAt(nextDue);
  const settle = () =>
    void timers.runAllDue().catch((error: unknown) => {
      ports.log.error({ error: String(error) }, "timed transitions could not be run");
      // No later request may trigger them, so the service retries.
      wakeAt(ports.clock.now() + failureMs);
    });

  const look = async () => {
    const armed: { soonest: number | null } = { soonest: null };
    armedMeanwhile.add(armed);
    try {
      const stored = await store.session.system.nextDue();
      nextDue = soonest(stored, armed.soonest);
    } finally {
      armedMeanwhile.delete(armed);
    }
    wakeUp();
  };

  /** If instances share the store, an instance also runs due work of instances that died. */
  let stopFollowing: (() => void) | undefined;
  const follow = () => {
    const { machine = ports.clock } = ports;
    stopFollowing = machine.at(machine.now() + followEveryMs, () => {
      // A failed read is repeated at the next interval.
      void look()
        .catch(() => {})
        .then(() => (stopped ? undefined : follow()));
    });
  };
  if (hasTimers && store.shared) follow();

  /**
   * Runs one slice of a scope. Returns false when no due work remains in it. Slices run one at a
   * time, with other work in between.
   * @param untilMs the latest due time, read when the slice starts
   */
  const settleSome = (scope: Scope, untilMs: () => number): Promise<boolean> => {
    if (scope.row !== undefined) return takeSlice(scope, untilMs());
    const key = scope.resources?.join(" ") ?? "";
    let slice = running.get(key);
    if (!slice) {
      slice = lane.then(() => !stopped && takeSlice(scope, untilMs())).finally(() => running.delete(key));
      running.set(key, slice);
      lane = slice.then(nextTurn, nextTurn);
    }
    return slice;
  };

  const planOf = (endpoint: Endpoint) => {
    let plan = plans.get(endpoint);
    if (!plan) {
      const needs = endpointDueScope(context, timed, endpoint);
      plan = { needs, find: planDueRecordSearch(context, timed, endpoint, needs) };
      plans.set(endpoint, plan);
    }
    return plan;
  };

  /** Returns a scope whose due work must run before the request; null if none remains. */
  const unsettled = async (
    { exchange, carried, nowMs }: DueScope,
    session: Session,
    system: System,
  ): Promise<Scope | null> => {
    const { needs, find } = planOf(exchange.endpoint);
    const isDue = async (scope: Scope) => (await readDueTimers(system, scope, nowMs, 1)).length > 0;
    // Expanded references may lead to any record.
    const whole = expansionPaths(context, exchange.frame).length > 0 ? timed.units : needs.whole;
    for (const { resources } of whole) if (await isDue({ resources })) return { resources };
    let isAny = false;
    for (const resource of needs.single) isAny ||= await isDue({ resources: [resource] });
    if (!isAny) return null;
    const found = await find(exchange, carried, session, (resource, row) =>
      isDue({ resources: [resource], row }),
    );
    if (!found) return null;
    return { resources: [found.resource], ...("row" in found ? { row: found.row } : {}) };
  };

  const timers: DueTimers = {
    any: hasTimers,
    // The store knows this from the commit that set the timer, in any process, before the response
    // is sent.
    mayBeDue: (nowMs) => hasTimers && store.session.system.mayBeDue(nowMs),
    get commits() {
      return commits;
    },
    async runDueOf(dueScope, checkDeadline) {
      const { session } = store;
      for (let any = false; ; any = true) {
        const asOf = commits;
        const scope = timers.mayBeDue(dueScope.nowMs)
          ? await unsettled(dueScope, session, session.system)
          : null;
        if (!scope || stopped) return { any, commits: asOf };
        await settleSome(scope, () => dueScope.nowMs);
        checkDeadline();
      }
    },
    hasNoDueWork(dueScope, transaction) {
      if (!hasTimers || stopped) return true;
      return after(
        transaction.system.dueTimers(dueScope.nowMs, 1),
        (due): Awaitable<boolean> =>
          due.length === 0 ||
          unsettled(dueScope, transaction, transaction.system).then((scope) => scope === null),
      );
    },
    async runAllDue() {
      if (!hasTimers) return;
      const startedMs = ports.clock.now();
      const untilMs = () => Math.min(startedMs, ports.clock.now());
      do {
        while (!stopped && (await settleSome({}, untilMs)));
        await look();
      } while (!stopped && nextDue !== null && nextDue <= untilMs());
    },
    armed(dueAtMs) {
      for (const item of armedMeanwhile) item.soonest = soonest(dueAtMs, item.soonest);
      if (nextDue !== null && nextDue <= dueAtMs) return;
      nextDue = dueAtMs;
      wakeUp();
    },
    async stop() {
      stopped = true;
      forgetCommits();
      cancel?.();
      stopFollowing?.();
      await lane;
    },
  };
  return timers;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function soonest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
