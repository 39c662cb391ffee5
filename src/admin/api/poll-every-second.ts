/**
 * Polling: looks at something at intervals while it has a reader. Polls never overlap, and a failing one is reported
 * and stops nothing.
 */
import type { Log } from "../../engine/ports.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { every } from "../../support/machine.ts";

/** Between two looks, in milliseconds. */
const everyMs = 1000;

/** Looks at once, then every second; the answer stops it. */
export function pollEverySecond(log: Log, poll: () => Awaitable<void>): () => void {
  let isPolling = false;
  let isStopped = false;
  const once = async () => {
    if (isPolling) return;
    isPolling = true;
    try {
      await poll();
    } catch (error) {
      if (!isStopped) log.error({ error: String(error) }, "what is shown live could not be looked at");
    } finally {
      isPolling = false;
    }
  };
  const stop = every(everyMs, once);
  void once();
  return () => {
    isStopped = true;
    stop();
  };
}
