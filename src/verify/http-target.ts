/**
 * HTTP target: sends requests to a service at a URL. A response has a time limit and a size limit.
 * So a service that hangs, resets connections or never ends a response only fails the request.
 * `signal` ends the current pause, and the current request after a short time. Later requests, which
 * clean up, are sent as before.
 */
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { newDecoder } from "../support/new-decoder.ts";
import { codeOf, messageOf } from "../support/failure.ts";
import { machine } from "../support/machine.ts";
import type { ScenarioTarget } from "./run-scenario.ts";
import { ServiceFailed } from "./service-failed.ts";
import type { SentRequest, ReceivedResponse } from "./scenario-failure.ts";

export interface HttpTargetOptions {
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  /** The minimum interval between requests, in milliseconds. */
  readonly gapMs: number;
  readonly signal?: AbortSignal;
  /** The service's clock, if it can be moved. */
  readonly clock?: ServiceClock | undefined;
}

/** The clock of a service at a URL. */
export interface ServiceClock {
  nowMs(): number;
  moveBy(milliseconds: number): Promise<void>;
}

/** The maximum number of concurrent requests. */
const socketsMax = 8;
/** The time that a request has to complete after the signal, in milliseconds. */
const graceMs = 1_000;
/**
 * The minimum advance of the clock, in milliseconds. A shorter time passes without moving the
 * clock.
 */
const movedMsMin = 1_000;

export interface StreamedResponse {
  readonly status: number;
  readonly headers: ReceivedResponse["headers"];
  readonly pieces: AsyncIterable<Uint8Array>;
  close(): void;
}

export class HttpTarget implements ScenarioTarget {
  readonly #url: URL;
  readonly #options: HttpTargetOptions;
  readonly #agent: HttpAgent;
  readonly #prefix: string;
  readonly origin: string;

  constructor(url: URL, options: HttpTargetOptions) {
    this.#url = url;
    this.#options = options;
    const Agent = url.protocol === "https:" ? HttpsAgent : HttpAgent;
    this.#agent = new Agent({ keepAlive: true, maxSockets: socketsMax });
    this.#prefix = url.pathname.replace(/\/$/, "");
    this.origin = `${url.origin}${this.#prefix}`;
  }

  nowMs(): number {
    return this.#options.clock?.nowMs() ?? machine.now();
  }

  /**
   * Advances the clock by this time, or waits if there is no movable clock. At least the gap
   * between requests passes.
   */
  async passTime(milliseconds: number): Promise<void> {
    const { clock, signal, gapMs } = this.#options;
    const isMoved = clock !== undefined && milliseconds >= movedMsMin && !signal?.aborted;
    if (isMoved) await clock.moveBy(milliseconds);
    await pause(signal, isMoved ? 0 : milliseconds, gapMs);
  }

