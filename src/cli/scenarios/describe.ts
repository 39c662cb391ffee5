/**
 * Results of scenarios for a terminal: a line for each, and for a failed one the difference with
 * its position.
 */
import type { Paint } from "../../diagnostics/formats/paint.ts";
import { type Outcome, sidesOf } from "../../scenarios/report.ts";
import type { ScenarioResult } from "../../verify/run-scenario.ts";
import type { SideRow } from "../../verify/side-by-side.ts";
import type { ScenarioFailure } from "../../verify/scenario-failure.ts";

/** Maximum number of printed lines of a comparison of two bodies. */
const rowsMax = 60;

export function describeScenario(file: string, result: ScenarioResult, paint: Paint): string {
  const { scenario, outcome, tookMs } = result;
  const took = paint("dim", `  ${timeWords(tookMs)}`);
  if (outcome === "passed") return `${paint("good", "✓")} ${scenario.name}${took}\n`;
  if (outcome === "skipped")
    return `${paint("warning", "-")} ${scenario.name}: ${result.reason ?? "skipped"}\n`;
  const lines = [`${paint("error", "✗")} ${paint("bold", scenario.name)}${took}`];
  const last = result.steps.at(-1);
  if (last?.request)
    lines.push(`    ${last.request.method} ${last.request.target} → ${last.response?.status}`);
  for (const failure of result.failures) lines.push(...oneAboveTheOther(file, failure, paint));
  if (last) lines.push(...bodies(sidesOf(last.step, last), paint));
  return `${lines.join("\n")}\n`;
}

/** The document's line, and the expected value above the actual one. */
function oneAboveTheOther(file: string, failure: ScenarioFailure, paint: Paint): readonly string[] {
  const { line, column } = failure.position.start;
  return [
    `    ${paint("note", `${file}:${line}:${column}`)} ${failure.what}`,
    `      expected  ${paint("good", failure.expected)}`,
    `      actual    ${paint("error", failure.actual)}`,
  ];
}

/**
 * The complete response as the document sees it: matching lines, `-` missing ones, `+` unexpected
 * ones; lines that the scenario doesn't mention are dimmed.
 */
function bodies(rows: readonly SideRow[], paint: Paint): readonly string[] {
  // For a single value the lines above already show everything.
  if (rows.length < 3) return [];
  const lines = rows.flatMap(({ expected, actual, verdict }): readonly string[] => {
    if (verdict === "same") return [`      ${expected ?? actual ?? ""}`];
    if (verdict === "more") return [paint("dim", `      ${actual ?? ""}`)];
    return [
      ...(expected === null ? [] : [paint("good", `    - ${expected}`)]),
      ...(actual === null ? [] : [paint("error", `    + ${actual}`)]),
    ];
  });
  return lines.length > rowsMax ? [...lines.slice(0, rowsMax), "      …"] : lines;
}

export function describeCounts(results: readonly ScenarioResult[], paint: Paint): string {
  const count = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length;
  const [passed, failed, skipped] = [count("passed"), count("failed"), count("skipped")];
  const lines = [
    paint(failed === 0 ? "good" : "dim", `${passed} passed`),
    failed === 0 ? `${failed} failed` : paint("error", `${failed} failed`),
    ...(skipped > 0 ? [paint("warning", `${skipped} skipped`)] : []),
  ];
  const took = results.reduce((sum, { tookMs }) => sum + tookMs, 0);
  return `\n${lines.join(", ")}${paint("dim", `  ${timeWords(took)}`)}\n`;
}

function timeWords(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
