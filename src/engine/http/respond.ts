/**
 * Response writing: sends status, headers and body in one piece, or streams the body. It adds the
 * default headers of every response unless the document states others.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HeaderLine, ServiceResponse } from "./message.ts";

export interface RespondOptions {
  /** The server accepts no further request on this connection. */
  readonly closing?: boolean;
  /** The time-out for a peer that does not read, in milliseconds. */
  readonly writeTimeoutMs: number;
}

/** Resolves when the response is finished; for nearly all responses, synchronously. */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: ServiceResponse,
  options: RespondOptions,
): void | Promise<void> {
  if (answer.breaks) return breakOff(response, answer);
  const unread = !request.complete && endsConnection(request);
  const bodiless = answer.status === 204 || answer.status === 304;
  const silent = bodiless || request.method === "HEAD";
  const isPlain = answer.headers.every(isPlainLine);
  const body = isPlain || typeof answer.body !== "string" ? answer.body : Buffer.from(answer.body);
  const buffered = typeof body === "string" || body instanceof Uint8Array;
  const headers = headerLines(answer, buffered && !bodiless ? lengthOf(body) : undefined);
  if (options.closing || unread || mustClose(answer)) headers.push("Connection", "close");
  response.writeHead(answer.status, headers);

  const sendHead = () => (isPlain ? response.flushHeaders() : void response.write(noBytes));
  if (!buffered) return writePieces(request, response, body, silent, options.writeTimeoutMs, sendHead);
  if (unread) return writeAndDrain(request, response, silent ? "" : body, sendHead);
  response.end(silent ? undefined : body);
  limitWriting(response, options.writeTimeoutMs);
}

const noBytes = new Uint8Array(0);

/**
 * Breaks the connection on purpose. A cut response states its full length and has half of its body,
 * so that its client can't accept it as complete. An empty body has no half.
 */
function breakOff(response: ServerResponse, answer: ServiceResponse): void {
  const { socket } = response;
  const { body } = answer;
  const isStream = typeof body !== "string" && !(body instanceof Uint8Array);
  const bytes = isStream ? noBytes : typeof body === "string" ? Buffer.from(body) : body;
  // The source fails while it is closed; no reader is left to notice.
  if (isStream)
    body[Symbol.asyncIterator]()
      .return?.()
      .catch(() => {});
  if (answer.breaks === "reset" || (!isStream && bytes.byteLength === 0)) {
    // TLS has no reset, so its connection is closed.
    if (socket && "encrypted" in socket) socket.destroy();
    else socket?.resetAndDestroy();
    return;
  }
  response.writeHead(answer.status, headerLines(answer, isStream ? undefined : bytes.byteLength));
  response.flushHeaders();
  response.write(bytes.subarray(0, Math.floor(bytes.byteLength / 2)), () => socket?.destroy());
}

/**
 * Header values are encoded as Latin-1 (`headerValue`). With a text body, or without a body,
 * `node:http` would encode them as UTF-8 again; with a binary body it writes them unchanged.
 */
function isPlainLine([, value]: HeaderLine): boolean {
  return plainForm.test(value);
}

/** An unread body up to this size is read and discarded, to keep the connection. */
const drainedBytesMax = 64 * 1024;

/**
 * Whether an unread body closes the connection. It does if the server rejected it while it arrived,
 * or if it is long or of unknown length. It also does if the client waits for a `100 Continue` that
 * was not sent, because the client may or may not send the body.
 */
function endsConnection(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers["transfer-encoding"] !== undefined) return true;
  const length = Number(headers["content-length"] ?? 0);
  if (length === 0) return false;
  return length > drainedBytesMax || headers.expect !== undefined || request.isPaused();
}

