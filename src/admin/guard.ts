/**
 * Guard of the operations address: authorizes each request. It first checks what browsers report
 * about a request's source. It rejects a page of another origin, and a host name that foreign DNS
 * points to this machine. It then requires the token for everything that shows or changes data.
 * Only the token proves anything, because a client can omit what a browser reports. A refusal
 * reveals nothing.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isLoopback } from "../engine/http/loopback.ts";

export interface AdminRequest {
  readonly method: string;
  readonly remoteAddress: string;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The operations address, and the token that it requires. */
export interface AdminEndpoint {
  /** The host that the server listens on: `127.0.0.1`, or the operator's setting. */
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

export interface Guard {
  /**
   * Whether the request comes from a program, from the address's own pages, or from a link to one
   * of them.
   */
  isAllowed(request: AdminRequest): boolean;
  /** Whether the request has the token. */
  hasToken(request: Pick<AdminRequest, "headers">): boolean;
}

export function createGuard({ host, port, token }: AdminEndpoint): Guard {
  const own = ownHosts(host, port);
  const isOwn = (name: string) => own.has(name) || (isEveryAddress(host) && isAddress(name, port));
  const expected = digestOf(token);
  return {
    isAllowed({ method, remoteAddress, headers }) {
      const { origin } = headers;
      return (
        // Browsers send OPTIONS as a preflight before a cross-origin request.
        method !== "OPTIONS" &&
        (!isLoopback(host) || isLoopback(remoteAddress)) &&
        isOwn((headers["host"] ?? "").toLowerCase()) &&
        (origin === undefined || (origin.startsWith("http://") && isOwn(origin.slice("http://".length)))) &&
        (isOwnSite(headers["sec-fetch-site"]) || isVisit(method, headers))
      );
    },
    hasToken({ headers }) {
      const sent = /^Bearer ([\x21-\x7e]+)$/i.exec(headers["authorization"] ?? "")?.[1];
      // Digests have the same length, so the comparison reveals nothing about the token.
      return sent !== undefined && timingSafeEqual(digestOf(sent), expected);
    },
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function ownHosts(host: string, port: number): ReadonlySet<string> {
  const names = new Set(["127.0.0.1", "localhost", "[::1]", inAddress(host.toLowerCase())]);
  // Clients omit the default port of a scheme.
  return new Set([...names].flatMap((name) => (port === 80 ? [`${name}:80`, name] : [`${name}:${port}`])));
}

/** A host as URLs write it: IPv6 in brackets. */
export function inAddress(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function isEveryAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** IP addresses need no lookup, so foreign DNS can't point them to this machine. */
function isAddress(name: string, port: number): boolean {
  return /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d+)?$/.test(name) && portOf(name) === port;
}

function portOf(name: string): number {
  return Number(/(?<=[\d\]]:)\d+$/.exec(name)?.[0] ?? 80);
}

function isOwnSite(site: string | undefined): boolean {
  return site === undefined || site === "same-origin";
}

/**
 * Whether the request follows a link or a typed address. The linking page can't read the response.
 */
function isVisit(method: string, headers: AdminRequest["headers"]): boolean {
  return (
    method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
  );
}
