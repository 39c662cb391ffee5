/**
 * Slices of due transitions: each slice is one write, short enough that other requests run in
 * between (decision "What is due, and how far it reaches"). Many timed transitions share the cost
 * of one write. One that fails is rolled back alone, reported to the log, and due again later
 * (decision "Timed transitions that fail").
 */
import type { Frame } from "../../expressions/value.ts";
import { StoreUnavailable } from "../../store/errors.ts";
import type { DueTimer, SystemTables, Transaction } from "../../store/store.ts";
import type { EventPlan } from "../events/events.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { Problem } from "../problem.ts";
import type { Journal } from "../evaluation/journal.ts";
import { ChainLengths } from "./chain-lengths.ts";
import { planDueTransition } from "./due-transition.ts";

/**
 * The records whose due work runs together: all records, those of some resources, or one record.
 */
export interface Scope {
  /** Absent: all resources. */
  readonly resources?: readonly string[];
  /** The row of one record of the single resource. */
  readonly row?: number;
}

/** Runs some of the work that is due at `nowMs` in one write. Returns true if more may be due. */
export type RunSlice = (scope: Scope, nowMs: number) => Promise<boolean>;

/**
 * The limits of one write: the maximum number of timed transitions, the number that is first
 * queried, and its duration with its commit, in milliseconds. If a commit alone takes longer, each
 * write still does some work.
 */
const slice = { most: 500, first: 16, budgetMs: 8, leastMs: 2 } as const;
/** Pauses after a failure: doubling from a minute to a day, in milliseconds. */
const pauseMs = { first: 60_000, most: 86_400_000 } as const;

export function createSlices(
  context: PlanContext,
  events: readonly EventPlan[],
  newFrame: (nowMs: number) => Frame,
  onArmed: (dueAtMs: number) => void,
): RunSlice {
  const { store, ports, stateChanges } = context;
  const stopwatch = ports.stopwatch ?? (() => ports.clock.now());
  const parts: SliceParts = {
    context,
    newFrame,
    stopwatch,
    runDue: planDueTransition(context, events),
    rounds: new ChainLengths(),
    inTableOrder: planTableOrder(context),
  };
  /** The recent duration of commits of slices, with a margin. */
  let commitMs = 0;

  return async (scope, nowMs) => {
    const current = new Slice(parts, scope, nowMs);
    let workedUntil = 0;
    try {
      const hasMore = await store.write(async (transaction) => {
        const endsAt = stopwatch() + Math.max(slice.leastMs, slice.budgetMs - commitMs);
        const left = await current.runAll(transaction, endsAt);
        workedUntil = stopwatch();
        return left;
      });
      // One slow commit may be an exception, so the estimate moves by a quarter.
      if (scope.row === undefined) commitMs += (stopwatch() - workedUntil - commitMs) / 4;
      if (current.soonestArmed !== null) onArmed(current.soonestArmed);
      if (stateChanges.hasListeners) stateChanges.publish(current.journals, true);
      return hasMore;
    } catch (error) {
      // A transition that fails the whole transaction (by its time limit) must not block all
      // others.
      const culprit = current.lastTimer;
      if (error instanceof StoreUnavailable || !culprit) throw error;
      await store.write((transaction) => current.postpone(culprit, transaction, error));
      return true;
    }
  };
}

/** What the slices of a service share. */
interface SliceParts {
  readonly context: PlanContext;
  readonly newFrame: (nowMs: number) => Frame;
  readonly stopwatch: () => number;
  readonly runDue: ReturnType<typeof planDueTransition>;
  readonly rounds: ChainLengths;
  readonly inTableOrder: (timers: readonly DueTimer[]) => readonly DueTimer[];
}

/** One write with due transitions of a scope. */
class Slice {
  readonly #parts: SliceParts;
  readonly #scope: Scope;
  readonly #nowMs: number;
  /** The transition that ran last, or that runs now. */
  lastTimer: DueTimer | undefined;
  soonestArmed: number | null = null;
  /** The changes of this slice; a rolled-back part removes its own. */
  journals: Journal[] = [];

  constructor(parts: SliceParts, scope: Scope, nowMs: number) {
    this.#parts = parts;
    this.#scope = scope;
    this.#nowMs = nowMs;
  }

