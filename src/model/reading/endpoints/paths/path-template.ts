/**
 * Path templates as headings write them, `/repos/{owner}/{repo}`: parses and compares them.
 * `path-records.ts` decides which record a path means, and the engine matches requests.
 */
import { isRest } from "../../../endpoints/path-text.ts";
import type { Reporter } from "../../../../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../../../../source/phrase.ts";
import type { PathSegment, PathTemplate } from "../../../model.ts";

export const emptyPath: PathTemplate = { text: "", segments: [] };

/** Maximum number of segments of a path, more than any known one has. */
const segmentsMax = 32;

/** Reads a path. If it is invalid, reports it and returns undefined. A final slash is dropped. */
export function parsePathTemplate(phrase: Phrase, reporter: Reporter): PathTemplate | undefined {
  const { text } = phrase;
  const problem = problemOf(text);
  if (problem) {
    reporter.report("endpoints/bad-path", positionIn(phrase, problem.from, problem.to), {
      text: text.slice(problem.from, problem.to),
      advice: problem.advice,
    });
    return undefined;
  }
  const written = text.replace(/\/$/, "");
  const segments: PathSegment[] = [];
  const names = new Set<string>();
  let at = 0;
  for (const part of written === "" ? [] : written.slice(1).split("/")) {
    const from = at + 1;
    at = from + part.length;
    const segment = parseSegment(part);
    if (typeof segment === "string") {
      reporter.report("endpoints/bad-path", positionIn(phrase, from, at), { text: part, advice: segment });
      return undefined;
    }
    if (segment.kind === "parameter") {
      if (segment.rest && segments.some(isRest)) {
        const advice =
          "Write `...` in only one parameter of a path: with two, the end of the first is unknown.";
        reporter.report("endpoints/bad-path", positionIn(phrase, from, at), { text: part, advice });
        return undefined;
      }
      if (names.has(segment.name)) {
        reporter.report("endpoints/parameter-twice", positionIn(phrase, from, at), { name: segment.name });
        return undefined;
      }
      names.add(segment.name);
    }
    segments.push(segment);
  }
  return { text: written, segments };
}

interface PathProblem {
  readonly from: number;
  readonly to: number;
  readonly advice: string;
}

/** What is wrong with the complete text. Segments are checked one by one. */
function problemOf(text: string): PathProblem | undefined {
  const whole = { from: 0, to: text.length };
  if (text === "") return { ...whole, advice: "Write a path, such as `/parcels/{id}`." };
  if (/^[a-z]+:\/\//i.test(text))
    return { ...whole, advice: "Write the path alone, without the address of a server." };
  if (!text.startsWith("/")) return { ...whole, advice: `Write \`/${text}\`. A path begins with a slash.` };
  const mark = text.search(/[?#]/);
  if (mark !== -1) {
    const advice =
      "Name query parameters under `- Query:` or in a table of inputs: they are not part of a path.";
    return { from: mark, to: text.length, advice };
  }
  const blank = text.search(/\s/);
  if (blank !== -1)
    return {
      from: blank,
      to: text.length,
      advice:
        "End the heading after the path, and describe the endpoint below it. A path has no blanks: write `%20` for one.",
    };
  const double = text.indexOf("//");
  if (double !== -1) return { from: double, to: double + 2, advice: "Write one slash between two segments." };
  if (text.split("/").length > segmentsMax + 1)
    return { ...whole, advice: `A path has at most ${segmentsMax} segments.` };
  return undefined;
}

/** Reads a segment. If it is invalid, returns what to write instead. */
function parseSegment(part: string): PathSegment | string {
  const match = /^([^{}]*)\{([^{}]*?)(\.\.\.)?\}([^{}]*)$/.exec(part);
  if (match) {
    const [, before = "", name = "", rest, behind = ""] = match;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return nameAdvice(name);
    if (rest !== undefined && before + behind !== "")
      return `Write \`{${name}...}\` alone between two slashes, without text around it.`;
    const texts = [decode(before), decode(behind)];
    if (texts.includes(undefined)) return "Write `%` as `%25`.";
    const advice = texts.map((text) => unreachable(`${text}x`)).find((advice) => advice !== undefined);
    if (advice !== undefined) return advice;
    const [textBefore, textBehind] = texts as [string, string];
    const parameter = { kind: "parameter", name, before: textBefore, behind: textBehind } as const;
    return rest === undefined ? parameter : { ...parameter, rest: true };
  }
  if (/[{}]/.test(part)) {
    return (part.match(/\{/g) ?? []).length > 1
      ? "Write one parameter in a segment, optionally with text around it."
      : "Write a parameter as `{name}`.";
  }
  if (/^[:*]/.test(part))
    return `Write \`{${part.replace(/\W/g, "") || "name"}}\`. A parameter is written in braces.`;
  const text = decode(part);
  if (text === undefined) return "Write `%` as `%25`.";
  return unreachable(text) ?? { kind: "literal", text };
}

/** Whether no request can contain the segment: clients and proxies remove dot segments, and the service rejects the rest. */
function unreachable(text: string): string | undefined {
  if (text === "." || text === "..") return "Remove the segment: no request can contain a segment of dots.";
  if (text.includes("\0")) return "Remove U+0000: no request can contain it.";
  return undefined;
}

function nameAdvice(name: string): string {
  const several = /^(?:[+*.]+(\w*)|(\w*?)[+*])$/.exec(name);
  if (several)
    return `Write \`{${several[1] || several[2] || "rest"}...}\` for a parameter that takes several segments.`;
  const better = name
    .replace(/\W+/g, "_")
    .replace(/^_+|_+$/g, "")
    .replace(/^(?=\d)/, "_");
  return `Write \`{${better || "name"}}\`. The name of a parameter has letters, digits and \`_\`.`;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The names of the parameters, from left to right. */
export function parametersOf(path: PathTemplate): string[] {
  return path.segments.flatMap((segment) => (segment.kind === "parameter" ? [segment.name] : []));
}

/**
 * Part 4, Paths: a path heading applies to everything at or below it, as written. The texts of all
 * such headings, the shortest first.
 */
export function pathsAbove(path: PathTemplate): string[] {
  const segments = path.text.split("/");
  return segments.map((_, at) => segments.slice(0, at + 1).join("/"));
}

/** The form of a path, without the names of parameters. Paths of equal form match the same requests. */
export function formOf(path: PathTemplate): string {
  return path.segments
    .map((segment) =>
      segment.kind === "literal"
        ? encodeURIComponent(segment.text)
        : `${encodeURIComponent(segment.before)}{${segment.rest ? "..." : ""}}${encodeURIComponent(segment.behind)}`,
    )
    .join("/");
}

/** The path up to the segment with the parameter, inclusive. */
export function pathToParameter(path: PathTemplate, parameter: string): PathTemplate {
  const count =
    path.segments.findIndex((segment) => segment.kind === "parameter" && segment.name === parameter) + 1;
  return {
    text: path.text
      .split("/")
      .slice(0, count + 1)
      .join("/"),
    segments: path.segments.slice(0, count),
  };
}
