/**
 * Retry policy: how often a delivery is retried. The event's own setting comes first, then that of
 * the part, then that of Standard Webhooks. It applies to emails and webhooks alike.
 */
import type { EventsPart } from "../../model/model.ts";
import { standardRetries } from "./limits.ts";
import type { RetryPolicy } from "./schedule.ts";

/**
 * @returns the policy for an event's name; an event that the document no longer has gets that of
 * the part
 */
export function planRetries({
  events,
  retriesMs,
  retriesJitter,
}: EventsPart): (event: string) => RetryPolicy {
  // A stated schedule is used exactly. Jitter applies only if the document states it, or to the
  // engine's default.
  const jitterOf = (isWanted: boolean) => (isWanted ? standardRetries.jitter : 0);
  const ofPart = retriesMs
    ? { pausesMs: retriesMs, jitter: jitterOf(retriesJitter === true) }
    : { pausesMs: standardRetries.pausesMs, jitter: standardRetries.jitter };
  const own = new Map(
    events.flatMap(({ name, retries }) =>
      retries ? [[name, { pausesMs: retries.pausesMs, jitter: jitterOf(retries.jitter) }] as const] : [],
    ),
  );
  return (event) => own.get(event) ?? ofPart;
}
