/** Deduplicating reporter: it reports each diagnostic once. */
import type { Reporter } from "./diagnostic.ts";

/**
 * Reports each diagnostic once, because items that several endpoints share are bound for each
 * endpoint.
 */
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
      // A silent run reports nothing to the user: the same diagnostic must be reported when the
      // work runs again.
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
