/**
 * Retry policy: how often a delivery is tried again. The event's own setting comes first, then the part's, then that
 * of Standard Webhooks. It applies to emails as to webhooks.
 */
import type { EventsPart } from "../../model/model.ts";
import { standardRetries } from "./limits.ts";
import type { RetryPolicy } from "./schedule.ts";

/** @returns the policy of an event by its name; an event that the document has no more has the part's */
export function planRetries({
  events,
  retriesMs,
  retriesJitter,
}: EventsPart): (event: string) => RetryPolicy {
  // A stated schedule is used exactly. It has jitter only if it says so, or if it is the engine's
  // default.
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
