/** The results of scenarios as JUnit XML, which CI systems read. */
import { basename } from "node:path";
import type { ScenarioResult } from "../../verify/run-scenario.ts";

export function junitText(file: string, results: readonly ScenarioResult[]): string {
  const failed = results.filter((result) => result.outcome === "failed").length;
  const skipped = results.filter(
    (result) => result.outcome !== "failed" && result.outcome !== "passed",
  ).length;
  const seconds = secondsOf(results.reduce((sum, { tookMs }) => sum + tookMs, 0));
  const counts = `tests="${results.length}" failures="${failed}" errors="0" skipped="${skipped}" time="${seconds}"`;
  const name = escapedXml(basename(file));
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites ${counts}>`,
    `  <testsuite name="${name}" ${counts}>`,
    ...results.map((result) => caseOf(file, result)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function caseOf(file: string, { scenario, outcome, reason, tookMs, failures }: ScenarioResult): string {
  const line = scenario.position.start.line;
  const head = `    <testcase classname="${escapedXml(basename(file))}" name="${escapedXml(scenario.name)}" file="${escapedXml(file)}" line="${line}" time="${secondsOf(tookMs)}"`;
  if (outcome === "passed") return `${head}/>`;
  if (outcome !== "failed")
    return `${head}>\n      <skipped message="${escapedXml(reason ?? outcome)}"/>\n    </testcase>`;
  const messages = failures.map(({ position, what, expected, actual }) => {
    const at = `${file}:${position.start.line}:${position.start.column}`;
    return `      <failure message="${escapedXml(what)}">${escapedXml(`${at} ${what}\nexpected: ${expected}\nactual: ${actual}`)}</failure>`;
  });
  return [
    `${head}>`,
    ...(messages.length === 0 ? [`      <failure message="${escapedXml(reason ?? "failed")}"/>`] : messages),
    "    </testcase>",
  ].join("\n");
}

function secondsOf(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** Most control characters are not allowed in XML, even escaped. */
export function escapedXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
}
