/**
 * Version negotiation in copied requests: a scenario uses the current version unless it requests
 * another (part 1). Its tests add that implicitly; in a request for copying it is visible.
 */
import type { Wire } from "../wire/wire.ts";
import type { RequestText } from "./request-code.ts";
import type { Exchange } from "./scenario-text.ts";

/** The name of the version; undefined where the document has none. */
export function negotiatedVersion(wire: Wire, exchange: Exchange): string | undefined {
  return namedVersion(wire, exchange) ?? currentOf(wire)?.name;
}

/** The request with its version in it. */
export function negotiatedRequest(wire: Wire, exchange: Exchange): RequestText {
  const { method, target, headers, body } = exchange.request;
  const request = { method, target, headers, ...(body === undefined ? {} : { body: body.text }) };
  const requested = currentOf(wire)?.requested;
  if (!requested || namedVersion(wire, exchange) !== undefined) return request;
  switch (requested.in) {
    case "header":
      return { ...request, headers: [...headers, { name: requested.name, value: requested.value }] };
    case "query": {
      const before = target.includes("?") ? "&" : "?";
      return {
        ...request,
        target: `${target}${before}${requested.name}=${encodeURIComponent(requested.value)}`,
      };
    }
    case "path":
      return target.startsWith("/") ? { ...request, target: requested.prefix + target } : request;
    default:
      return request;
  }
}

function currentOf({ versions }: Wire): Wire["versions"][number] | undefined {
  return versions.find((version) => version.status === "current");
}

/** The version that the request names itself. */
function namedVersion(wire: Wire, { request }: Exchange): string | undefined {
  const requested = currentOf(wire)?.requested;
  switch (requested?.in) {
    case "header":
      return request.headers.find((header) => header.name.toLowerCase() === requested.name.toLowerCase())
        ?.value;
    case "query":
      return new URLSearchParams(request.target.split("?")[1]).get(requested.name) ?? undefined;
    case "path": {
      const [, first] = request.target.split(/[/?]/);
      return wire.versions.find((version) => version.name === first)?.name;
    }
    default:
      return undefined;
  }
}
