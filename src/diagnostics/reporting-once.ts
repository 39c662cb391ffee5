/** A reporter that tells each thing once. */
import type { Reporter } from "./diagnostic.ts";

/** Tells each thing once: items that hold for many endpoints are bound, and found wrong, for each of them. */
export function reportingOnce(reporter: Reporter): Reporter {
  let told = new Set<string>();
  return {
    source: reporter.source,
    get diagnostics() {
      return reporter.diagnostics;
    },
    report(code, position, params, related) {
      const key = `${code} ${position.start.offset} ${position.end.offset}`;
      if (told.has(key)) return;
      told.add(key);
      reporter.report(code, position, params, related);
    },
    silently(work) {
      // What is said silently has not been told, and counts as wrong again when it is asked again.
      const kept = told;
      told = new Set();
      try {
        return reporter.silently(work);
      } finally {
        told = kept;
      }
    },
  };
}
