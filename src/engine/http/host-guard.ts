/**
 * Who listens on loopback alone answers programs of this machine. A page in a browser there could name a host of its own whose DNS leads
 * to loopback, and would be let read the answers as its own (DNS rebinding): such a name isn't answered.
 */
import type { Awaitable } from "../../support/awaitable.ts";
import { hostName, isLoopback } from "./loopback.ts";
import type { RequestHead, RequestRefusal, ServiceHandler, ServiceResponse } from "./message.ts";

interface Answers {
  readonly fetch: ServiceHandler;
  readonly refuse: (refusal: RequestRefusal) => Awaitable<ServiceResponse>;
}

/** @param ownHost the host of the public address, where the operator names one */
export function guardHost({ fetch, refuse }: Answers, ownHost: string | undefined): ServiceHandler {
  const own = ownHost?.toLowerCase();
  // Clients keep to one name, and asking is done for each request.
  let lastGood = "";
  return (request) => {
    // Asked for by a proxy that the operator trusts, and not by a browser here.
    if (request.origin !== undefined) return fetch(request);
    const host = hostOf(request);
    // A browser always says it; who doesn't is judged with the rest of the head.
    if (host === undefined || host === lastGood) return fetch(request);
    const name = hostName(host).toLowerCase();
    if (!isLoopback(name) && name !== own)
      return refuse({
        condition: "malformed request",
        status: 421,
        problem:
          "this service is for its own machine, asked for as localhost or 127.0.0.1, and not as the host that the request names",
      });
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