  /** @throws ServiceFailed if there is no complete response */
  send(request: SentRequest, isEnough?: (body: string) => boolean): Promise<ReceivedResponse> {
    const { timeoutMs, bodyBytesMax, signal } = this.#options;
    return new Promise((resolve, reject) => {
      const fail = (message: string) => reject(new ServiceFailed(message));
      const controller = new AbortController();
      const takeBack = machine.after(timeoutMs, () => {
        fail(`no complete response within ${timeoutMs / 1000} seconds`);
        controller.abort();
      });
      let takeBackGrace = (): void => {};
      const stop = (): void => {
        takeBackGrace = machine.after(graceMs, () => controller.abort());
      };
      signal?.addEventListener("abort", stop);
      const cancel = (): void => {
        takeBack();
        takeBackGrace();
        signal?.removeEventListener("abort", stop);
      };
      const sent = this.#start(request, this.#agent, controller.signal, (response) => {
        readResponse(response, bodyBytesMax, isEnough).then(
          (received) => {
            cancel();
            resolve(received);
            if (isEnough) controller.abort();
          },
          (error: unknown) => {
            cancel();
            fail(inWords(error));
            controller.abort();
          },
        );
      });
      sent.on("error", (error) => {
        cancel();
        fail(inWords(error));
      });
      sent.end(request.body);
    });
  }

  /**
   * Opens a response whose body is read as it arrives.
   * @throws ServiceFailed if there is no response
   */
  open(request: SentRequest): Promise<StreamedResponse> {
    const { timeoutMs, signal } = this.#options;
    return new Promise((resolve, reject) => {
      const controller = new AbortController();
      const close = (): void => controller.abort();
      const cancel = machine.after(timeoutMs, () => {
        reject(new ServiceFailed(`no response within ${timeoutMs / 1000} seconds`));
        close();
      });
      // A connection of its own, because streams would use up those of the agent.
      const sent = this.#start(request, false, controller.signal, (response) => {
        cancel();
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: pairsOf(response), pieces: response, close });
      });
      sent.on("error", (error) => {
        cancel();
        reject(new ServiceFailed(inWords(error)));
      });
      signal?.addEventListener("abort", close, { once: true });
      sent.end(request.body);
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }

  #start(
    request: SentRequest,
    agent: HttpAgent | false,
    signal: AbortSignal,
    received: (response: IncomingMessage) => void,
  ): ClientRequest {
    const { protocol, hostname, port } = this.#url;
    const isSecure = protocol === "https:";
    const start = isSecure ? httpsRequest : httpRequest;
    const address = {
      protocol,
      hostname: hostname.replaceAll(/^\[|\]$/g, ""),
      port: port === "" ? (isSecure ? 443 : 80) : Number(port),
      method: request.method,
      path: `${this.#prefix}${request.target}`,
      headers: headersOf(request),
    };
    return start({ agent, ...address, signal }, received);
  }
}

/**
 * Waits for this time and at least for the gap. After the signal, it waits only for the gap.
 */
function pause(signal: AbortSignal | undefined, milliseconds: number, gapMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return void machine.after(gapMs, resolve);
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = machine.after(Math.max(milliseconds, gapMs), end);
    signal?.addEventListener("abort", end);
  });
}

function headersOf({ headers, body, method }: SentRequest): Record<string, string | string[]> {
  const byName: Record<string, string[]> = {};
  for (const [name, value] of headers) byName[name] = [...(byName[name] ?? []), value];
  const needsLength = body !== undefined || method === "POST" || method === "PUT" || method === "PATCH";
  const length = needsLength ? { "Content-Length": String(Buffer.byteLength(body ?? "")) } : {};
  return { ...byName, ...length };
}

async function readResponse(
  response: IncomingMessage,
  bodyBytesMax: number,
  isEnough: ((body: string) => boolean) | undefined,
): Promise<ReceivedResponse> {
  const decoder = newDecoder();
  let body = "";
  let bytes = 0;
  for await (const piece of decompressed(response)) {
    const chunk: Uint8Array = piece;
    bytes += chunk.byteLength;
    if (bytes > bodyBytesMax) throw new ServiceFailed(`a response of more than ${bodyBytesMax} bytes`);
    body += decoder.decode(chunk, { stream: true });
    if (isEnough?.(body)) break;
  }
  return { status: response.statusCode ?? 0, headers: pairsOf(response), body };
}

/**
 * The body without its content coding. A service, or a proxy before it, may use any if the request
 * names none.
 */
function decompressed(response: IncomingMessage): Readable {
  const make = decompressors[response.headers["content-encoding"]?.toLowerCase() ?? ""];
  return make === undefined ? response : pipeline(response, make(), () => {});
}

const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

function pairsOf({ rawHeaders }: IncomingMessage): ReceivedResponse["headers"] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as const] : []));
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "the host is unknown",
  EAI_AGAIN: "the host name could not be resolved",
  ETIMEDOUT: "the connection timed out",
  EPIPE: "the connection was closed",
  EPROTO: "it doesn't speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "it doesn't speak TLS",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed. Name it in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "no known authority signed its certificate. Name it in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "no known authority signed its certificate. Name it in NODE_EXTRA_CA_CERTS",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is of another host",
};

function inWords(error: unknown): string {
  if (error instanceof ServiceFailed) return error.message;
  const code = codeOf(error) ?? "";
  if (code.startsWith("HPE_")) return `its response isn't valid HTTP (${messageOf(error)})`;
  return failures[code] ?? (code === "" ? messageOf(error) : code);
}
