/**
 * Moves a data space's clock to a later time as if it passed: whoever waits for a time on the way is called back at that time, and what
 * it does is over before the clock goes on. So timers, what they set in turn, and retries keep their order and their distances.
 */
import type { SandboxClock } from "./clock.ts";

export interface MoveOptions {
  /** Does what is due by now, and ends when it is done. */
  readonly settle: () => Promise<void>;
  /** Whether the move has taken long enough. */
  readonly isOver: () => boolean;
}

/** True where the clock has arrived; false where it stands on its way. A time that is past is set at once: nothing is undone. */
export async function moveClock(clock: SandboxClock, toMs: number, options: MoveOptions): Promise<boolean> {
  const ran = !clock.isStopped;
  clock.stop();
  try {
    if (toMs > clock.now()) {
      await options.settle();
      for (;;) {
        const next = clock.soonest();
        if (next === null || next > toMs) break;
        if (options.isOver()) return false;
        clock.set(Math.max(next, clock.now()));
        await options.settle();
      }
    }
    clock.set(toMs);
    await options.settle();
    return true;
  } finally {
    if (ran) clock.run();
  }
}
