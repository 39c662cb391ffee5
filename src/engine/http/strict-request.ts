/**
 * Strict request parsing: validates the request line and the headers before the document is
 * consulted, and parses the target. `node:http` rejects most requests whose end two servers could
 * see differently; this file rejects the remaining ambiguous ones. `body.ts` reads bodies.
 */
import { bareObject } from "../../support/bare-object.ts";
import { decodeUtf8 } from "../../support/formats/json-reader.ts";
import { formatExactSize } from "../../support/quantity.ts";
import { engineDefaults } from "../defaults.ts";
import { decodePercents } from "./form-reader.ts";
import type { RequestHead, RequestRefusal } from "./message.ts";

export interface HeadLimits {
  readonly urlBytesMax: number;
  readonly headersMax: number;
  readonly headerBytesMax: number;
}

/**
 * Engine defaults. A document's limits may be smaller; `node:http` rejects larger headers
 * (`server.ts`).
 */
export const headLimits: HeadLimits = {
  urlBytesMax: engineDefaults.urlBytesMax,
  headersMax: 100,
  headerBytesMax: engineDefaults.headerBytesMax,
};

export interface ParsedHead {
  /** Segments of the path, percent-decoded after splitting; a final slash adds none. */
  readonly segments: readonly string[];
  /** As sent, without the query: `/v1/parcels`. */
  readonly path: string;
  /** As sent, without the `?`; empty if absent. */
  readonly query: string;
  /** By lower-case name, without prototype; values of repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
}

export type HeadVerdict =
  | { readonly refusal: RequestRefusal; readonly head?: undefined }
  | { readonly head: ParsedHead; readonly refusal?: undefined };

export function validateHead(request: RequestHead, limits: HeadLimits = headLimits): HeadVerdict {
  const headers = readHeaders(request.rawHeaders, limits);
  if ("refusal" in headers) return headers;
  const problem = headProblem(request, headers.headers);
  if (problem !== undefined) return refuse(problem);
  if (request.method === "TRACE" || request.method === "CONNECT") {
    return {
      refusal: {
        condition: "method not allowed",
        status: 405,
        problem: `${request.method} is not supported`,
      },
    };
  }
  if (headers.headers["expect"] !== undefined && headers.headers["expect"].toLowerCase() !== "100-continue") {
    return refuse("the expectation of the header Expect is not supported", 417);
  }
  if (request.target.length > limits.urlBytesMax) {
    const limit = formatExactSize(limits.urlBytesMax);
    return {
      refusal: {
        condition: "too large",
        status: 414,
        problem: `the target is longer than ${limit}`,
        limit,
        limitName: "url",
      },
    };
  }
  return judgeTarget(request.target, headers.headers);
}

function refuse(problem: string, status = 400): { readonly refusal: RequestRefusal } {
  return { refusal: { condition: "malformed request", status, problem } };
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────

/** Headers that must not be repeated, because readers differ in which value they use. */
const onlyOnce = new Set([
  "host",
  "content-length",
  "content-type",
  "authorization",
  "transfer-encoding",
  "expect",
]);

function readHeaders(
  raw: readonly string[],
  limits: HeadLimits,
): { readonly headers: Record<string, string> } | { readonly refusal: RequestRefusal } {
  if (raw.length > 2 * limits.headersMax) {
    const limit = `${limits.headersMax} headers`;
    return {
      refusal: {
        condition: "too large",
        status: 431,
        problem: `there are more than ${limit}`,
        limit,
        limitName: "headers",
      },
    };
  }
  const headers = bareObject<Record<string, string>>();
  let bytes = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const written = raw[at] as string;
    const value = textOf(raw[at + 1] as string);
    const name = written.toLowerCase();
    const before = headers[name];
    bytes += written.length + value.length + 4;
    if (before === undefined) headers[name] = value;
    else if (onlyOnce.has(name)) return refuse(`the header ${written} occurs twice`);
    else headers[name] = `${before}${name === "cookie" ? "; " : ", "}${value}`;
  }
  if (bytes > limits.headerBytesMax) {
    const limit = formatExactSize(limits.headerBytesMax);
    return {
      refusal: {
        condition: "too large",
        status: 431,
        problem: `the headers are larger than ${limit}`,
        limit,
        limitName: "headers",
      },
    };
  }
  return { headers };
}

