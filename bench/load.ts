/**
 * Load generator: sends requests over keep-alive connections, one at a time on each, and measures
 * every response. It implements just enough of HTTP to cost less than any server: requests are
 * prepared bytes, and of responses only the status, the length and the body are read.
 */
import { connect, type Socket } from "node:net";

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** The bytes of the next request; undefined when none is left. */
  readonly next: () => Buffer | undefined;
  readonly durationMs: number;
  /**
   * Processor time that the client spends on every response in addition, in microseconds, as a
   * client program does.
   */
  readonly costUs?: number;
  /**
   * Requests per second over all connections; without it, each connection sends its next request
   * after the response.
   */
  readonly perSecond?: number;
  /** Called with the body of every response of status 2xx. */
  readonly onBody?: (body: Buffer) => void;
}

export interface LoadResult {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The number of responses by status, of those that weren't 2xx. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Timeout of one response, in milliseconds, after which the whole run is aborted. */
const answerTimeoutMs = 30_000;

export async function drive(load: Load): Promise<LoadResult> {
  const times: number[] = [];
  const failures: Record<string, number> = {};
  const startedAt = performance.now();
  const endsAt = startedAt + load.durationMs;
  const everyMs = load.perSecond === undefined ? 0 : (1000 * load.connections) / load.perSecond;
  await Promise.all(
    Array.from({ length: load.connections }, (_, number) => {
      const beginsAt = startedAt + (everyMs * number) / load.connections;
      return converse({ ...load, everyMs, beginsAt }, endsAt, times, failures);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    answers: times.length,
    perSecond: times.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failures,
  };
}

interface Pace {
  /**
   * The interval of a connection's requests, whether responses are in time or not: a late response
   * delays the next requests too.
   */
  readonly everyMs: number;
  readonly beginsAt: number;
}

function converse(
  load: Load & Pace,
  endsAt: number,
  times: number[],
  failures: Record<string, number>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port: load.port, host: "127.0.0.1", noDelay: true });
    let received: Buffer = Buffer.alloc(0);
    let sentAt = 0;
    let dueAt = load.beginsAt;
    let isFinished = false;
    const send = (): void => {
      const request = performance.now() < endsAt ? load.next() : undefined;
      if (!request) {
        isFinished = true;
        socket.end();
        resolve();
        return;
      }
      sentAt = load.everyMs > 0 ? dueAt : performance.now();
      socket.write(request);
    };
    const sendInTime = (): void => {
      if (load.everyMs === 0) send();
      else setTimeout(send, Math.max(0, dueAt - performance.now()));
    };
    socket.setTimeout(answerTimeoutMs, () =>
      socket.destroy(new Error(`no answer within ${answerTimeoutMs} ms`)),
    );
    socket.on("connect", sendInTime);
    socket.on("error", reject);
    // A service may close a connection after a number of requests; the client then opens a new one.
    socket.on("close", () => {
      if (!isFinished && performance.now() < endsAt)
        resolve(converse({ ...load, beginsAt: dueAt }, endsAt, times, failures));
      else resolve();
    });
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = readAnswer(received);
      if (!answer) return;
      times.push(performance.now() - sentAt);
      received = Buffer.alloc(0);
      if (answer.status >= 200 && answer.status < 300) load.onBody?.(answer.body);
      else failures[answer.status] = (failures[answer.status] ?? 0) + 1;
      if (load.costUs) spend(load.costUs);
      dueAt += load.everyMs;
      sendInTime();
    });
  });
}

function spend(microseconds: number): void {
  const endsAt = performance.now() + microseconds / 1000;
  while (performance.now() < endsAt);
}

/** The response, once it is complete. */
function readAnswer(received: Buffer): { readonly status: number; readonly body: Buffer } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  // `Content-Length: 247`, in any case except for its end; digits are read as bytes, because the
  // client must cost less than any server.
  const lengthAt = received.indexOf("ength: ");
  if (lengthAt < 0 || lengthAt > headEnd)
    throw new Error(`an answer without Content-Length:\n${received.toString("latin1", 0, headEnd)}`);
  const bodyEnd = headEnd + 4 + readDigits(received, lengthAt + "ength: ".length);
  if (received.length < bodyEnd) return undefined;
  return { status: readDigits(received, "HTTP/1.1 ".length), body: received.subarray(headEnd + 4, bodyEnd) };
}

function readDigits(bytes: Buffer, from: number): number {
  let number = 0;
  for (let at = from; ; at += 1) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return number;
    number = number * 10 + digit;
  }
}

/** The bytes of a request. */
export function request(method: string, target: string, key: string, body?: string): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, "Host: 127.0.0.1", `Authorization: Bearer ${key}`];
  if (body !== undefined)
    lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  else if (method === "POST") lines.push("Content-Length: 0");
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}
