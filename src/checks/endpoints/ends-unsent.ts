/**
 * Part 4, `Ends: after`: an event ends the stream that delivers it, so the stream must send that
 * event.
 */
import type { Check } from "../check.ts";

export const streamEndsUnsent: Check = (model, reporter) => {
  for (const { stream } of model.endpoints) {
    const sent = new Set(stream?.sends.flatMap((sent) => sent.events));
    for (const end of stream?.ends ?? []) {
      if ("after" in end && sent.size > 0 && !sent.has(end.after))
        reporter.report("endpoints/ends-unsent", end.position, { event: end.after });
    }
  }
};
