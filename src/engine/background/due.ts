/**
 * When timed transitions are taken (part 3): in the order of due times, before any later request sees their records, whatever
 * restarts come between. What taking one means stands in `take-due.ts`; here stands when, in which slices, and what becomes of one
 * that fails (decision 1).
 */
import type { Frame } from "../../expressions/value.ts";
import { StoreUnavailable } from "../../store/errors.ts";
import type { DueTimer, Transaction } from "../../store/store.ts";
import type { EventPlan } from "../events/events.ts";
import type { PlanContext } from "../plan/context.ts";
import { Problem } from "../problem.ts";
import { isTimed } from "../records/timers.ts";
import { planTakeDue } from "./take-due.ts";

export interface DueTimers {
  /** Whether something may be due at that time; cheap, asked by every request. */
  mayBeDue(nowMs: number): boolean;
  /** Takes all that is due, in slices between which other requests run. */
  settleAll(nowMs: number): Promise<void>;
  /** To be called after a transaction that has set timers: the soonest of their due times. */
  armed(dueAtMs: number): void;
  /** Takes no more, and waits for the slice that is being taken. */
  stop(): Promise<void>;
}

/** Timed transitions taken in one transaction, and how long it may go on taking more, in milliseconds. */
const slice = { most: 200, budgetMs: 50 } as const;
/** Pauses after a failure: doubling from a minute to a day, in milliseconds. */
const pauseMs = { first: 60_000, most: 86_400_000 } as const;

export function createDueTimers(
  context: PlanContext,
  events: readonly EventPlan[],
  newFrame: (nowMs: number) => Frame,
): DueTimers {
  const { store, ports } = context;
  const hasTimers = context.model.resources.some(isTimed);
  const take = planTakeDue(context, events);
  /** The soonest due time that is known of; never later than the true one once `known`. */
  let nextDue: number | null = null;
  let known = false;
  let stopped = false;
  let cancel: (() => void) | undefined;
  let running: Promise<void> | undefined;
  /** The soonest time set while the store was asked for its own. */
  let armedMeanwhile: number | null = null;

  const wakeUp = () => {
    cancel?.();
    cancel = undefined;
    if (nextDue === null || stopped) return;
    cancel = ports.clock.at(nextDue, () => {
      void timers
        .settleAll(ports.clock.now())
        .catch((error: unknown) =>
          ports.log.error({ error: String(error) }, "timed transitions could not be settled"),
        );
    });
  };

  const look = async () => {
    armedMeanwhile = null;
    const stored = await store.session.system.nextDue();
    nextDue = soonest(stored, armedMeanwhile);
    known = true;
    wakeUp();
  };

  const failed = async (timer: DueTimer, transaction: Transaction, nowMs: number, error: unknown) => {
    const failures = timer.failures + 1;
    const pause = Math.min(pauseMs.first * 2 ** Math.min(failures - 1, 30), pauseMs.most);
    await transaction.system.postponeTimer(timer, nowMs + pause, failures);
    const { resource, row, transition } = timer;
    ports.log.warn(
      {
        resource,
        row,
        transition,
        failures,
        error: error instanceof Problem ? error.message : String(error),
      },
      "a timed transition failed and will be tried again",
    );
  };

  /** Takes some of what is due in one transaction; true when there may be more. */
  const takeSlice = async (nowMs: number): Promise<boolean> => {
    let current: DueTimer | undefined;
    try {
      return await store.write(async (transaction) => {
        const startedMs = performance.now();
        for (let taken = 0; taken < slice.most; taken += 1) {
          // One at a time: what one does may set, move or take away others.
          const [timer] = await transaction.system.dueTimers(nowMs, 1);
          current = timer;
          if (!timer) return false;
          try {
            await transaction.part(() => take(timer, transaction, newFrame(timer.dueAt)));
          } catch (error) {
            if (error instanceof StoreUnavailable) throw error;
            await failed(timer, transaction, nowMs, error);
          }
          if (performance.now() - startedMs > slice.budgetMs) break;
        }
        return true;
      });
    } catch (error) {
      // One that takes the whole transaction down with it (it runs out of time) must not stand in the way of all others.
      const culprit = current;
      if (error instanceof StoreUnavailable || !culprit) throw error;
      await store.write((transaction) => failed(culprit, transaction, nowMs, error));
      return true;
    }
  };

  const settle = async (nowMs: number) => {
    do {
      while (!stopped && (await takeSlice(nowMs))) await new Promise((resolve) => setImmediate(resolve));
      await look();
    } while (!stopped && nextDue !== null && nextDue <= nowMs);
  };

  const timers: DueTimers = {
    mayBeDue: (nowMs) => hasTimers && (!known || (nextDue !== null && nextDue <= nowMs)),
    async settleAll(nowMs) {
      if (!hasTimers) return;
      // Whoever asks while it runs waits for that run, then looks again, for time may have gone on.
      while (running) await running.catch(() => {});
      running = settle(nowMs);
      try {
        await running;
      } finally {
        running = undefined;
      }
    },
    armed(dueAtMs) {
      armedMeanwhile = soonest(dueAtMs, armedMeanwhile);
      if (nextDue !== null && nextDue <= dueAtMs) return;
      nextDue = dueAtMs;
      wakeUp();
    },
    async stop() {
      stopped = true;
      cancel?.();
      await running?.catch(() => {});
    },
  };
  return timers;
}

function soonest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
