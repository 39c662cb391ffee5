/**
 * Host guard: protects a service on loopback against DNS rebinding. A web page could use a host
 * name that resolves to loopback and read the responses as same-origin. The guard rejects requests
 * for such a name.
 */
import type { Awaitable } from "../../support/awaitable.ts";
import { hostName, isLoopback } from "./loopback.ts";
import type { RequestHead, RequestRefusal, ServiceHandler, ServiceResponse } from "./message.ts";

interface Answers {
  readonly fetch: ServiceHandler;
  readonly refuse: (refusal: RequestRefusal) => Awaitable<ServiceResponse>;
}

interface HostGuardOptions {
  /** Whether subdomains of the own host are accepted: the names of data spaces. */
  readonly allowsBelow?: boolean;
  /** Called with the host of each rejected request, to notify the operator. */
  readonly onRejected?: (host: string) => void;
}

/** @param ownHost the host of the public address, if the operator sets one */
export function guardHost(
  { fetch, refuse }: Answers,
  ownHost: string | undefined,
  { allowsBelow = false, onRejected }: HostGuardOptions = {},
): ServiceHandler {
  const own = ownHost?.toLowerCase();
  // Clients keep using one name, so the last accepted one is cached.
  let lastGood = "";
  return (request) => {
    // The request comes from a trusted proxy, not from a local browser.
    if (request.origin !== undefined) return fetch(request);
    const host = hostOf(request);
    // A browser always sends `Host`. A request without it is checked with the rest of the head.
    if (host === undefined || host === lastGood) return fetch(request);
    const name = hostName(host).toLowerCase();
    const isOwn = name === own || (allowsBelow && own !== undefined && name.endsWith(`.${own}`));
    if (!isLoopback(name) && !isOwn) {
      onRejected?.(host);
      return refuse({
        condition: "malformed request",
        status: 421,
        problem:
          "this service accepts only requests from its own machine; call it as localhost or 127.0.0.1, not by the host name of this request",
      });
    }
    lastGood = host;
    return fetch(request);
  };
}

function hostOf({ rawHeaders }: RequestHead): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") return rawHeaders[at + 1];
  }
  return undefined;
}
