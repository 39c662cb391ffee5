/**
 * The request that a service answers and the answer that it gives, free of sockets: `server.ts` makes them from and
 * for `node:http`, tests make them by hand. Nothing here knows a document.
 */

import type { Awaitable } from "../../support/awaitable.ts";
import { formatExactSize } from "../../support/quantity.ts";

/** The first line and the headers, as they were received. `strict-request.ts` judges it. */
export interface RequestHead {
  readonly method: string;
  /** As it stood in the request line: `/v1/parcels?limit=2`, or an absolute address. */
  readonly target: string;
  /** `1.1`; taken as 1.1 where absent. */
  readonly httpVersion?: string;
  /** Names and values in turns, as received, nothing joined or dropped. */
  readonly rawHeaders: readonly string[];
}

export interface ServiceRequest extends RequestHead {
  /** The peer's address, without port. */
  readonly remoteAddress: string;
  /** The public address under which it was asked, where a trusted proxy says it: `https://api.example.com`. */
  readonly origin?: string | undefined;
  /** All of the body has come, so that nobody is asked for more by reading it. */
  readonly hasCome: boolean;
  /**
   * Reads the whole body; an empty array where there is none. It is read at the first call (whose ceiling holds), any
   * later one gives the same bytes. Throws, or rejects with, a `BodyRefusal`.
   * @param isFromCaller it is known for certain who sends it, so that it counts to what callers may have under way together
   */
  body(bytesMax: number, isFromCaller?: boolean): Awaitable<Uint8Array>;
  /** Aborted when the peer goes away before the answer is complete. Made when first asked for. */
  readonly signal: AbortSignal;
}

export type HeaderLine = readonly [name: string, value: string];

/** A body that comes piece by piece, each when the one before has been taken, until its source or its reader ends it. */
export interface StreamedBody extends AsyncIterable<string> {
  /** It has ended, or nobody wants it any more. */
  readonly closed: Promise<void>;
}

/** A body in full, or one that comes in pieces (server-sent events). */
export type ResponseBody = string | Uint8Array | AsyncIterable<string | Uint8Array>;

export interface ServiceResponse {
  readonly status: number;
  /**
   * In order; a name may stand several times. `Content-Length`, `Date` and the like are added by `respond.ts`;
   * `Connection: close` ends the connection.
   */
  readonly headers: readonly HeaderLine[];
  /** The body of the answer to a `HEAD` is what `GET` would get; it is left out when written. */
  readonly body: ResponseBody;
}

export type ServiceHandler = (request: ServiceRequest) => Awaitable<ServiceResponse>;

/** The conditions of part 7 that a request can meet before anything of the document is asked. */
export type RequestCondition =
  | "malformed request"
  | "method not allowed"
  | "unsupported media type"
  | "too large"
  | "timed out"
  | "unavailable";

/** Why a request can't be taken: the status where the document has none of its own, and what is wrong. */
export interface RequestRefusal {
  readonly condition: RequestCondition;
  readonly status: number;
  /** What is wrong, as a clause: `the header Host stands twice`. */
  readonly problem: string;
  /** What was exceeded, where it is a size: `64 KiB`. */
  readonly limit?: string;
  /** The kind of row of part 8 that bounds it, for rows of part 7 such as `too large of url`. */
  readonly limitName?: "body" | "url" | "headers";
  /** When it may be tried again. */
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
  /** The peer is gone: no answer can reach it. */
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

/** A request made by hand: for tests, scenarios and embedding. */
export function createRequest(parts: {
  readonly method: string;
  readonly target: string;
  /** As `fetch` takes them: pairs, an object, or `Headers`. */
  readonly headers?: readonly HeaderLine[] | Headers | Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly remoteAddress?: string;
  readonly signal?: AbortSignal;
}): ServiceRequest {
  const headers = headerLines(parts.headers);
  const named = (name: string) => headers.some(([other]) => other.toLowerCase() === name);
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
    hasCome: true,
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

export function bodyTooLate(): BodyRefusal {
  return new BodyRefusal({ condition: "timed out", status: 408, problem: "the body did not arrive in time" });
}

/** Headers of which an answer may have several lines; of every other it has one. */
export function addsUp(name: string): boolean {
  const small = name.toLowerCase();
  return small === "set-cookie" || small === "link" || small === "vary";
}
