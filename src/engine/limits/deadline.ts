/**
 * Deadlines (`time-out`, part 8): the service answers a request that takes too long with *timed
 * out*, and stores nothing of it.
 */
import { Problem } from "../problem.ts";
import type { Clock } from "../ports.ts";

/**
 * Checks the deadline. Call it before a change starts, and before the change is stored.
 * @throws Problem if the time-out has passed
 */
export type CheckDeadline = () => void;

export function createDeadline(clock: Clock, startedMs: number, timeoutMs: number): CheckDeadline {
  return () => {
    if (clock.now() - startedMs <= timeoutMs) return;
    throw new Problem({
      condition: "timed out",
      problem: `took longer than ${timeoutMs / 1000} seconds`,
      limitName: "time-out",
      limit: timeoutMs / 1000,
    });
  };
}
