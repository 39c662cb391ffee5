/**
 * Answers that are held (`Waits`, part 4): each waits outside of any transaction until what it waits for is true, its time is over, its
 * caller is gone, or the service stops. How it is asked, and what is answered then, is `plan-waits.ts`.
 */
import { operatorCeilings } from "../defaults.ts";
import { type Ports, whenPast } from "../ports.ts";
import type { Changes, Watch } from "../streams/changes.ts";
import type { Watched } from "../streams/reads.ts";
import { waitLimits } from "../streams/stream-limits.ts";

export interface HeldAnswer {
  /** When the time is over, in milliseconds since 1970. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
  readonly watched: Watched;
  /** Asked at the start, and after every commit that changed what is watched; may say what is to be watched from then on. */
  check(): Promise<{ readonly isTrue: boolean; readonly watched?: Watched }>;
}

export interface Waits {
  /** Resolves when the answer is to be given. */
  wait(held: HeldAnswer): Promise<void>;
  /** How many are held, and asked already whether they can be answered: nothing but time or another request brings them on. */
  readonly held: number;
  /** Calls back whenever one more is held; the answer takes the wish back. */
  onHeld(listener: () => void): () => void;
  /** All are answered as things are, now and from now on. */
  drain(): void;
}

export function createWaits(changes: Changes, ports: Ports): Waits {
  const listeners = new Set<() => void>();
  const ends = new Set<() => void>();
  /** Held, and asked already. */
  const quiet = new Set<Watch>();
  let isDraining = false;
  return {
    async wait(held) {
      if (isDraining || ends.size >= waitLimits.heldMax) return;
      let isOver = held.signal.aborted;
      let wake: (() => void) | undefined;
      const end = () => {
        isOver = true;
        wake?.();
      };
      const machine = ports.machine ?? ports.clock;
      const takeBack = [
        whenPast(ports.clock, held.untilMs, end),
        // A clock that stands still holds nobody for ever.
        whenPast(machine, machine.now() + operatorCeilings.timeoutMs, end),
      ];
      held.signal.addEventListener("abort", end, { once: true });
      const watch = changes.watch(held.watched, () => wake?.());
      ends.add(end);
      try {
        while (!isOver && ports.clock.now() < held.untilMs) {
          watch.look();
          const { isTrue, watched } = await held.check();
          if (isTrue) return;
          if (watched) watch.become(watched);
          if (watch.isStale || isOver) continue;
          quiet.add(watch);
          const woken = new Promise<void>((resolve) => (wake = resolve));
          for (const listener of [...listeners]) listener();
          await woken;
          wake = undefined;
          quiet.delete(watch);
        }
      } finally {
        for (const take of takeBack) take();
        held.signal.removeEventListener("abort", end);
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
