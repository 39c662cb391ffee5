/**
 * Throttled task: runs after notifications, at most once per interval, and never twice at a time.
 */
import type { Log } from "../../../engine/ports.ts";
import { machine } from "../../../support/machine.ts";

/** The interval between two runs, in milliseconds: that of frames. */
const pauseMs = 100;

export interface ThrottledTask {
  /** Requests a run, because there may be something new. */
  trigger(): void;
  stop(): void;
}

export function createThrottledTask(log: Log, run: () => Promise<void>): ThrottledTask {
  let isRunning = false;
  let isPending = false;
  let isStopped = false;
  let cancelTimer: (() => void) | undefined;
  const trigger = () => {
    if (isStopped) return;
    if (isRunning) {
      isPending = true;
      return;
    }
    isRunning = true;
    run()
      .catch((error: unknown) => {
        if (!isStopped) log.warn({ error: String(error) }, "the query for live updates failed");
      })
      .finally(() => {
        const runPending = () => {
          isRunning = false;
          if (!isPending) return;
          isPending = false;
          trigger();
        };
        cancelTimer = machine.after(pauseMs, runPending, true);
      });
  };
  return {
    trigger,
    stop() {
      isStopped = true;
      cancelTimer?.();
    },
  };
}
