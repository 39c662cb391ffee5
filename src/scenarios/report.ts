/**
 * Scenario report: the result of a scenario as plain JSON, for `--json`, for the operations API,
 * and for other threads.
 */
import type { HttpRequestText, Scenario, ScenarioStep } from "../model/model.ts";
import type { ScenarioResult, StepResult } from "../verify/run-scenario.ts";
import { type SideRow, sideBySide } from "../verify/side-by-side.ts";
import type { ScenarioFailure, SentRequest, ReceivedResponse } from "../verify/scenario-failure.ts";

export type Outcome = ScenarioResult["outcome"];

export interface ScenarioReport {
  readonly name: string;
  readonly line: number;
  readonly outcome: Outcome;
  /** Why the scenario was skipped. */
  readonly reason: string | null;
  readonly tookMs: number;
  /** All steps of the document, including those that were not reached. */
  readonly steps: readonly StepReport[];
}

export interface StepReport {
  readonly kind: ScenarioStep["kind"];
  readonly line: number;
  readonly outcome: "passed" | "failed" | "not reached";
  /** The step in words: `POST /parcels`, `Wait: 14 days`. */
  readonly words: string;
  /** The request as sent, or as written, with captures, if it was not sent. */
  readonly request: MessageReport | null;
  /** The response as written. */
  readonly expected: MessageReport | null;
  readonly got: MessageReport | null;
  readonly differences: readonly Difference[];
  /** The expected body next to the actual one; empty if they don't differ. */
  readonly sides: readonly SideRow[];
}

export interface MessageReport {
  /** The first line: `POST /parcels`, `HTTP 201`. */
  readonly first: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
}

export interface Difference {
  readonly line: number;
  readonly column: number;
  /** The compared part: `status`, `header Location`, `body articles[0].slug`. */
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

/** The maximum length of a reported body, in characters. */
const bodyLengthMax = 20_000;

export function reportScenario({ scenario, outcome, reason, steps, tookMs }: ScenarioResult): ScenarioReport {
  return {
    name: scenario.name,
    line: scenario.position.start.line,
    outcome,
    reason: reason ?? null,
    tookMs: Math.round(tookMs * 10) / 10,
    steps: scenario.steps.map((step, at) => reportStep(step, steps[at])),
  };
}

/** The steps of a scenario that has not run. */
export function reportSkipped(scenario: Scenario): readonly StepReport[] {
  return scenario.steps.map((step) => reportStep(step, undefined));
}

function reportStep(step: ScenarioStep, result: StepResult | undefined): StepReport {
  const failures = result?.failures ?? [];
  const isExchange = step.kind === "exchange";
  return {
    kind: step.kind,
    line: step.position.start.line,
    outcome: !result ? "not reached" : failures.length > 0 ? "failed" : "passed",
    words: wordsOf(step),
    request: isExchange ? (result?.request ? sent(result.request) : written(step.request)) : null,
    expected: isExchange
      ? {
          first: `HTTP ${step.response.status}`,
          headers: step.response.headers.map(({ name, value }) => [name, value]),
          body: step.response.body?.text ?? null,
        }
      : null,
    got: result?.response ? received(result.response) : null,
    differences: failures.map(reportDifference),
    sides: sidesOf(step, result),
  };
}

function reportDifference({ position, what, expected, actual }: ScenarioFailure): Difference {
  const { line, column } = position.start;
  return { line, column, what, expected, actual: cut(actual) };
}

/** Pairs of bodies: of the response, and of the most similar event. */
export function sidesOf(step: ScenarioStep, result: StepResult | undefined): readonly SideRow[] {
  const places = (result?.failures ?? []).flatMap(({ path }) => (path === undefined ? [] : [path]));
  if (step.kind !== "exchange" || !result?.response || places.length === 0) return [];
  const { body } = step.response;
  return body ? sideBySide(body.text, result.response.body, places) : [];
}

function wordsOf(step: ScenarioStep): string {
  switch (step.kind) {
    case "exchange":
      return `${step.request.method} ${step.request.target}`;
    case "given":
      return `Given ${step.resource}${step.as === undefined ? "" : ` as ${step.as}`}`;
    case "wait":
      return `Wait ${durationWords(step.milliseconds)}`;
    case "event":
      return `Event ${step.event}`;
  }
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
  ["millisecond", 1],
] as const;

/** A duration in the largest unit without a fraction: `14 days`, `90 seconds`. */
function durationWords(milliseconds: number): string {
  const [unit, size] = units.find(([, each]) => milliseconds % each === 0) ?? ["millisecond", 1];
  const count = milliseconds / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function sent({ method, target, headers, body }: SentRequest): MessageReport {
  return { first: `${method} ${target}`, headers, body: body === undefined ? null : cut(body) };
}

function written({ method, target, headers, body }: HttpRequestText): MessageReport {
  return {
    first: `${method} ${target}`,
    headers: headers.map(({ name, value }) => [name, value]),
    body: body ? cut(body.text) : null,
  };
}

function received({ status, headers, body }: ReceivedResponse): MessageReport {
  return { first: `HTTP ${status}`, headers, body: body === "" ? null : cut(body) };
}

function cut(text: string): string {
  return text.length > bodyLengthMax ? `${text.slice(0, bodyLengthMax)}…` : text;
}