/** Whether the server closes the connection after this response, as after a malformed request. */
function mustClose(answer: ServiceResponse): boolean {
  for (const [name, value] of answer.headers) if (name === "Connection" && value === "close") return true;
  return false;
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────

/** Default headers of every response, unless the document states others. */
const defaultHeaders: readonly HeaderLine[] = [
  ["X-Content-Type-Options", "nosniff"],
  ["Cache-Control", "no-store"],
];

/** Alternating names and values, in the form that `writeHead` accepts without checking each. */
function headerLines(answer: ServiceResponse, length: number | undefined): string[] {
  const lines: string[] = [];
  let stated = 0;
  for (const [name, value] of answer.headers) {
    const known = headerNamed(name);
    if (!known) continue;
    stated |= known.defaultHeaders;
    lines.push(name, headerValue(known.small, value));
  }
  defaultHeaders.forEach(([name, value], at) => {
    if ((stated & (1 << at)) === 0) lines.push(name, value);
  });
  if (length !== undefined) lines.push("Content-Length", String(length));
  return lines;
}

interface HeaderName {
  readonly small: string;
  /** The bit of the default header that it replaces; 0 for all other headers. */
  readonly defaultHeaders: number;
}

const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/**
 * Cache of header names; a service has few. The value is undefined for a name that cannot be sent.
 */
const knownNames = new Map<string, HeaderName | undefined>();
const knownNamesMax = 1000;

/** Undefined for an invalid header name, and for headers that this file controls. */
function headerNamed(name: string): HeaderName | undefined {
  const known = knownNames.get(name);
  if (known || knownNames.has(name)) return known;
  const small = name.toLowerCase();
  const at = defaultHeaders.findIndex(([headerName]) => headerName.toLowerCase() === small);
  const isAllowed = nameForm.test(name) && !ownHeaders.has(small);
  const found = isAllowed ? { small, defaultHeaders: at === -1 ? 0 : 1 << at } : undefined;
  if (knownNames.size < knownNamesMax) knownNames.set(name, found);
  return found;
}

/** Connection-level headers; values from the answer are ignored. */
const ownHeaders = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);

/** Headers with URLs, in which non-ASCII characters are escaped. */
const addressHeaders = new Set(["location", "content-location", "link"]);

const plainForm = /^[\x20-\x7e]*$/;

/**
 * Returns a safe header value. It may contain user text: line breaks become spaces, and non-ASCII
 * characters UTF-8.
 */
export function headerValue(lowerCaseName: string, value: string): string {
  if (plainForm.test(value)) return value;
  const line = value.toWellFormed().replaceAll(/\p{Cc}+/gu, " ");
  if (addressHeaders.has(lowerCaseName)) return line.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent);
  return Buffer.from(line, "utf8").toString("latin1");
}

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Destroys the connection of a peer that does not read for this time; otherwise a slow reader would
 * hold it forever. Most responses are sent with the first write.
 */
function limitWriting(response: ServerResponse, timeoutMs: number): void {
  const { socket } = response;
  if (!socket || socket.writableLength === 0) return;
  let bytesWritten = socket.bytesWritten;
  let left = socket.writableLength;
  const watch = setInterval(() => {
    if (socket.writableLength === left && socket.bytesWritten === bytesWritten) socket.destroy();
    bytesWritten = socket.bytesWritten;
    left = socket.writableLength;
  }, timeoutMs);
  watch.unref();
  response.once("close", () => clearInterval(watch));
}

/**
 * How long a rejected body is still read and discarded, so that the peer can read the response, in
 * milliseconds.
 */
const lingerMs = 1000;

/** Closing a socket with unread data resets it, and the peer would lose the response. */
async function writeAndDrain(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array,
  sendHead: () => void,
): Promise<void> {
  sendHead();
  if (body.length > 0) response.write(body);
  await drain(request);
  response.end();
}

function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, lingerMs);
    request.once("end", done).once("close", done).once("error", done);
    request.resume();
  });
}

/**
 * Reads the next piece only after the previous one is sent. Reads none after the peer has
 * disconnected.
 */
async function writePieces(
  request: IncomingMessage,
  response: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
  silent: boolean,
  timeoutMs: number,
  sendHead: () => void,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const closed = new Promise<"gone">((resolve) => response.once("close", () => resolve("gone")));
  try {
    sendHead();
    while (!silent) {
      const next = await Promise.race([iterator.next(), closed]);
      if (next === "gone" || next.done) break;
      if (!response.write(next.value) && !(await drains(response, closed, timeoutMs))) break;
    }
  } finally {
    // Not awaited: a source that waits for its next event finishes by the request's signal.
    iterator.return?.().catch(() => {});
    if (!response.destroyed) response.end();
    if (!request.complete) request.resume();
  }
}

/** Resolves to whether the peer has read the data in time. */
async function drains(
  response: ServerResponse,
  closed: Promise<"gone">,
  timeoutMs: number,
): Promise<boolean> {
  const timer = setTimeout(() => response.destroy(), timeoutMs);
  const drained = new Promise<"drained">((resolve) => response.once("drain", () => resolve("drained")));
  const first = await Promise.race([drained, closed]);
  clearTimeout(timer);
  return first === "drained";
}
