/**
 * Version selection (part 9): determines the version that a request uses. `evaluation/view.ts`
 * describes an older version, `model/versions/version-endpoints.ts` its endpoints.
 */
import type { Expression } from "../../expressions/node.ts";
import type { Endpoint, Model, PathSegment, Version, VersioningPart } from "../../model/model.ts";
import { defaultVersion, deprecatedSince } from "../../model/versions/version-order.ts";
import type { Position } from "../../source/source.ts";
import type { HeaderLine } from "../http/message.ts";
import { NotShown, Problem } from "../problem.ts";
import { lifecycleHeaders } from "../http/lifecycle-headers.ts";
import { versionOfAccept } from "../../model/versions/request-version.ts";
import { versionHasEndpoint } from "../../model/versions/version-endpoints.ts";
import { planUndescribed } from "../versions/undescribed-endpoints.ts";
import { createView, type VersionView } from "../evaluation/view.ts";

export interface VersionRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  query(name: string): string | undefined;
  readonly segments: readonly string[];
}

export interface ServedVersion {
  /** Null if the document has a single unnamed version. */
  readonly name: string | null;
  /** Its row of part 9. */
  readonly position: Position | undefined;
  readonly view: VersionView | undefined;
  /** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594); `Vary` if a header selects the version. */
  readonly headers: readonly HeaderLine[];
  serves(endpoint: Endpoint): boolean;
  /** The gap of an endpoint that the document no longer describes. */
  readonly undescribed: ReturnType<typeof planUndescribed>;
}

export interface VersionPlan {
  /** Prefixes of the base path: one empty prefix, or one for each version. */
  readonly prefixes: readonly (readonly PathSegment[])[];
  readonly served: readonly ServedVersion[];
  /**
   * The version of events, and of errors before a version is selected (decision "The version of
   * events").
   */
  readonly standard: ServedVersion;
  /**
   * The expression for the version of a request that states none; absent if it does not depend on
   * the caller.
   */
  readonly pinned?: Expression;
  /**
   * Selects the version; "pinned" if it depends on the caller.
   * @throws Problem *unknown version*; NotShown if `Default` is a gap
   */
  choose(request: VersionRequest): ServedVersion | "pinned";
  /**
   * Returns the version with this name; the current version for null.
   * @throws as `choose`
   */
  named(name: string | null): ServedVersion;
  /** Whether the path starts with the version's name, so that URLs of the service do too. */
  isInPath(version: ServedVersion, segments: readonly string[]): boolean;
  /** Returns the gap of an unrouted path in the request's version. */
  undescribed(request: VersionRequest): NotShown | undefined;
}

export function planVersions(model: Model): VersionPlan {
  const { scheme, versions, default: rule, openDefault } = model.versioning;
  if (versions.length === 0 || !scheme || scheme.kind === "none") return onlyVersion(model);
  const served = new Map(
    versions
      .filter((version) => version.status !== "retired")
      .map((version) => [version.name, servedVersion(model, version)]),
  );
  const currentName = versions.find((version) => version.status === "current")?.name ?? "";
  const current = (served.get(currentName) ?? [...served.values()][0]) as ServedVersion;
  const fallback = defaultVersion(model.versioning);
  const standard = served.get(fallback ?? "") ?? current;
  const inPath = scheme.kind === "path prefix";
  const pinned = typeof rule === "object" && "pinned" in rule ? rule.pinned : undefined;
  const requested = createRequestedVersion(scheme, versions);
  const versionNamed = (name: string | undefined): ServedVersion => {
    const version = name === undefined ? undefined : served.get(name);
    if (!version) throw unknownVersion(name, [...served.keys()]);
    return version;
  };
  return {
    // Without a default, the service has no path without a version.
    prefixes: inPath
      ? [
          ...versions.map((version) => [{ kind: "literal", text: version.name } as const]),
          ...(rule === undefined && openDefault === undefined ? [] : [[]]),
        ]
      : [[]],
    served: [...served.values()],
    standard,
    ...(pinned ? { pinned } : {}),
    choose(request) {
      const name = requested(request);
      if (name === undefined && openDefault) throw new NotShown(openDefault);
      return name === undefined && pinned ? "pinned" : versionNamed(name ?? fallback);
    },
    named: (name) => (name === null || name === "" ? current : versionNamed(name)),
    isInPath: (version, segments) => inPath && version.name !== null && segments[0] === version.name,
    undescribed(request) {
      const version = served.get(requested(request) ?? fallback ?? "");
      const inFront = inPath && version && request.segments[0] === version.name ? 1 : 0;
      return version?.undescribed?.(request.method, request.segments.slice(inFront));
    },
  };
}

/** A document without versions has one unnamed version. */
function onlyVersion(model: Model): VersionPlan {
  const only: ServedVersion = {
    name: null,
    position: undefined,
    view: createView(model, undefined),
    headers: [],
    serves: () => true,
    undescribed: undefined,
  };
  return {
    prefixes: [[]],
    served: [only],
    standard: only,
    choose: () => only,
    named: () => only,
    isInPath: () => false,
    undescribed: () => undefined,
  };
}

function servedVersion(model: Model, version: Version): ServedVersion {
  return {
    name: version.name,
    position: version.position,
    view: createView(model, version),
    headers: [...deprecationHeaders(model, version), ...varyHeaders(model.versioning.scheme)],
    serves: (endpoint) => versionHasEndpoint(model, version, endpoint),
    undescribed: planUndescribed(model, version),
  };
}

function unknownVersion(name: string | undefined, allowed: readonly string[]): Problem {
  return new Problem({
    condition: "unknown version",
    value: name ?? null,
    problem: name === undefined ? "names no version" : `${name} is not a version of this service`,
    allowed,
  });
}

// ── Reading the requested version ───────────────────────────────────────────────────────────────

type Scheme = NonNullable<VersioningPart["scheme"]>;

function createRequestedVersion(
  scheme: Scheme,
  versions: readonly Version[],
): (request: VersionRequest) => string | undefined {
  const names = new Set(versions.map((version) => version.name));
  const nonEmpty = (text: string | undefined) => (text === "" ? undefined : text);
  switch (scheme.kind) {
    case "path prefix":
      // Paths are routed by version name, so any other first segment belongs to a path without a
      // version.
      return ({ segments: [first] }) => (first !== undefined && names.has(first) ? first : undefined);
    case "header": {
      const name = scheme.name.toLowerCase();
      return ({ headers }) => nonEmpty(headers[name]?.trim());
    }
    case "query":
      return (request) => nonEmpty(request.query(scheme.name));
    case "media type":
      return ({ headers }) => versionOfAccept(headers["accept"], names);
    case "none":
      return () => undefined;
  }
}

// ── Response headers ────────────────────────────────────────────────────────────────────────────

/**
 * Returns the `Deprecation` header: the date since when (RFC 9745). If the document does not state
 * the date, the header is omitted.
 */
function deprecationHeaders(model: Model, version: Version): readonly HeaderLine[] {
  return version.status === "deprecated"
    ? lifecycleHeaders(deprecatedSince(model.versioning.versions, version), version.until)
    : [];
}

/**
 * Returns the `Vary` header: if a header selects the version, caches must store the responses
 * separately.
 */
function varyHeaders(scheme: VersioningPart["scheme"]): readonly HeaderLine[] {
  if (scheme?.kind === "header") return [["Vary", scheme.name]];
  return scheme?.kind === "media type" ? [["Vary", "Accept"]] : [];
}
