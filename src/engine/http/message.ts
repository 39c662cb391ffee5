/**
 * Request and response messages without sockets. `server.ts` converts them from and to `node:http`,
 * and tests create them directly. Nothing here depends on a document.
 */

import type { Awaitable } from "../../support/awaitable.ts";
import { formatExactSize } from "../../support/quantity.ts";

/** The request line and the headers as received. `strict-request.ts` validates them. */
export interface RequestHead {
  readonly method: string;
  /** The target of the request line: `/v1/parcels?limit=2`, or an absolute URL. */
  readonly target: string;
  /** The HTTP version; 1.1 if absent. */
  readonly httpVersion?: string;
  /** Alternating names and values as received, without joining or dropping any. */
  readonly rawHeaders: readonly string[];
}

export interface ServiceRequest extends RequestHead {
  /** The peer's address, without port. */
  readonly remoteAddress: string;
  /** The requested public origin, if a trusted proxy states it: `https://api.example.com`. */
  readonly origin?: string | undefined;
  /** The body has arrived completely, so reading it requests no more data. */
  readonly isBodyComplete: boolean;
  /**
   * Reads the whole body; an empty array if the request has none. The first call reads it with its
   * size limit; later calls return the same bytes.
   * @param isFromCaller the caller is authenticated, so the body is charged to the share of
   * authenticated callers
   * @throws BodyRefusal, or rejects with it
   */
  body(bytesMax: number, isFromCaller?: boolean): Awaitable<Uint8Array>;
  /**
   * Charges further bytes to the body, such as decoded ones, in the share of `isFromCaller`.
   * Returns false if the share has no room. If the method is absent, nothing is charged.
   */
  reserve?(bytes: number, bytesMax: number, isFromCaller: boolean): boolean;
  /** Aborted if the peer disconnects before the response is complete. Created on first use. */
  readonly signal: AbortSignal;
}

export type HeaderLine = readonly [name: string, value: string];

/**
 * A streamed body: each piece is read when the previous one is consumed, until the source or the
 * reader ends it.
 */
export interface StreamedBody extends AsyncIterable<string> {
  /** Resolves when the response was sent, or its reader has disconnected. */
  readonly closed: Promise<void>;
}

/** A complete body, or a stream (server-sent events). */
export type ResponseBody = string | Uint8Array | AsyncIterable<string | Uint8Array>;

export interface ServiceResponse {
  readonly status: number;
  /**
   * In order; a name may occur several times. `respond.ts` adds `Content-Length`, `Date` and
   * similar headers. `Connection: close` closes the connection.
   */
  readonly headers: readonly HeaderLine[];
  /** For `HEAD`, the body that `GET` would have; it is omitted when the response is written. */
  readonly body: ResponseBody;
  /** The connection fails on purpose: at once (`reset`), or in the middle of the body (`cut`). */
  readonly breaks?: "reset" | "cut";
}

export type ServiceHandler = (request: ServiceRequest) => Awaitable<ServiceResponse>;

/** The conditions of part 7 that can occur before the document is consulted. */
export type RequestCondition =
  | "malformed request"
  | "method not allowed"
  | "malformed body"
  | "unsupported media type"
  | "too large"
  | "timed out"
  | "unavailable";

/**
 * Why the server rejects a request before the document is consulted: the default status and the
 * problem.
 */
export interface RequestRefusal {
  readonly condition: RequestCondition;
  readonly status: number;
  /** The problem as a clause: `the header Host occurs twice`. */
  readonly problem: string;
  /** The exceeded limit, if it is a size: `64 KiB`. */
  readonly limit?: string;
  /** The kind of limit in part 8, for rows of part 7 such as `too large of url`. */
  readonly limitName?: "body" | "url" | "headers";
  /** When the client may retry. */
  readonly retryAfterSeconds?: number;
}

/** Thrown by `ServiceRequest.body`. */
export class BodyRefusal extends Error implements RequestRefusal {
  override name = "BodyRefusal";
  readonly condition: RequestCondition;
  readonly status: number;
  readonly problem: string;
  readonly limit?: string;
  readonly limitName?: "body" | "url" | "headers";
  readonly retryAfterSeconds?: number;
  /** The peer has disconnected, so no response can reach it. */
  readonly aborted: boolean;

  constructor(refusal: RequestRefusal, aborted = false) {
    super(refusal.problem);
    this.condition = refusal.condition;
    this.status = refusal.status;
    this.problem = refusal.problem;
    if (refusal.limit !== undefined) this.limit = refusal.limit;
    if (refusal.limitName !== undefined) this.limitName = refusal.limitName;
    if (refusal.retryAfterSeconds !== undefined) this.retryAfterSeconds = refusal.retryAfterSeconds;
    this.aborted = aborted;
  }
}

/** Creates a request without a socket: for tests, scenarios and embedding. */
export function createRequest(parts: {
  readonly method: string;
  readonly target: string;
  /** As in `fetch`: pairs, an object, or `Headers`. */
  readonly headers?: readonly HeaderLine[] | Headers | Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly remoteAddress?: string;
  readonly signal?: AbortSignal;
}): ServiceRequest {
  const headers = headerLines(parts.headers);
  const named = (name: string) => headers.some(([headerName]) => headerName.toLowerCase() === name);
  const bytes =
    typeof parts.body === "string" ? new TextEncoder().encode(parts.body) : (parts.body ?? new Uint8Array(0));
  if (!named("host")) headers.unshift(["Host", "localhost"]);
  if (parts.body !== undefined && !named("content-length"))
    headers.push(["Content-Length", String(bytes.byteLength)]);
  return {
    method: parts.method,
    target: parts.target,
    rawHeaders: headers.flat(),
    remoteAddress: parts.remoteAddress ?? "127.0.0.1",
    signal: parts.signal ?? new AbortController().signal,
    isBodyComplete: true,
    body: async (bytesMax) => {
      if (bytes.byteLength > bytesMax) throw bodyTooLarge(bytesMax);
      return bytes;
    },
  };
}

function headerLines(given: Parameters<typeof createRequest>[0]["headers"] = []): HeaderLine[] {
  return Symbol.iterator in given ? [...given] : Object.entries(given);
}

export function bodyTooLarge(bytesMax: number): BodyRefusal {
  const limit = formatExactSize(bytesMax);
  return new BodyRefusal({
    condition: "too large",
    status: 413,
    problem: `the body is larger than ${limit}`,
    limit,
    limitName: "body",
  });
}

export function tooManyBytes(): BodyRefusal {
  return new BodyRefusal({
    condition: "unavailable",
    status: 503,
    problem: "too many request bodies are being read",
    retryAfterSeconds: 1,
  });
}

export function bodyTooLate(): BodyRefusal {
  return new BodyRefusal({ condition: "timed out", status: 408, problem: "the body did not arrive in time" });
}

/** Whether a header may have several lines in a response; every other header has one line. */
export function mayRepeat(name: string): boolean {
  const small = name.toLowerCase();
  return small === "set-cookie" || small === "link" || small === "vary";
}
