/**
 * Scenario trial: checks and runs a scenario that the operator considers pasting into the document.
 */
import { compileInWorker } from "../../compile-in-worker.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { runInWorker } from "../../scenarios/in-worker/run-in-worker.ts";
import { insertScenario } from "../../scenarios/insert-scenario.ts";
import type { ScenarioReport } from "../../scenarios/report.ts";
import { OperationRefusal } from "../api/routing/refusal.ts";
import type { ServedDocument } from "../context.ts";

/** The maximum number of scenarios in one trial. */
const triedMax = 10;
/** The time limit for all of them, in milliseconds. */
const timeoutMs = 30_000;

export interface TriedScenario {
  /** The line of the document before which the scenario would be inserted. */
  readonly before: number;
  /** Mistakes in the scenario, with line numbers within its own text. */
  readonly mistakes: readonly TriedMistake[];
  readonly scenarios: readonly ScenarioReport[];
  readonly stopped: string | null;
}

export interface TriedMistake {
  readonly line: number;
  readonly column: number;
  readonly severity: Diagnostic["severity"];
  readonly message: string;
  readonly hint: string | null;
}

/** @throws OperationRefusal */
export async function tryScenario(document: ServedDocument, markdown: string): Promise<TriedScenario> {
  const { file, text, handlersAddress } = document;
  const inserted = insertScenario(file, text, markdown);
  if (!inserted)
    throw new OperationRefusal(
      409,
      "No part 1",
      "The document has no part `## What the service does`, which contains the scenarios.",
    );
  const { first, last } = inserted;
  const isIn = (line: number) => line >= first && line <= last;
  const { model, diagnostics } = await compileInWorker(inserted.text, { file });
  const mistakes = diagnostics
    .filter((diagnostic) => diagnostic.kind === "mistake" && isIn(diagnostic.position.start.line))
    .map((diagnostic) => toTriedMistake(diagnostic, first));
  const isWrong = diagnostics.some(
    (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
  );
  const own = model?.scenarios.filter(({ position }) => isIn(position.start.line)) ?? [];
  const context = { before: first, mistakes };
  if (isWrong && mistakes.length === 0) throw breaksDocument(diagnostics);
  if (own.length === 0 && !isWrong)
    throw new OperationRefusal(
      422,
      "No scenario",
      "A scenario starts with the line `### Scenario: its name`.",
    );
  if (!model || isWrong) return { ...context, scenarios: [], stopped: null };
  const scenarios: ScenarioReport[] = [];
  const names = own.slice(0, triedMax).map(({ name }) => name);
  const options = { model, names, handlersAddress, isMeasured: false };
  const { stopped } = await runInWorker(
    options,
    ({ scenario }) => scenarios.push(fromFirst(scenario, first)),
    timeoutMs,
  );
  return { ...context, scenarios, stopped };
}

/** The refusal of a text that causes mistakes in other parts of the document. */
function breaksDocument(diagnostics: readonly Diagnostic[]): OperationRefusal {
  const mistake = diagnostics.find(({ kind, severity }) => kind === "mistake" && severity === "error");
  return new OperationRefusal(
    422,
    "The document would have a mistake",
    `With this scenario in part 1, line ${mistake?.position.start.line ?? 1} has a mistake: ${mistake?.message ?? ""}`,
  );
}

function toTriedMistake({ position, severity, message, hint }: Diagnostic, first: number): TriedMistake {
  const { line, column } = position.start;
  return { line: line - first + 1, column, severity, message, hint: hint ?? null };
}

/**
 * The report with line numbers within the scenario's own text, because the document doesn't contain
 * it yet.
 */
function fromFirst(scenario: ScenarioReport, first: number): ScenarioReport {
  const own = (line: number) => line - first + 1;
  return {
    ...scenario,
    line: own(scenario.line),
    steps: scenario.steps.map((step) => ({
      ...step,
      line: own(step.line),
      differences: step.differences.map((difference) => ({ ...difference, line: own(difference.line) })),
    })),
  };
}
