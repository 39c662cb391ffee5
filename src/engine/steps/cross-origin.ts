/**
 * CORS (part 4, `Cross-origin`): preflight responses, and the headers that allow a page of another
 * origin to read a response (Fetch, "CORS").
 *
 * Cookies and other credentials that a browser adds itself are allowed only for origins that the
 * document names, and only if one of its schemes uses a cookie. With `any`, a page must send its
 * credential itself.
 */
import type { Model } from "../../model/model.ts";
import type { HeaderLine, ServiceResponse } from "../http/message.ts";

export interface CrossOrigin {
  /** The headers for every response. */
  headers(origin: string | undefined): readonly HeaderLine[];
  /**
   * The response to `OPTIONS` with `Access-Control-Request-Method`. Undefined if the document does
   * not allow that origin anywhere.
   */
  preflight(
    headers: Readonly<Record<string, string>>,
    methods: readonly string[],
  ): ServiceResponse | undefined;
}

/** How long a browser may cache a preflight response, in seconds. */
const preflightSeconds = 7200;

/** The engine's headers that a page may read in addition to the CORS-safelisted ones. */
const ownExposed = [
  "ETag",
  "Link",
  "Location",
  "Retry-After",
  "Deprecation",
  "Sunset",
  "Idempotent-Replayed",
  "X-Request-Id",
];

/**
 * @param pageOrigins origins that are allowed besides those of the document, without credentials
 * that a browser adds itself
 */
export function createCrossOrigin(model: Model, pageOrigins: readonly string[] = []): CrossOrigin {
  const rule = model.endpointsPart.crossOrigin;
  const byCookie = model.authentication.schemes.some((scheme) => scheme.placement?.kind === "cookie");
  const exposed = exposedHeaders(model);
  const allow = (origin: string | undefined): readonly HeaderLine[] | undefined => {
    if (origin === undefined) return undefined;
    if (rule === "any") return [["Access-Control-Allow-Origin", "*"]];
    const isNamed = Array.isArray(rule) && rule.includes(origin);
    if (!isNamed && !pageOrigins.includes(origin)) return undefined;
    const lines: HeaderLine[] = [["Access-Control-Allow-Origin", origin]];
    if (isNamed && byCookie) lines.push(["Access-Control-Allow-Credentials", "true"]);
    return lines;
  };
  // A cache must not return one origin's response to another origin, whether or not this origin is
  // allowed.
  const varies: readonly HeaderLine[] =
    Array.isArray(rule) || (rule !== "any" && pageOrigins.length > 0) ? [["Vary", "Origin"]] : [];
  return {
    headers(origin) {
      const allowed = allow(origin);
      return allowed ? [...allowed, ["Access-Control-Expose-Headers", exposed], ...varies] : varies;
    },
    preflight(headers, methods) {
      const allowed = allow(headers["origin"]);
      if (!allowed || headers["access-control-request-method"] === undefined) return undefined;
      const requested = headers["access-control-request-headers"];
      const lines: HeaderLine[] = [
        ...allowed,
        ["Access-Control-Allow-Methods", methods.join(", ")],
        ["Access-Control-Max-Age", String(preflightSeconds)],
        ["Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"],
      ];
      // A star does not cover `Authorization`, so the requested headers are listed.
      if (requested !== undefined && /^[\w\-, ]{1,1000}$/.test(requested))
        lines.push(["Access-Control-Allow-Headers", requested]);
      return { status: 204, headers: lines, body: "" };
    },
  };
}

/**
 * The headers that pages may read: those of the engine, rate limit headers, and those of the
 * document.
 */
function exposedHeaders(model: Model): string {
  const { rateHeaders } = model.limits;
  const rates =
    typeof rateHeaders === "object"
      ? ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Used", "X-RateLimit-Reset"]
      : rateHeaders === "RateLimit"
        ? ["RateLimit", "RateLimit-Policy"]
        : [];
  const documented = model.endpoints.flatMap((endpoint) => endpoint.headers.map((header) => header.name));
  const names = new Map(
    [...ownExposed, ...rates, ...documented].map((name) => [name.toLowerCase(), name] as const),
  );
  names.delete("set-cookie");
  return [...names.values()].join(", ");
}
