/** A reporter that discards everything. */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";

/** A reporter without effect, for what depends on something that was already reported. */
export function silentReporter(reporter: Reporter): Reporter {
  return {
    source: reporter.source,
    diagnostics: [],
    report() {},
    silently: (work) => ({ value: work(), failed: false }),
  };
}
