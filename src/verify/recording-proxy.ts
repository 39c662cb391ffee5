/**
 * Recording proxy: forwards requests to one service, and reports each with its response. It doesn't
 * change any bytes.
 */
import { once } from "node:events";
import {
  Agent as HttpAgent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { messageOf } from "../support/failure.ts";
import { invariant } from "../support/invariant.ts";
import { machine } from "../support/machine.ts";

type Headers = readonly (readonly [string, string])[];

/** A forwarded request with its response. */
export interface PassedExchange {
  readonly startedAtMs: number;
  readonly tookMs: number;
  readonly method: string;
  readonly url: URL;
  readonly requestHeaders: Headers;
  /** Undefined if the body was too large to record. */
  readonly requestBody: Buffer | undefined;
  readonly status: number;
  readonly responseHeaders: Headers;
  readonly responseBody: Buffer | undefined;
}

export interface RecordingProxyOptions {
  readonly upstream: URL;
  readonly host: string;
  readonly port: number;
  /** The maximum size of a recorded body. Larger bodies are only forwarded. */
  readonly bodyBytesMax: number;
  readonly onPassed: (exchange: PassedExchange) => void;
  /** Called if the service can't be reached, or if its response ends early. */
  readonly onFailed: (message: string) => void;
}

export interface RecordingProxy {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Headers of a single connection, which aren't forwarded. Without `Accept-Encoding`, bodies are
 * readable.
 */
const ownHeaders =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|accept-encoding|expect)$/i;
const ownOfResponse = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** @throws the system's error if the port isn't available */
export async function startRecordingProxy(options: RecordingProxyOptions): Promise<RecordingProxy> {
  const isSecure = options.upstream.protocol === "https:";
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const server = createServer((request, response) => passOn(options, agent, request, response));
  server.listen(options.port, options.host);
  await once(server, "listening");
  const address = server.address();
  invariant(typeof address === "object" && address, "a server on TCP has an address with a port");
  return {
    port: address.port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}

function passOn(
  { upstream, bodyBytesMax, onPassed, onFailed }: RecordingProxyOptions,
  agent: HttpAgent | HttpsAgent,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const startedAtMs = machine.now();
  const started = machine.elapsed();
  const { method = "GET" } = request;
  const path = `${upstream.pathname.replace(/\/$/, "")}${request.url ?? "/"}`;
  const requestHeaders = pairsOf(request.rawHeaders).filter(([name]) => !ownHeaders.test(name));
  const open = upstream.protocol === "https:" ? httpsRequest : httpRequest;
  const fail = (error: unknown): void => {
    onFailed(`${method} ${path}: ${messageOf(error)}`);
    if (response.headersSent) return void response.destroy();
    response.writeHead(502, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error: `${upstream.host} can't be reached` }));
  };
  const sent = open(upstream, { agent, method, path, headers: byName(requestHeaders) });
  sent.on("error", fail);
  response.on("close", () => sent.destroy());
  const requestBody = keep(request, bodyBytesMax);
  request.pipe(sent);
  sent.on("response", (received) => {
    const responseHeaders = pairsOf(received.rawHeaders).filter(([name]) => !ownOfResponse.test(name));
    const responseBody = keep(received, bodyBytesMax);
    const status = received.statusCode ?? 502;
    response.writeHead(status, received.statusMessage, responseHeaders.flat());
    received.on("error", fail);
    received.on("end", () =>
      onPassed({
        startedAtMs,
        tookMs: machine.elapsed() - started,
        method,
        url: new URL(path, upstream),
        requestHeaders,
        requestBody: requestBody(),
        status,
        responseHeaders,
        responseBody: responseBody(),
      }),
    );
    received.pipe(response);
  });
}

function byName(headers: Headers): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [name, value] of headers) found[name] = [...(found[name] ?? []), value];
  return found;
}

function pairsOf(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));
}

/**
 * Collects the bytes of a message. The returned function gives them, or undefined if there were
 * more than `bytesMax`.
 */
function keep(message: IncomingMessage, bytesMax: number): () => Buffer | undefined {
  let pieces: Buffer[] = [];
  let bytes = 0;
  message.on("data", (piece: Buffer) => {
    bytes += piece.byteLength;
    if (bytes <= bytesMax) pieces.push(piece);
    else pieces = [];
  });
  return () => (bytes <= bytesMax ? Buffer.concat(pieces) : undefined);
}
