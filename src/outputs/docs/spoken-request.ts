/** Part 1: a scenario speaks the current version unless it asks for another. Its tests add that unseen; whoever copies a request sees it. */
import type { Wire } from "../wire/wire.ts";
import type { RequestText } from "./request-code.ts";
import type { Exchange } from "./scenario-text.ts";

/** The name of the version; undefined where the document has none. */
export function spokenVersion(wire: Wire, exchange: Exchange): string | undefined {
  return namedVersion(wire, exchange) ?? currentOf(wire)?.name;
}

/** The request with its version in it. */
export function spokenRequest(wire: Wire, exchange: Exchange): RequestText {
  const { method, target, headers, body } = exchange.request;
  const request = { method, target, headers, ...(body === undefined ? {} : { body: body.text }) };
  const asked = currentOf(wire)?.asked;
  if (!asked || namedVersion(wire, exchange) !== undefined) return request;
  switch (asked.in) {
    case "header":
      return { ...request, headers: [...headers, { name: asked.name, value: asked.value }] };
    case "query": {
      const before = target.includes("?") ? "&" : "?";
      return { ...request, target: `${target}${before}${asked.name}=${encodeURIComponent(asked.value)}` };
    }
    case "path":
      return target.startsWith("/") ? { ...request, target: asked.prefix + target } : request;
    default:
      return request;
  }
}

function currentOf({ versions }: Wire): Wire["versions"][number] | undefined {
  return versions.find((version) => version.status === "current");
}

/** The version that the request asks for by itself. */
function namedVersion(wire: Wire, { request }: Exchange): string | undefined {
  const asked = currentOf(wire)?.asked;
  switch (asked?.in) {
    case "header":
      return request.headers.find((header) => header.name.toLowerCase() === asked.name.toLowerCase())?.value;
    case "query":
      return new URLSearchParams(request.target.split("?")[1]).get(asked.name) ?? undefined;
    case "path": {
      const [, first] = request.target.split(/[/?]/);
      return wire.versions.find((version) => version.name === first)?.name;
    }
    default:
      return undefined;
  }
}
