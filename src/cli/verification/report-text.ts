/** The report of `verify` as text for a terminal, as JSON, and as JUnit XML. */
import { basename } from "node:path";
import type { Paint } from "../../diagnostics/formats/paint.ts";
import { sarifLine, sarifLog } from "../../diagnostics/formats/sarif.ts";
import type { ReportRow, Verdict } from "../../explore/report.ts";
import type { CoverageReport } from "../../scenarios/coverage/report.ts";
import type { VerifiedFault, Verification } from "../../explore/verify.ts";
import { formatDuration } from "../../support/quantity.ts";
import { escapedXml } from "../scenarios/junit.ts";
import { ownVersion } from "../version.ts";
import type { SentRequest } from "../../verify/scenario-failure.ts";

const colours: Readonly<Record<Verdict, "good" | "error" | "dim" | "warning">> = {
  holds: "good",
  broken: "error",
  "not observable": "dim",
  gap: "warning",
};

export function reportText(
  file: string,
  url: URL,
  rows: readonly ReportRow[],
  { seed, requests, stories, cases, left, resumed, others }: Verification,
  paint: Paint,
): string {
  const width = Math.max(...rows.map(({ item }) => Math.min(60, item.length)), 0);
  const lines = rows.map(({ verdict, line, item, requests: sent, reason }) => {
    const what = reason ?? (sent === 0 ? "" : `${sent} ${sent === 1 ? "request" : "requests"}`);
    return `${paint(colours[verdict], verdict.padEnd(14))}  ${String(line).padStart(5)}  ${item.padEnd(width)}  ${paint("dim", what)}`;
  });
  const faults = rows.flatMap((row) => row.faults).map((fault) => faultText(file, url, fault, paint));
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
  const counts = (["holds", "broken", "not observable", "gap"] as const)
    .map((verdict) => `${count(verdict)} ${verdict}`)
    .join(", ");
  return [
    `${paint("bold", "verdict".padEnd(14))}   line  item`,
    ...lines,
    ...faults,
    "",
    counts,
    paint(
      "dim",
      `${requests} requests in ${stories} stories; ${cases.sent} of ${cases.all} cases sent; --seed ${seed} repeats them`,
    ),
    ...(resumed > 0 ? [paint("dim", `${resumed} of these requests were sent by an earlier run`)] : []),
    ...(others ? [paint("warning", othersText(others))] : []),
    ...(left > 0 ? [paint("dim", remainingText(left))] : []),
    "",
  ].join("\n");
}

/** The records of the service that the setup doesn't have, and what follows. */
export function othersText({ endpoint, listed, given }: NonNullable<Verification["others"]>): string {
  return `${endpoint} lists ${listed} ${listed === 1 ? "record" : "records"}, but the setup has ${given}: lists and webhooks were not compared. Start the service with the records of --setup and no others.`;
}

/** The records that remain in the service. */
export function remainingText(left: number): string {
  return `${left === 1 ? "1 record that it created is" : `${left} records that it created are`} still there; their texts begin with zq`;
}

function faultText(file: string, url: URL, fault: VerifiedFault, paint: Paint): string {
  const { endpoint, aspect, caseName, line, differences, steps, isRepeatable } = fault;
  const title = `${endpoint.method} ${endpoint.path.text}, ${aspect}: ${caseName}`;
  return [
    "",
    `${paint("error", "✗")} ${paint("bold", title)}${isRepeatable ? "" : " (seen once)"}`,
    `    ${paint("note", `${file}:${line}`)}`,
    ...differences
      .slice(0, 5)
      .flatMap(({ what, expected, actual }) => [
        `    ${what}`,
        `      expected  ${paint("good", expected)}`,
        `      actual    ${paint("error", actual)}`,
      ]),
    ...requestLines(url, steps).map((text) => `    ${text}`),
  ].join("\n");
}

/** Commands that send the requests again, each with the status of its response. */
export function requestLines(url: URL, steps: VerifiedFault["steps"]): readonly string[] {
  return steps.flatMap(({ step, request, observed }) => [
    ...(step.afterMs === undefined ? [] : [`# ${formatDuration(step.afterMs)} pass`]),
    `${curlLine(url, request)}   # ${observed?.status ?? "no response"}${step.concurrentGroup === undefined ? "" : ", sent at once with the others"}`,
  ]);
}

