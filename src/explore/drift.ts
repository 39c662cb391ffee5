/**
 * Drift report: each difference between a service and its document as a scenario, with a diff of
 * the expected and the received response. An author who considers the service correct pastes the
 * scenario, and changes the document until it passes.
 */
import { scenariosStartMs } from "../scenarios/local-target.ts";
import type { Json } from "../support/json.ts";
import { lineChanges } from "../support/formats/line-changes.ts";
import type { ReceivedResponse } from "../verify/scenario-failure.ts";
import { isList, isMap } from "./comparison/compare-responses.ts";
import type { GivenStep } from "./comparison/implementation.ts";
import type { PlayedStep } from "./stories/played-step.ts";
import { scenarioText } from "./scenarios/scenario-text.ts";
import { jsonOf, runText, sentText } from "./stories/story.ts";
import type { VerifiedFault } from "./verify.ts";
import { endpointName } from "./walk/walked-step.ts";

/** Markdown, with a section for each difference. */
export function driftText(
  { file, url }: { readonly file: string; readonly url: string },
  given: readonly GivenStep[],
  faults: readonly VerifiedFault[],
): string {
  const sections = faults.map((fault) => sectionOf(file, given, fault));
  return `# ${file}: what ${url} does differently

Nothing is written into the document. If the service is right, paste a scenario of its \`+\` lines into part 1, and change
the document until \`ninefold test\` passes. If the document is right, correct the service.
${sections.length === 0 ? "\nNo response differed.\n" : sections.join("")}`;
}

function sectionOf(file: string, given: readonly GivenStep[], fault: VerifiedFault): string {
  const { endpoint, aspect, caseName, line, differences } = fault;
  const name = `${endpointName(endpoint)}: ${aspect}, ${caseName}`;
  const list = differences.map(
    ({ what, expected, actual }) =>
      `- ${what}: the document says ${code(expected)}, the service ${code(actual)}`,
  );
  const diff = diffOf(name, given, fault.steps);
  const text = diff ?? "No scenario can say it: the service sent no complete response, or a webhook differs.";
  return `
## ${name}

[Line ${line}](${file}#L${line})

${list.join("\n")}

${text}
`;
}

function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll(/\s+/g, " ")}\``;
}

/** The scenario with the last response of both. Undefined if a scenario can't express it. */
function diffOf(name: string, given: readonly GivenStep[], steps: readonly PlayedStep[]): string | undefined {
  const last = steps.at(-1);
  if (!last?.observed) return undefined;
  const comment = "What the service answered when it was compared with this document.";
  const [run = runText("aaaa")] = sentText.exec(JSON.stringify(steps.map(({ request }) => request))) ?? [];
  const text = (ending: PlayedStep): string | undefined =>
    scenarioText({
      name,
      comment,
      given,
      steps: [...steps.slice(0, -1), ending],
      last: "body",
      indent: 2,
      nowMs: scenariosStartMs,
      run,
    });
  const expected = text(last);
  const observed = text(asExpected(last, last.observed));
  if (expected === undefined || observed === undefined || expected === observed) return undefined;
  return `\`\`\`\`diff\n${markedLines(expected, observed).join("\n")}\n\`\`\`\``;
}

/** The lines of both texts, marked as in a diff. */
function markedLines(old: string, now: string): readonly string[] {
  const lines = old.split("\n");
  const marked: string[] = [];
  let at = 0;
  for (const { line, before, after } of lineChanges(old, now)) {
    marked.push(...lines.slice(at, line - 1).map((text) => ` ${text}`));
    marked.push(...before.map((text) => `-${text}`), ...after.map((text) => `+${text}`));
    at = line - 1 + before.length;
  }
  return [...marked, ...lines.slice(at).map((text) => ` ${text}`)];
}

/**
 * The step with the service's response as the expected one. Values that the document leaves open
 * stay open.
 */
function asExpected(played: PlayedStep, observed: ReceivedResponse): PlayedStep {
  const [expected, second, actual] = [played.expected, played.second, observed].map(({ body }) =>
    jsonOf(body),
  );
  const open =
    actual === undefined || expected === undefined
      ? observed.body
      : JSON.stringify(opened(actual, expected, second));
  return { ...played, expected: observed, second: { ...observed, body: open } };
}

/** The value with placeholders where the two runs of the reference differ. */
function opened(actual: Json, expected: Json, second: Json | undefined): Json {
  if (isList(actual))
    return isList(expected) && second !== undefined && isList(second)
      ? actual.map((part, at) => openedPart(part, expected[at], second[at]))
      : actual;
  if (isMap(actual))
    return isMap(expected) && second !== undefined && isMap(second)
      ? Object.fromEntries(
          Object.entries(actual).map(([key, part]) => [key, openedPart(part, expected[key], second[key])]),
        )
      : actual;
  return expected === second ? actual : `${String(actual)} or another`;
}

function openedPart(actual: Json, expected: Json | undefined, second: Json | undefined): Json {
  return expected === undefined ? actual : opened(actual, expected, second);
}