const beyondBytes = /[\u0100-\uffff]/;

/**
 * `node:http` decodes values as Latin-1. A value that is valid UTF-8 is decoded as such; any other
 * stays unchanged.
 */
function textOf(value: string): string {
  if (visibleForm.test(value) || beyondBytes.test(value)) return value;
  return decodeUtf8(Buffer.from(value, "latin1")) ?? value;
}

const hostForm = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/;
const visibleForm = /^[\x20-\x7e\t]*$/;
const digitsForm = /^\d+$/;

/** Methods without a body; another server could parse such a body as a second request. */
const bodiless = new Set(["GET", "HEAD", "TRACE"]);

function headProblem(request: RequestHead, headers: Readonly<Record<string, string>>): string | undefined {
  const version = request.httpVersion ?? "1.1";
  const { host, authorization } = headers;
  const length = headers["content-length"];
  const coding = headers["transfer-encoding"];
  if (version !== "1.1" && version !== "1.0") return `HTTP/${version.slice(0, 8)} is not supported`;
  if (host === undefined && version === "1.1") return "the header Host is missing";
  if (host !== undefined && !isHost(host)) return "the header Host is not a host name";
  if (authorization !== undefined && !visibleForm.test(authorization))
    return "the header Authorization is not ASCII";
  if (length !== undefined && !digitsForm.test(length)) return "the header Content-Length is not a number";
  if (coding !== undefined) {
    if (version === "1.0") return "HTTP/1.0 has no Transfer-Encoding";
    if (length !== undefined) return "both Content-Length and Transfer-Encoding are given";
    if (coding.toLowerCase() !== "chunked") return "the Transfer-Encoding is not chunked";
  }
  if (
    bodiless.has(request.method) &&
    (coding !== undefined || (length !== undefined && Number(length) > 0))
  ) {
    return `${request.method} must not have a body`;
  }
  return undefined;
}

function isHost(host: string): boolean {
  const match = hostForm.exec(host);
  return match !== null && Number(match[1] ?? 0) <= 65_535;
}

// ── Target ──────────────────────────────────────────────────────────────────────────────────────

const absoluteForm = /^https?:\/\/([^/?#]*)/i;
/**
 * Printable ASCII. Other characters must be escaped, a fragment is never sent, and some servers
 * read a backslash as a slash.
 */
const targetForm = /^[!"$-[\]-~]*$/;

function judgeTarget(sent: string, headers: Readonly<Record<string, string>>): HeadVerdict {
  if (!targetForm.test(sent)) return refuse("the target has characters that must be percent-encoded");
  let target = sent;
  if (!target.startsWith("/")) {
    const match = absoluteForm.exec(target);
    // RFC 9112, 3.2.2: a server must accept an absolute URL. With another host, it is meant for
    // another server.
    if (!match) return refuse("the target is not a path");
    if ((match[1] as string).toLowerCase() !== headers["host"]?.toLowerCase())
      return refuse("the target is for another host");
    target = target.slice(match[0].length);
    if (!target.startsWith("/")) target = `/${target}`;
  }
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const segments = readSegments(path);
  if (typeof segments === "string") return refuse(segments);
  return { head: { segments, path, query: mark === -1 ? "" : target.slice(mark + 1), headers } };
}

/** Returns the decoded segments, or a problem as text. */
function readSegments(path: string): readonly string[] | string {
  const segments = path.split("/");
  segments.shift();
  if (segments.at(-1) === "") segments.pop();
  for (let index = 0; index < segments.length; index += 1) {
    const decoded = decodePercents(segments[index] as string);
    if (decoded === undefined) return "the path has escapes that are not UTF-8 text";
    if (decoded === "") return "the path has an empty segment";
    // Clients and proxies resolve dot segments, so a path that still has one is ambiguous.
    if (decoded === "." || decoded === "..") return "the path has a segment of dots";
    segments[index] = decoded;
  }
  return segments;
}
