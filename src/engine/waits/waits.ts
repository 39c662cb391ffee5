/**
 * Held responses (`Waits`, part 4). Each waits outside any transaction until its condition is true,
 * its time has passed, its client has disconnected, or the service stops. `plan-waits.ts` evaluates
 * the condition and computes the response.
 */
import { operatorCeilings } from "../defaults.ts";
import { type Ports, callWhenReached } from "../ports.ts";
import type { Changes, Watch } from "../streams/changes.ts";
import type { WatchedRows } from "../streams/reads.ts";
import { waitLimits } from "../streams/stream-limits.ts";

export interface HeldAnswer {
  /** The end of the wait, in milliseconds since 1970. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
  readonly watched: WatchedRows;
  /**
   * Evaluates the condition at the start, and after every commit that changes a watched resource.
   * It may return what to watch from then on.
   */
  check(): Promise<{ readonly isTrue: boolean; readonly watched?: WatchedRows }>;
}

export interface Waits {
  /** Resolves when the response must be sent. */
  wait(held: HeldAnswer): Promise<void>;
  /**
   * The number of held responses with an evaluated condition. Only time or another request changes
   * it.
   */
  readonly held: number;
  /**
   * Calls back whenever the service starts to hold a response. Returns a function that removes the
   * listener.
   */
  onHeld(listener: () => void): () => void;
  /** Ends all waits, present and future: the service sends the responses in their current state. */
  drain(): void;
}

export function createWaits(changes: Changes, ports: Ports): Waits {
  const listeners = new Set<() => void>();
  const ends = new Set<() => void>();
  /** The held responses with an evaluated condition. */
  const quiet = new Set<Watch>();
  let isDraining = false;
  return {
    async wait(waiting) {
      if (isDraining || ends.size >= waitLimits.heldMax) return;
      let isOver = waiting.signal.aborted;
      let wakeUp: (() => void) | undefined;
      const end = () => {
        isOver = true;
        wakeUp?.();
      };
      const machine = ports.machine ?? ports.clock;
      const takeBack = [
        callWhenReached(ports.clock, waiting.untilMs, end),
        // Real time limits the wait, in case the service's clock is stopped.
        callWhenReached(machine, machine.now() + operatorCeilings.timeoutMs, end),
      ];
      waiting.signal.addEventListener("abort", end, { once: true });
      const watch = changes.watch(waiting.watched, () => wakeUp?.());
      ends.add(end);
      try {
        while (!isOver && ports.clock.now() < waiting.untilMs) {
          watch.markRead();
          const { isTrue, watched } = await waiting.check();
          if (isTrue) return;
          if (watched) watch.become(watched);
          if (watch.isStale || isOver) continue;
          quiet.add(watch);
          const woken = new Promise<void>((resolve) => (wakeUp = resolve));
          for (const listener of [...listeners]) listener();
          await woken;
          wakeUp = undefined;
          quiet.delete(watch);
        }
      } finally {
        for (const cancel of takeBack) cancel();
        waiting.signal.removeEventListener("abort", end);
        watch.stop();
        ends.delete(end);
      }
    },
    get held() {
      return [...quiet].filter((watch) => !watch.isStale).length;
    },
    onHeld(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    drain() {
      isDraining = true;
      for (const end of [...ends]) end();
    },
  };
}
