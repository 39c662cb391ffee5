/** Runs one scenario of an open document, in the thread in which scenarios run next to a service. */
import type { Model } from "../model/model.ts";
import { runInWorker } from "../scenarios/in-worker/run-in-worker.ts";
import type { ScenarioReport } from "../scenarios/report.ts";

export interface ScenarioOutcome {
  readonly isPassed: boolean;
  /** One line for a message of the editor. */
  readonly text: string;
}

/** How long one scenario may take, in milliseconds. */
const timeoutMs = 30_000;

export async function runScenario(model: Model | undefined, name: string): Promise<ScenarioOutcome> {
  if (!model) return failed("The document has mistakes. Correct them before you run a scenario.");
  if (!model.scenarios.some((scenario) => scenario.name === name))
    return failed(`The document has no scenario "${name}".`);
  const reports: ScenarioReport[] = [];
  const request = { model, names: [name], handlersAddress: undefined, isMeasured: false };
  const { stopped, complaints } = await runInWorker(
    request,
    ({ scenario }) => reports.push(scenario),
    timeoutMs,
  );
  const [report] = reports;
  if (!report) return failed(`${name}: ${stopped ?? complaints}`);
  return { isPassed: report.outcome !== "failed", text: describe(report) };
}

function failed(text: string): ScenarioOutcome {
  return { isPassed: false, text };
}

function describe({ name, outcome, reason, steps }: ScenarioReport): string {
  if (outcome !== "failed") return `${name}: ${outcome}${reason === null ? "" : ` (${reason})`}.`;
  const step = steps.find((stepReport) => stepReport.outcome === "failed");
  const difference = step?.differences[0];
  if (!difference) return `${name}: failed at line ${step?.line ?? 0}.`;
  return `${name}: failed at line ${difference.line}, ${difference.what}. Expected ${difference.expected}, got ${difference.actual}.`;
}
