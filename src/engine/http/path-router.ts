/**
 * Path router: finds the endpoint for a method and a path. `strict-request.ts` validates and
 * decodes paths; the creator of the routes adds base paths and versions.
 *
 * Part 4: a literal segment takes precedence over a parameter, from left to right. Of the matching
 * routes, the first in that order that has the method is used, so `DELETE /articles/feed` refers to
 * the article `feed` if only `GET /articles/feed` is a separate path. If none has the method,
 * `Allow` lists all their methods. A rest (`{key...}`) comes last: it takes as few segments as the
 * route leaves, so that a longer text behind it takes precedence over a shorter one.
 */
import type { PathSegment } from "../../model/model.ts";
import { bareObject } from "../../support/bare-object.ts";

export interface Route<T> {
  readonly method: string;
  readonly segments: readonly PathSegment[];
  readonly endpoint: T;
}

export type RouteResult<T> =
  | { readonly kind: "found"; readonly endpoint: T; readonly parameters: Readonly<Record<string, string>> }
  /** `allowed`: the methods of `Allow`, with `HEAD` if `GET` is among them. */
  | {
      readonly kind: "method not allowed";
      readonly allowed: readonly string[];
      /** A route with this path. */
      readonly instead: T;
    }
  | { readonly kind: "unknown path" };

export interface Router<T> {
  /**
   * `segments` are decoded; a final slash makes no segment. `endsInSlash`: the path ends in a
   * slash, which belongs to the value of a rest at its end.
   */
  find(method: string, segments: readonly string[], endsInSlash?: boolean): RouteResult<T>;
}

/** The continuation of the routes after a prefix of segments. */
interface Branch<T> {
  readonly literals: Map<string, Branch<T>>;
  /** The most literal text first. */
  readonly parameters: ParameterBranch<T>[];
  /** The branch after `{key...}`, if a route has a rest here. */
  rest?: Branch<T>;
  /** Routes that end here, by method. */
  readonly ends: Map<string, RouteEnd<T>>;
}

interface ParameterBranch<T> {
  readonly before: string;
  readonly behind: string;
  readonly branch: Branch<T>;
}

interface RouteEnd<T> {
  readonly endpoint: T;
  /** Names of the parameters from left to right; routes that share a branch may name them differently. */
  readonly names: readonly string[];
}

/** If two routes have the same method and shape, the first is used. */
export function createRouter<T>(routes: Iterable<Route<T>>): Router<T> {
  const root = createBranch<T>();
  for (const route of routes) addRoute(root, route);
  return {
    find: (method, segments, endsInSlash = false) => findRoute(root, method, segments, endsInSlash),
  };
}

function createBranch<T>(): Branch<T> {
  return { literals: new Map(), parameters: [], ends: new Map() };
}

function addRoute<T>(root: Branch<T>, route: Route<T>): void {
  let branch = root;
  const names: string[] = [];
  for (const segment of route.segments) {
    if (segment.kind === "parameter") names.push(segment.name);
    if (segment.kind === "literal") branch = literalBranch(branch, segment.text);
    else if (segment.rest) branch = branch.rest ??= createBranch();
    else branch = parameterBranch(branch, segment);
  }
  if (!branch.ends.has(route.method)) branch.ends.set(route.method, { endpoint: route.endpoint, names });
}

function literalBranch<T>(branch: Branch<T>, text: string): Branch<T> {
  let next = branch.literals.get(text);
  if (!next) {
    next = createBranch();
    branch.literals.set(text, next);
  }
  return next;
}

function parameterBranch<T>(
  branch: Branch<T>,
  segment: { readonly before: string; readonly behind: string },
): Branch<T> {
  const known = branch.parameters.find(
    (other) => other.before === segment.before && other.behind === segment.behind,
  );
  if (known) return known.branch;
  const next = createBranch<T>();
  branch.parameters.push({ before: segment.before, behind: segment.behind, branch: next });
  branch.parameters.sort((a, b) => literalLength(b) - literalLength(a));
  return next;
}

function literalLength(parameter: { readonly before: string; readonly behind: string }): number {
  return parameter.before.length + parameter.behind.length;
}

/** The state of a search: segments, parameters so far, and the methods of paths that matched. */
interface Search {
  readonly method: string;
  readonly segments: readonly string[];
  readonly endsInSlash: boolean;
  readonly values: string[];
  allowed: Set<string> | undefined;
  instead: unknown;
}

function findRoute<T>(
  root: Branch<T>,
  method: string,
  segments: readonly string[],
  endsInSlash: boolean,
): RouteResult<T> {
  const search: Search = {
    method,
    segments,
    endsInSlash,
    values: [],
    allowed: undefined,
    instead: undefined,
  };
  const end = walk(root, 0, search);
  if (end)
    return { kind: "found", endpoint: end.endpoint, parameters: namedValues(end.names, search.values) };
  if (search.allowed)
    return {
      kind: "method not allowed",
      allowed: [...search.allowed].sort(),
      instead: search.instead as T,
    };
  return { kind: "unknown path" };
}

/**
 * Visits each branch at most once, and branches after a rest at most once for each segment. So the
 * number of matching routes bounds the cost.
 */
function walk<T>(branch: Branch<T>, depth: number, search: Search): RouteEnd<T> | undefined {
  if (depth === search.segments.length) return endFor(branch, search);
  const segment = search.segments[depth] as string;
  const literal = branch.literals.get(segment);
  const found = literal && walk(literal, depth + 1, search);
  if (found) return found;
  for (const parameter of branch.parameters) {
    const value = parameterValue(segment, parameter.before, parameter.behind);
    if (value === undefined) continue;
    search.values.push(value);
    const end = walk(parameter.branch, depth + 1, search);
    if (end) return end;
    search.values.pop();
  }
  return branch.rest && walkRest(branch.rest, depth, search);
}

/** A path has one rest, so the walk after it meets no other. */
function walkRest<T>(branch: Branch<T>, depth: number, search: Search): RouteEnd<T> | undefined {
  const { segments, endsInSlash, values } = search;
  const place = values.push("") - 1;
  for (let next = depth + 1; next <= segments.length; next += 1) {
    const end = walk(branch, next, search);
    if (!end) continue;
    const slash = next === segments.length && endsInSlash ? "/" : "";
    values[place] = segments.slice(depth, next).join("/") + slash;
    return end;
  }
  values.pop();
  return undefined;
}

function endFor<T>(branch: Branch<T>, search: Search): RouteEnd<T> | undefined {
  const end =
    branch.ends.get(search.method) ?? (search.method === "HEAD" ? branch.ends.get("GET") : undefined);
  if (end) return end;
  if (branch.ends.size > 0) {
    search.allowed ??= new Set();
    search.instead ??= branch.ends.values().next().value?.endpoint;
    for (const method of branch.ends.keys()) search.allowed.add(method);
    if (branch.ends.has("GET")) search.allowed.add("HEAD");
  }
  return undefined;
}

/**
 * Returns the value of a parameter in a segment: at least one character between its literal texts.
 */
function parameterValue(segment: string, before: string, behind: string): string | undefined {
  if (before === "" && behind === "") return segment === "" ? undefined : segment;
  if (segment.length <= before.length + behind.length) return undefined;
  if (!segment.startsWith(before) || !segment.endsWith(behind)) return undefined;
  return segment.slice(before.length, segment.length - behind.length);
}

function namedValues(names: readonly string[], values: readonly string[]): Record<string, string> {
  const named = bareObject<Record<string, string>>();
  for (let index = 0; index < names.length; index += 1)
    named[names[index] as string] = values[index] as string;
  return named;
}
