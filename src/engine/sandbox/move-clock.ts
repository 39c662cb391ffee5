/**
 * Moves a data space's clock to a later time as if it passed: at each time on the way at which something is due, that is done and over
 * before the clock goes on. So timers, what they set in turn, and retries keep their order and their distances.
 */
import type { SandboxClock } from "./clock.ts";

export interface MoveOptions {
  /** When something is due next, after that time; null where nothing is. */
  readonly nextDue: (afterMs: number) => Promise<number | null>;
  /** Does what is due by now, and ends when it is done. */
  readonly settle: () => Promise<void>;
  /** Whether the move has taken long enough. */
  readonly isOver: () => boolean;
}

/**
 * True where the clock has arrived; false where it stands on its way.
 * @param clock stands still
 */
export async function moveClock(clock: SandboxClock, toMs: number, options: MoveOptions): Promise<boolean> {
  await options.settle();
  for (;;) {
    const next = await options.nextDue(clock.now());
    if (next === null || next > toMs) break;
    if (options.isOver()) return false;
    clock.set(next);
    await options.settle();
  }
  clock.set(toMs);
  await options.settle();
  return true;
}
