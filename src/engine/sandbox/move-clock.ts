/**
 * Moves a data space's clock to a later time as if it passed. At each due time on the way, the due
 * work is completed before the clock moves on. So timers, timers that they set, and retries keep
 * their order and their intervals.
 */
import type { SandboxClock } from "./clock.ts";

export interface MoveOptions {
  /** Returns the next due time after that time; null if there is none. */
  readonly nextDue: (afterMs: number) => Promise<number | null>;
  /** Runs the work that is due now. Resolves when it is done. */
  readonly runDueWork: () => Promise<void>;
  /** Whether the move has taken its maximum time. */
  readonly isTimeOver: () => boolean;
}

/**
 * Moves the clock. Resolves to true if it has arrived; false if it stopped on its way.
 * @param clock is stopped
 */
export async function moveClock(clock: SandboxClock, toMs: number, options: MoveOptions): Promise<boolean> {
  await options.runDueWork();
  for (;;) {
    const next = await options.nextDue(clock.now());
    if (next === null || next > toMs) break;
    if (options.isTimeOver()) return false;
    clock.set(next);
    await options.runDueWork();
  }
  clock.set(toMs);
  await options.runDueWork();
  return true;
}
