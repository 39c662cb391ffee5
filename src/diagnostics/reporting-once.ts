/** A reporter that tells each thing once. */
import type { Reporter } from "./diagnostic.ts";

/** Tells each thing once: items that hold for many endpoints are bound, and found wrong, for each of them. */
export function reportingOnce(reporter: Reporter): Reporter {
  let reported = new Set<string>();
  return {
    source: reporter.source,
    get diagnostics() {
      return reporter.diagnostics;
    },
    report(code, position, params, related) {
      const key = `${code} ${position.start.offset} ${position.end.offset}`;
      if (reported.has(key)) return;
      reported.add(key);
      reporter.report(code, position, params, related);
    },
    silently(work) {
      // What is said silently has not been told, and counts as wrong again when it is asked again.
      const saved = reported;
      reported = new Set();
      try {
        return reporter.silently(work);
      } finally {
        reported = saved;
      }
    },
  };
}
