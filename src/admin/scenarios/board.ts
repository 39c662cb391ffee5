/**
 * Scenario board: the last result of each scenario of a served document, and the current run. Each
 * served document has its own board, because the results of another text would be wrong.
 */
import { runInWorker, type WorkerEnd } from "../../scenarios/in-worker/run-in-worker.ts";
import type { MetSide } from "../../scenarios/coverage/coverage.ts";
import { coverageOf, type CoverageReport } from "../../scenarios/coverage/report.ts";
import type { ScenarioReport } from "../../scenarios/report.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { AdminContext } from "../context.ts";

/** The result of a finished scenario, as the topic sends it. */
export interface Progress {
  readonly name: string;
  readonly outcome: ScenarioReport["outcome"];
  readonly tookMs: number;
  readonly done: number;
  readonly of: number;
}

export interface Board {
  /** The last reports by name; absent for scenarios that have not run. */
  readonly last: ReadonlyMap<string, ScenarioReport>;
  /** The progress of the run. */
  readonly running: { readonly done: number; readonly of: number } | null;
  /** How the last run ended; null before the first run. */
  readonly ended: WorkerEnd | null;
  /** Undefined while another run is in progress. */
  run(names: readonly string[]): Promise<void> | undefined;
  /** The coverage of all finished runs; null before the first run. */
  coverage(): CoverageReport | null;
  /** Subscribes to results; the returned function unsubscribes. */
  onProgress(listener: (progress: Progress) => void): () => void;
}

export const boardOf = memoizeBy(({ model, document }: AdminContext): Board => {
  const last = new Map<string, ScenarioReport>();
  const metBy = new Map<string, readonly MetSide[]>();
  const listeners = new Set<(progress: Progress) => void>();
  let running: Board["running"] = null;
  let ended: WorkerEnd | null = null;
  let report: CoverageReport | null = null;

  const start = async (names: readonly string[]): Promise<void> => {
    let done = 0;
    const of = names.length;
    running = { done, of };
    const options = { model, names, handlersAddress: document.handlersAddress, isMeasured: true };
    try {
      ended = await runInWorker(options, ({ scenario, met }) => {
        last.set(scenario.name, scenario);
        metBy.set(scenario.name, met);
        report = null;
        done += 1;
        running = { done, of };
        const { name, outcome, tookMs } = scenario;
        for (const listener of listeners) listener({ name, outcome, tookMs, done, of });
      });
    } finally {
      running = null;
    }
  };

  return {
    last,
    get running() {
      return running;
    },
    get ended() {
      return ended;
    },
    run: (names) => (running ? undefined : start(names)),
    coverage() {
      if (metBy.size === 0) return null;
      report ??= coverageOf(model, metBy);
      return report;
    },
    onProgress(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
});
