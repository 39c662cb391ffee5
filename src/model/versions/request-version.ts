/**
 * The version that a request names (part 9). Scenarios, exports, the documentation site, the console
 * and the first request that `serve` prints all use this file, so they name the same version in the
 * same place.
 */
import type { VersioningPart } from "../model.ts";

export interface VersionedRequest {
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** Where a request names a version. Undefined if the document has no scheme. */
export type VersionPlace =
  | { readonly in: "path"; readonly prefix: string }
  | { readonly in: "header" | "query"; readonly name: string; readonly value: string };

/** The name of the current version, which a scenario uses by default. */
export function currentVersion({ versions }: VersioningPart): string | undefined {
  return versions.find((version) => version.status === "current")?.name;
}

/** Where a request names this version. */
export function versionPlace({ scheme }: VersioningPart, version: string): VersionPlace | undefined {
  switch (scheme?.kind) {
    case "path prefix":
      return { in: "path", prefix: `/${version}` };
    case "header":
    case "query":
      return { in: scheme.kind, name: scheme.name, value: version };
    case "media type":
      return { in: "header", name: "Accept", value: `application/json; version=${version}` };
    default:
      return undefined;
  }
}

/** The version of a request in a scenario: the one that it names, otherwise the current one. */
export function requestedVersion(part: VersioningPart, request: VersionedRequest): string | undefined {
  const named = textNaming(part, request);
  if (named === undefined) return currentVersion(part);
  if (part.scheme?.kind !== "media type") return named;
  // Without a version in `Accept`, `Default` applies.
  return versionOfAccept(named, new Set(part.versions.map(({ name }) => name)));
}

/** The text that names the version. Undefined if the request has none. */
function textNaming(part: VersioningPart, { target, headers }: VersionedRequest): string | undefined {
  const place = versionPlace(part, "");
  switch (place?.in) {
    case "header":
      return headers.find(({ name }) => name.toLowerCase() === place.name.toLowerCase())?.value;
    case "query":
      return new URLSearchParams(target.split("?")[1]).get(place.name) ?? undefined;
    case "path": {
      const [, first] = target.split(/[/?]/);
      return part.versions.find(({ name }) => name === first)?.name;
    }
    default:
      return undefined;
  }
}

/**
 * `Accept: application/vnd.x.v2+json` or `application/json; version=2`: prefers a version of the
 * document, then a text that looks like a version.
 */
export function versionOfAccept(accept: string | undefined, names: ReadonlySet<string>): string | undefined {
  if (accept === undefined) return undefined;
  const named: string[] = [];
  for (const range of accept.slice(0, 2048).split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    for (const parameter of parameters) {
      const text = /^version="?([^"]+)"?$/i.exec(parameter)?.[1];
      if (text !== undefined) named.push(text);
    }
    const [, words] = /^application\/vnd\.([^+]+)(?:\+\w+)?$/i.exec(type) ?? [];
    // The version is the end of the name and may contain dots: `acme.v1.2`.
    const ends = (words ?? "").split(".").map((_, at, all) => all.slice(at).join("."));
    const known = ends.slice(1).find((end) => names.has(end));
    const versionLike = ends.slice(1).find((end) => /^v?\d[\d.-]*$/.test(end));
    const end = known ?? versionLike;
    if (end !== undefined) named.push(end);
  }
  return named.find((name) => names.has(name)) ?? named[0];
}

/** The request with this version, unless it names one. An absolute target is unchanged. */
export function withVersion<Request extends VersionedRequest>(
  part: VersioningPart,
  version: string | undefined,
  request: Request,
): Request {
  if (version === undefined || textNaming(part, request) !== undefined) return request;
  const place = versionPlace(part, version);
  if (place?.in === "header")
    return { ...request, headers: [...request.headers, { name: place.name, value: place.value }] };
  if (place === undefined || !request.target.startsWith("/")) return request;
  if (place.in === "path") return { ...request, target: place.prefix + request.target };
  const before = request.target.includes("?") ? "&" : "?";
  return {
    ...request,
    target: `${request.target}${before}${place.name}=${encodeURIComponent(place.value)}`,
  };
}