  async runAll(transaction: Transaction, endsAt: number): Promise<boolean> {
    const { stopwatch, inTableOrder } = this.#parts;
    this.journals = [];
    let atOnce: number = slice.first;
    for (let count = 0; count < slice.most && stopwatch() < endsAt; ) {
      const limit = Math.min(atOnce, slice.most - count);
      const found = await readDueTimers(transaction.system, this.#scope, this.#nowMs, limit);
      const timers = inTableOrder(
        found.length < limit ? found : await this.#withWholeLast(found, transaction),
      );
      if (timers.length === 0) return false;
      const done = await this.#runSome(timers, transaction, endsAt);
      count += done;
      atOnce = done === timers.length ? atOnce * 2 : Math.max(1, done * 2);
    }
    return true;
  }

  async postpone(timer: DueTimer, transaction: Transaction, error: unknown): Promise<void> {
    const failures = timer.failures + 1;
    const pause = Math.min(pauseMs.first * 2 ** Math.min(failures - 1, 30), pauseMs.most);
    await transaction.system.postponeTimer(timer, this.#nowMs + pause, failures);
    const { resource, row, transition } = timer;
    const message = error instanceof Problem ? error.message : String(error);
    this.#parts.context.ports.log.warn(
      { resource, row, transition, failures, error: message },
      "a timed transition failed and will be tried again",
    );
  }

  /** The limit may have split the transitions that are due for the last record at one moment. */
  async #withWholeLast(timers: readonly DueTimer[], { system }: Transaction): Promise<readonly DueTimer[]> {
    const last = timers.at(-1);
    if (!last) return timers;
    const own = await system.dueTimers(this.#nowMs, slice.most, last.resource, last.row);
    return [
      ...timers.filter((timer) => !isAtOnce(timer, last)),
      ...own.filter((dueTimer) => isAtOnce(dueTimer, last)),
    ];
  }

  /** Runs as many of them as possible without a new query. Returns their number. */
  async #runSome(timers: readonly DueTimer[], transaction: Transaction, endsAt: number): Promise<number> {
    let done = 0;
    const journalsBefore = this.journals.length;
    const runEach = async (): Promise<number> => {
      const rows = new Set<string>();
      for (done = 0; done < timers.length; done += 1) {
        const timer = timers[done] as DueTimer;
        const key = `${timer.resource}#${timer.row}`;
        // The record has changed, and its due transitions may have changed, too.
        if (rows.has(key)) return done;
        rows.add(key);
        const mayContinue = await this.#fire(timer, transaction);
        if (!mayContinue || this.#parts.stopwatch() >= endsAt) return done + 1;
      }
      return done;
    };
    try {
      return await transaction.part(runEach);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      this.journals.length = journalsBefore;
      const culprit = timers[done];
      if (!culprit) throw error;
      // Earlier transitions succeeded, and were rolled back with the failed one.
      if (done > 0) return this.#runSome(timers.slice(0, done), transaction, Number.POSITIVE_INFINITY);
      await this.postpone(culprit, transaction, error);
      return 1;
    }
  }

  /** Fires one transition. Returns whether the next one is known without a new query. */
  async #fire(timer: DueTimer, transaction: Transaction): Promise<boolean> {
    const { rounds, runDue, newFrame } = this.#parts;
    this.lastTimer = timer;
    rounds.check(timer);
    const fired = await runDue(timer, transaction, newFrame(timer.dueAt));
    rounds.note(timer, fired);
    const { isAlone, soonestDue, journal } = fired;
    if (journal) this.journals.push(journal);
    if (soonestDue !== null) this.soonestArmed = Math.min(soonestDue, this.soonestArmed ?? soonestDue);
    const isFurtherDue = soonestDue !== null && soonestDue <= this.#nowMs;
    return isAlone && !isFurtherDue;
  }
}

/**
 * Part 3, "Trigger": sorts the transitions that are due for one record at one moment by the rows of
 * the table.
 */
function planTableOrder({ model }: PlanContext): SliceParts["inTableOrder"] {
  const rowOf = new Map(
    model.resources.map(({ name, states }) => [
      name,
      new Map(states?.transitions.map((transition, at) => [transition.name, at])),
    ]),
  );
  const rowOfTimer = ({ resource, transition }: DueTimer) =>
    rowOf.get(resource)?.get(transition) ?? Number.MAX_SAFE_INTEGER;
  return (timers) =>
    timers.toSorted((a, b) => (isAtOnce(a, b) ? rowOfTimer(a) - rowOfTimer(b) : byTime(a, b)));
}

/** Reads the due work of a scope, by due time. */
export async function readDueTimers(
  system: Pick<SystemTables, "dueTimers">,
  { resources, row }: Scope,
  nowMs: number,
  limit: number,
): Promise<readonly DueTimer[]> {
  if (!resources) return system.dueTimers(nowMs, limit);
  const [first, ...rest] = resources;
  if (first === undefined) return [];
  const found = await system.dueTimers(nowMs, limit, first, row);
  if (rest.length === 0) return found;
  const all = [...found];
  for (const resource of rest) all.push(...(await system.dueTimers(nowMs, limit, resource)));
  // Sorts in the store's order, like a single query for all resources.
  return all.sort(byTime).slice(0, limit);
}

function byTime(a: DueTimer, b: DueTimer): number {
  return a.dueAt - b.dueAt || byRecord(a, b);
}

function isAtOnce(a: DueTimer, b: DueTimer): boolean {
  return a.dueAt === b.dueAt && a.row === b.row && a.resource === b.resource;
}

function byRecord(a: DueTimer, b: DueTimer): number {
  if (a.resource !== b.resource) return a.resource < b.resource ? -1 : 1;
  if (a.row !== b.row) return a.row - b.row;
  if (a.transition !== b.transition) return a.transition < b.transition ? -1 : 1;
  return a.end - b.end;
}
