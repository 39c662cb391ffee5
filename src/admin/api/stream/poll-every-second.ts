/**
 * Polling: calls a function at intervals while it has a reader. Calls never overlap. A failed call
 * is logged, and polling continues.
 */
import type { Log } from "../../../engine/ports.ts";
import type { Awaitable } from "../../../support/awaitable.ts";
import { every } from "../../../support/machine.ts";

/** The interval between two calls, in milliseconds. */
const everyMs = 1000;

/** Polls at once, and then every second. The returned function stops it. */
export function pollEverySecond(log: Log, poll: () => Awaitable<void>): () => void {
  let isPolling = false;
  let isStopped = false;
  const once = async () => {
    if (isPolling) return;
    isPolling = true;
    try {
      await poll();
    } catch (error) {
      if (!isStopped) log.error({ error: String(error) }, "the query for live updates failed");
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
