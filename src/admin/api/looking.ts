/** Looks at something every so often while somebody reads: never twice at a time, and what fails is told and stops nothing. */
import type { Log } from "../../engine/ports.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import { every } from "../../support/machine.ts";

/** Between two looks, in milliseconds. */
const everyMs = 1000;

/** Looks at once, then every second; the answer stops it. */
export function lookEverySecond(log: Log, look: () => Awaitable<void>): () => void {
  let isLooking = false;
  let isStopped = false;
  const once = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      await look();
    } catch (error) {
      if (!isStopped) log.error({ error: String(error) }, "what is shown live could not be looked at");
    } finally {
      isLooking = false;
    }
  };
  const stop = every(everyMs, once);
  void once();
  return () => {
    isStopped = true;
    stop();
  };
}
