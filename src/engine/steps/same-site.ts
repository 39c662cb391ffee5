/**
 * CSRF protection: a browser sends a cookie even with requests from pages of other sites. If a
 * cookie identifies the caller, an unsafe request must come from the service's own origin, or from
 * an origin that `Cross-origin` names (Fetch Metadata; OWASP, "Cross-Site Request Forgery
 * Prevention"). Clients other than browsers send neither header.
 */
import type { Model } from "../../model/model.ts";
import { Problem } from "../problem.ts";
import type { RequestCredentials } from "../request-context.ts";

/** RFC 9110, section 9.2.1. */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);

/**
 * Checks the origin of a request.
 * @throws Problem *forbidden* if a page of another origin has sent it
 */
export type CheckSameSite = (method: string, credentials: RequestCredentials, ownOrigin: string) => void;

export function planSameSite({ endpointsPart }: Model): CheckSameSite {
  const { crossOrigin } = endpointsPart;
  // With `any`, a page of another origin must send its credential itself; cookies are not accepted.
  const allowed: ReadonlySet<string> = new Set(Array.isArray(crossOrigin) ? crossOrigin : []);
  return (method, credentials, ownOrigin) => {
    if (safeMethods.has(method)) return;
    const origin = credentials.header("origin");
    if (origin !== undefined && allowed.has(origin)) return;
    const site = credentials.header("sec-fetch-site");
    if (site === "same-origin" || site === "none") return;
    if (site === undefined && (origin === undefined || isOwn(origin, credentials, ownOrigin))) return;
    const problem = "comes from a page of another origin, so its cookie is not accepted";
    throw new Problem({ condition: "forbidden", value: origin ?? null, problem });
  };
}

function isOwn(origin: string, credentials: RequestCredentials, ownOrigin: string): boolean {
  if (origin === ownOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === credentials.header("host");
}
