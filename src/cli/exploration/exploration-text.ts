/** The result of `explore` as text and as JSON. */
import type { Paint } from "../../diagnostics/formats/paint.ts";
import { sarifLine, sarifLog } from "../../diagnostics/formats/sarif.ts";
import { ownVersion } from "../version.ts";
import type { Exploration } from "../../explore/explore.ts";
import { type Finding, findingKinds } from "../../explore/findings/finding.ts";

export function explorationText(
  file: string,
  { findings, unreached, seed, requests, stories, cases }: Exploration,
  isListing: boolean,
  paint: Paint,
): string {
  const listed = isListing
    ? unreached.map(({ line, subject, why }) => `${paint("dim", `${file}:${line}`)}  ${subject}: ${why}`)
    : [];
  const count = (number: number, noun: string) => `${number} ${number === 1 ? noun : `${noun}s`}`;
  const rest =
    unreached.length === 0
      ? ""
      : `, ${unreached.length} not reached${isListing ? "" : " (--all lists them)"}`;
  return [
    ...findings.map((finding) => findingText(file, finding, paint)),
    ...(listed.length > 0
      ? [paint("bold", "Not reached by any story, which proves nothing:"), ...listed, ""]
      : []),
    `${count(findings.length, "finding")}${rest}`,
    paint(
      "dim",
      `${requests} requests in ${stories} stories; ${cases.sent} of ${cases.all} cases sent; --seed ${seed} repeats them`,
    ),
    "",
  ].join("\n");
}

function findingText(file: string, { kind, subject, line, message, story }: Finding, paint: Paint): string {
  const scenario = story?.scenario?.split("\n").map((text) => `    ${text}`);
  const requests = story?.steps.map(
    ({ request, expected, step }) =>
      `    ${step.caller}: ${request.method} ${request.target} → ${expected.status}`,
  );
  return [
    `${paint("error", "✗")} ${paint("bold", subject)}: ${findingKinds[kind]}`,
    `    ${paint("note", `${file}:${line}`)}`,
    `    ${message}`,
    ...(scenario ? ["", ...scenario] : (requests ?? [])),
    "",
  ].join("\n");
}

/** The findings as SARIF, each at its line of the document. */
export function explorationSarif(file: string, { findings }: Exploration): string {
  const kinds = [...new Set(findings.map(({ kind }) => kind))].toSorted();
  const ruleId = (kind: string) => `explore/${kind.replaceAll("'", "").replaceAll(" ", "-")}`;
  return sarifLog(
    ownVersion(),
    kinds.map((kind) => ({ id: ruleId(kind), shortDescription: { text: findingKinds[kind] } })),
    findings.map(({ kind, subject, line, message, proof, story }) => ({
      ruleId: ruleId(kind),
      level: proof === "story" ? "error" : "warning",
      message: {
        text: [`${subject}: ${message}`, ...(story?.scenario ? [story.scenario] : [])].join("\n\n"),
      },
      locations: [sarifLine(file, line)],
    })),
  );
}

export function explorationJson(
  file: string,
  { findings, unreached, seed, requests, stories, cases }: Exploration,
): object {
  return {
    file,
    ok: findings.length === 0,
    seed,
    requests,
    stories,
    cases,
    findings: findings.map(({ kind, subject, line, message, proof, story }) => ({
      kind,
      subject,
      line,
      message,
      proof,
      scenario: story?.scenario ?? null,
      requests: (story?.steps ?? []).map(({ request, expected }) => ({ request, status: expected.status })),
    })),
    not_reached: unreached,
  };
}
