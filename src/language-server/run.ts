/**
 * Runs a scenario of an open document, or sends a scenario's request to an endpoint, in the thread
 * that runs scenarios next to a service.
 */
import type { Model } from "../model/model.ts";
import { exchangesOf, operationOf, pathOfTarget } from "../outputs/wire/examples.ts";
import { runInWorker } from "../scenarios/in-worker/run-in-worker.ts";
import type { MessageReport, ScenarioReport } from "../scenarios/report.ts";

export interface Outcome {
  readonly isPassed: boolean;
  /** The text of a message in the editor. */
  readonly text: string;
}

/** The timeout of one scenario, in milliseconds. */
const timeoutMs = 30_000;

export async function runScenario(model: Model | undefined, name: string): Promise<Outcome> {
  if (!model) return failed("The document has mistakes. Correct them before you run a scenario.");
  if (!model.scenarios.some((scenario) => scenario.name === name))
    return failed(`The document has no scenario "${name}".`);
  const report = await reportOf(model, name);
  if (typeof report === "string") return failed(`${name}: ${report}`);
  return { isPassed: report.outcome !== "failed", text: describe(report) };
}

/**
 * Sends the first request of a scenario that is for the endpoint, and returns the service's
 * response.
 */
export async function tryEndpoint(model: Model | undefined, method: string, path: string): Promise<Outcome> {
  if (!model) return failed("The document has mistakes. Correct them before you try an endpoint.");
  const endpoints = model.endpoints.map((endpoint) => ({
    method: endpoint.method,
    path: endpoint.path.text,
  }));
  const basePath = model.endpointsPart.basePath.text.replace(/\/$/, "");
  const exchange = exchangesOf(model).find(({ request }) => {
    const segments = pathOfTarget(request.target);
    const found = segments && operationOf(endpoints, basePath, request.method, segments);
    return found?.method === method && found.path === path;
  });
  if (!exchange)
    return failed(`No scenario sends a request to ${method} ${path}. Write one into part 1, and try again.`);
  const report = await reportOf(model, exchange.scenario);
  if (typeof report === "string") return failed(`${exchange.scenario}: ${report}`);
  const step = report.steps.find(({ line }) => line === exchange.position.start.line);
  if (!step?.request || !step.got) return failed(describe(report));
  return {
    isPassed: step.outcome === "passed",
    text: `${messageText(step.request)}\n\n${messageText(step.got)}\n\nFrom the scenario "${report.name}".`,
  };
}

function messageText({ first, headers, body }: MessageReport): string {
  const head = [first, ...headers.map(([name, value]) => `${name}: ${value}`)].join("\n");
  return body === null || body === "" ? head : `${head}\n\n${body}`;
}

/** The report of one scenario, or why it has none. */
async function reportOf(model: Model, name: string): Promise<ScenarioReport | string> {
  const reports: ScenarioReport[] = [];
  const request = { model, names: [name], handlersAddress: undefined, isMeasured: false };
  const { stopped, complaints } = await runInWorker(
    request,
    ({ scenario }) => reports.push(scenario),
    timeoutMs,
  );
  return reports[0] ?? stopped ?? complaints;
}

function failed(text: string): Outcome {
  return { isPassed: false, text };
}

function describe({ name, outcome, reason, steps }: ScenarioReport): string {
  if (outcome !== "failed") return `${name}: ${outcome}${reason === null ? "" : ` (${reason})`}.`;
  const step = steps.find((stepReport) => stepReport.outcome === "failed");
  const difference = step?.differences[0];
  if (!difference) return `${name}: failed at line ${step?.line ?? 0}.`;
  return `${name}: failed at line ${difference.line}, ${difference.what}. Expected ${difference.expected}, got ${difference.actual}.`;
}
