/**
 * Writes an answer to a socket: status, headers and body in one piece, or a body that comes in pieces. Adds what every answer
 * has and nothing that a document says otherwise.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HeaderLine, ServiceResponse } from "./message.ts";

export interface RespondOptions {
  /** No further request on this connection. */
  readonly closing?: boolean;
  /** How long a peer may take nothing of what is written for it. */
  readonly writeTimeoutMs: number;
}

/** Resolves when nothing is left to be done for the answer; at once for nearly all. */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: ServiceResponse,
  options: RespondOptions,
): void | Promise<void> {
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
 * Header values have their bytes as characters (`headerValue`). Beside a text, or alone, `node:http` would write these characters as
 * UTF-8 once more; beside bytes it writes them as they are.
 */
function isPlainLine([, value]: HeaderLine): boolean {
  return plainForm.test(value);
}

/** A body up to so many bytes is taken in and thrown away rather than that a connection ends for it. */
const drainedBytesMax = 64 * 1024;

/**
 * Whether what is left of a body ends the connection: it was refused while it came, is long or of unknown length, or waits for
 * a `100 Continue` that hasn't come, so that nobody can tell whether it will be sent.
 */
function endsConnection(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers["transfer-encoding"] !== undefined) return true;
  const length = Number(headers["content-length"] ?? 0);
  if (length === 0) return false;
  return length > drainedBytesMax || headers.expect !== undefined || request.isPaused();
}

/** The service may end a connection with its answer, as it should where a request was malformed. */
function mustClose(answer: ServiceResponse): boolean {
  for (const [name, value] of answer.headers) if (name === "Connection" && value === "close") return true;
  return false;
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────

/** What every answer says unless the document says something else. */
const standing: readonly HeaderLine[] = [
  ["X-Content-Type-Options", "nosniff"],
  ["Cache-Control", "no-store"],
];

/** Names and values in turns, as `writeHead` takes them without looking at each. */
function headerLines(answer: ServiceResponse, length: number | undefined): string[] {
  const lines: string[] = [];
  let stated = 0;
  for (const [name, value] of answer.headers) {
    const known = headerNamed(name);
    if (!known) continue;
    stated |= known.standing;
    lines.push(name, headerValue(known.small, value));
  }
  standing.forEach(([name, value], at) => {
    if ((stated & (1 << at)) === 0) lines.push(name, value);
  });
  if (length !== undefined) lines.push("Content-Length", String(length));
  return lines;
}

interface HeaderName {
  readonly small: string;
  /** The bit of the standing header that it takes the place of; 0 for all others. */
  readonly standing: number;
}

const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Names looked at before; a service has few. Undefined for one that can't be sent. */
const knownNames = new Map<string, HeaderName | undefined>();
const knownNamesMax = 1000;

/** Undefined for what is no name of a header, and for what this file says itself. */
function headerNamed(name: string): HeaderName | undefined {
  const known = knownNames.get(name);
  if (known || knownNames.has(name)) return known;
  const small = name.toLowerCase();
  const at = standing.findIndex(([other]) => other.toLowerCase() === small);
  const isTaken = nameForm.test(name) && !ownHeaders.has(small);
  const found = isTaken ? { small, standing: at === -1 ? 0 : 1 << at } : undefined;
  if (knownNames.size < knownNamesMax) knownNames.set(name, found);
  return found;
}

/** Headers that say how this connection carries the answer; none is taken over as it stands. */
const ownHeaders = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);

/** Headers that hold addresses, in which other characters than ASCII are escaped. */
const addressHeaders = new Set(["location", "content-location", "link"]);

const plainForm = /^[\x20-\x7e]*$/;

/** A value that can't break out of its line. Texts of people may stand in it: line breaks become blanks, other scripts UTF-8. */
export function headerValue(smallName: string, value: string): string {
  if (plainForm.test(value)) return value;
  const line = value.toWellFormed().replaceAll(/\p{Cc}+/gu, " ");
  if (addressHeaders.has(smallName)) return line.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent);
  return Buffer.from(line, "utf8").toString("latin1");
}

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Destroys the connection of a peer that takes nothing of what is left to be written for so long; a slow reader would hold
 * it for ever. Most answers have left with the first write.
 */
function limitWriting(response: ServerResponse, timeoutMs: number): void {
  const { socket } = response;
  if (!socket || socket.writableLength === 0) return;
  let written = socket.bytesWritten;
  let left = socket.writableLength;
  const watch = setInterval(() => {
    if (socket.writableLength === left && socket.bytesWritten === written) socket.destroy();
    written = socket.bytesWritten;
    left = socket.writableLength;
  }, timeoutMs);
  watch.unref();
  response.once("close", () => clearInterval(watch));
}

/** How long a refused body is still taken in and thrown away, so that the peer gets to read why. */
const lingerMs = 1000;

/** Closing a socket with unread bytes resets it, and the peer would lose the answer that is on its way. */
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

/** Takes the next piece only when the last one has left, and none when the peer is gone. */
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
    // Not awaited: a source that waits for its next event ends by the request's signal.
    iterator.return?.().catch(() => {});
    if (!response.destroyed) response.end();
    if (!request.complete) request.resume();
  }
}

/** Whether the peer took what was written, in time. */
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
