/** Part 4, `Ends: after`: an event ends the stream of whoever is told of it, so that it has to be one that the stream sends. */
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
