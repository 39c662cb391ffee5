/**
 * `time-out` (part 8): a request that took longer is answered *timed out*, and nothing of it is
 * stored.
 */
import { Problem } from "../problem.ts";
import type { Clock } from "../ports.ts";

/** @throws Problem if the time is over; call it before a change starts, and before it is stored */
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
