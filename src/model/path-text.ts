/** Paths as texts, `/repos/{owner}/{path...}`: the names of their parameters, and the text for tools that know no rest. */
import type { PathSegment } from "./model.ts";

const parameterForm = /\{([^{}]+?)(\.\.\.)?\}/g;

/** The names of the parameters, from left to right. */
export function parameterNames(path: string): readonly string[] {
  return [...path.matchAll(parameterForm)].map(([, name = ""]) => name);
}

/** `{key}` for `{key...}`: a description format without a rest has each value as one segment. */
export function withoutRests(path: string): string {
  return path.replaceAll(parameterForm, "{$1}");
}

/** Whether a segment takes several of a request's: `{key...}`. */
export function isRest(segment: PathSegment): boolean {
  return segment.kind === "parameter" && segment.rest === true;
}