/** A command that sends the request again. */
function curlLine(url: URL, { method, target, headers, body }: SentRequest): string {
  const words = [
    "curl",
    "-i",
    ...(method === "GET" ? [] : ["-X", method]),
    ...headers.flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
    ...(body === undefined ? [] : ["--data-raw", quoted(body)]),
    quoted(`${url.href.replace(/\/$/, "")}${target}`),
  ];
  return words.join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function reportJson(
  file: string,
  url: URL,
  rows: readonly ReportRow[],
  { seed, requests, stories, cases, left, resumed, isUnfinished, others }: Verification,
  coverage: CoverageReport | undefined,
): object {
  return {
    file,
    against: url.href,
    ok: rows.every(({ verdict }) => verdict !== "broken"),
    seed,
    requests,
    resumed_requests: resumed,
    finished: !isUnfinished,
    stories,
    cases,
    records_left: left,
    ...(others ? { other_records: others } : {}),
    ...(coverage ? { coverage } : {}),
    rows: rows.map(({ faults, ...row }) => ({
      ...row,
      faults: faults.map(({ caseName, line, differences, steps, isRepeatable }) => ({
        case: caseName,
        line,
        repeatable: isRepeatable,
        differences,
        requests: steps.map(({ request, expected, observed }) => ({
          request,
          expected_status: expected.status,
          response: observed ?? null,
          curl: curlLine(url, request),
        })),
      })),
    })),
  };
}

/** The broken rows as SARIF, at their lines of the document. */
export function reportSarif(file: string, url: URL, rows: readonly ReportRow[]): string {
  const broken = rows.filter(({ verdict }) => verdict === "broken");
  const ids = [...new Set(broken.map(({ part }) => ruleId(part)))].toSorted();
  return sarifLog(
    ownVersion(),
    ids.map((id) => ({ id })),
    broken.map(({ part, item, line, reason, faults }) => {
      const what = faults.flatMap(({ differences, steps }) => [
        ...differences.map(
          (difference) => `${difference.what}: expected ${difference.expected}, actual ${difference.actual}`,
        ),
        ...steps.map(({ request }) => curlLine(url, request)),
      ]);
      const text = [item, ...(reason === undefined ? [] : [reason]), ...what].join("\n");
      return {
        ruleId: ruleId(part),
        level: "error",
        message: { text },
        locations: [sarifLine(file, line)],
      };
    }),
  );
}

function ruleId(part: string): string {
  return `verify/${part.toLowerCase().replaceAll(" ", "-")}`;
}

export function reportJunit(file: string, url: URL, rows: readonly ReportRow[]): string {
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
  const skipped = count("not observable") + count("gap");
  const counts = `tests="${rows.length}" failures="${count("broken")}" errors="0" skipped="${skipped}"`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites ${counts}>`,
    `  <testsuite name="${escapedXml(basename(file))}" ${counts}>`,
    ...rows.map((row) => junitCase(file, url, row)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function junitCase(file: string, url: URL, { part, item, line, verdict, reason, faults }: ReportRow): string {
  const head = `    <testcase classname="${escapedXml(part)}" name="${escapedXml(item)}" file="${escapedXml(file)}" line="${line}"`;
  if (verdict === "holds") return `${head}/>`;
  if (verdict !== "broken")
    return `${head}>\n      <skipped message="${escapedXml(`${verdict}: ${reason ?? ""}`)}"/>\n    </testcase>`;
  const texts = faults.map(
    ({ differences, steps }) =>
      `${differences.map(({ what, expected, actual }) => `${what}\nexpected: ${expected}\nactual: ${actual}`).join("\n")}\n${steps.map(({ request }) => curlLine(url, request)).join("\n")}`,
  );
  const failures = (texts.length > 0 ? texts : [reason ?? "broken"]).map(
    (text) => `      <failure message="${escapedXml(item)}">${escapedXml(text)}</failure>`,
  );
  return [`${head}>`, ...failures, "    </testcase>"].join("\n");
}
