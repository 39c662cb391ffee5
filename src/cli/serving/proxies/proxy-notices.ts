/**
 * Notices about a proxy that the options don't name: its headers are ignored, and the host names
 * that it forwards are rejected. Each notice is logged once, with the option to write.
 */
import { isLoopback } from "../../../engine/http/loopback.ts";
import type { RequestHead, ServiceHandler } from "../../../engine/http/message.ts";
import type { Log } from "../../../engine/ports.ts";

export interface ProxyNotices {
  /** Passes requests on, and logs the first one with a header of an untrusted proxy. */
  watching(fetch: ServiceHandler): ServiceHandler;
  /** A request for another host was rejected with 421. */
  rejected(host: string): void;
}

/**
 * @param isTrusting whether `--trust-proxy` is set: then the headers of other peers are ignored on
 * purpose
 */
export function createProxyNotices(log: Log, isTrusting: boolean): ProxyNotices {
  let hasSeenHeader = isTrusting;
  let hasRejected = false;
  return {
    watching: (fetch) => (request) => {
      if (!hasSeenHeader) {
        const header = forwardingHeader(request);
        if (header !== undefined) {
          hasSeenHeader = true;
          log.warn({}, ignoredHeader(header, request.remoteAddress));
        }
      }
      return fetch(request);
    },
    rejected(host) {
      if (hasRejected) return;
      hasRejected = true;
      log.warn({ host: host.slice(0, hostLengthMax) }, rejectedHost);
    },
  };
}

/** The longest DNS host name, and a port. */
const hostLengthMax = 260;

const rejectedHost =
  "a request for another host was rejected with 421, because the service listens on loopback and accepts " +
  "only names of this machine. Behind a proxy, add --trust-proxy loopback. Without one, name the public " +
  "address with --url";

/** @param peer the proxy's own address */
function ignoredHeader(header: string, peer: string): string {
  const named = isLoopback(peer) ? "loopback" : peer;
  const option = header === forwarded ? " --forwarded-header forwarded" : "";
  return (
    `the header ${header} is ignored: limits by address, request.ip and links use the proxy's own address. ` +
    `If your proxy is at ${peer}, add --trust-proxy ${named}${option}`
  );
}

/**
 * The proxy header in a request. Lengths are compared first, because this runs for every request.
 */
function forwardingHeader({ rawHeaders }: RequestHead): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === forwardedFor.length && name.toLowerCase() === forwardedFor.toLowerCase())
      return forwardedFor;
    if (name.length === forwarded.length && name.toLowerCase() === forwarded.toLowerCase()) return forwarded;
  }
  return undefined;
}

const forwardedFor = "X-Forwarded-For";
const forwarded = "Forwarded";
