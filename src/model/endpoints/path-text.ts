/** Paths, `/repos/{owner}/{path...}`: their segments, the names of their parameters, and their texts for tools that know no rest. */

export interface PathTemplate {
  /** As written: `/parcels/{id}/collect`. */
  readonly text: string;
  readonly segments: readonly PathSegment[];
}

/** Literal text, or a parameter with text around it (`{sid}.json`). Texts are percent-decoded. */
export type PathSegment =
  | { readonly kind: "literal"; readonly text: string }
  | {
      readonly kind: "parameter";
      readonly name: string;
      readonly before: string;
      readonly behind: string;
      /** `{key...}`: it takes one or more segments; a path has at most one such parameter. */
      readonly rest?: true;
    };

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
