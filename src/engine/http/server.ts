/**
 * HTTP server: `node:http` with time-outs and limits, request dispatch, response writing, rejection
 * of malformed requests in the document's error format, and graceful shutdown. It does not depend
 * on documents. No document can raise the operator's limits here.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { after, type Awaitable, withRecovery } from "../../support/awaitable.ts";
import { readBody } from "./body.ts";
import { type BodyShare, createBodyShare, type BodyReservation } from "./body-bytes.ts";
import type { ResolveClient } from "./client-address.ts";
import { closeInOrder } from "./shutdown.ts";
import { connectionsOf } from "./connections.ts";
import {
  BodyRefusal,
  type RequestRefusal,
  type ServiceHandler,
  type ServiceRequest,
  type ServiceResponse,
} from "./message.ts";
import { createTickScheduler } from "./tick-scheduler.ts";
import { refuseOnSocket } from "./refuse-on-socket.ts";
import { listenOnOtherLoopback } from "./other-loopback.ts";
import { respond } from "./respond.ts";
import { headLimits } from "./strict-request.ts";

export interface HttpServerOptions {
  /**
   * Returns the response to a request that cannot reach the service, in the document's error
   * format.
   */
  readonly refuse: (refusal: RequestRefusal) => Awaitable<ServiceResponse>;
  /** Receives a fault: the service rejected, or writing failed. */
  readonly onFault?: (error: unknown) => void;
  /** Determines the client behind proxies; by default the client is the peer. */
  readonly clientAddressOf?: ResolveClient | undefined;
  /** If set, the server accepts TLS only. */
  readonly certificate?: Certificate | undefined;
  readonly limits?: Partial<ServerLimits>;
}

/** The TLS certificate and key as PEM. The server's certificate comes first, then its chain. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface ServerLimits {
  /** From the first byte of a request to the end of its headers, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** For the body of a request. */
  readonly bodyTimeoutMs: number;
  /** For the body of a request during shutdown: slow clients must not delay it. */
  readonly closingBodyTimeoutMs: number;
  /**
   * During shutdown, how long the server keeps a connection without a request: its client is about
   * to send one.
   */
  readonly closingFirstRequestMs: number;
  /**
   * For an idle connection; longer than the 60 s of common load balancers, which should close
   * first.
   */
  readonly keepAliveTimeoutMs: number;
  /** For a peer that does not read its response. */
  readonly writeTimeoutMs: number;
  /** Interval of connection checks. */
  readonly checkIntervalMs: number;
  readonly headerBytesMax: number;
  /**
   * Node accepts one header more than the limit, so that the server detects and rejects the excess.
   */
  readonly headersMax: number;
  readonly connectionsMax: number;
  /** The connection closes after this number, so that clients spread to new instances. */
  readonly requestsPerConnectionMax: number;
  /** Maximum number of requests without a started response; further requests receive 503. */
  readonly inFlightMax: number;
  /**
   * Maximum bytes of bodies in memory, for authenticated callers and for other clients; see
   * `body-bytes.ts`.
   */
  readonly callersBodyBytesMax: number;
  readonly strangersBodyBytesMax: number;
}

/** Engine defaults (docs/engine-defaults.md). */
export const serverLimits: ServerLimits = {
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  closingBodyTimeoutMs: 5000,
  closingFirstRequestMs: 500,
  keepAliveTimeoutMs: 72_000,
  writeTimeoutMs: 30_000,
  checkIntervalMs: 2000,
  headerBytesMax: headLimits.headerBytesMax,
  headersMax: headLimits.headersMax,
  connectionsMax: 10_000,
  requestsPerConnectionMax: 1000,
  inFlightMax: 5000,
  callersBodyBytesMax: 128 * 1024 * 1024,
  strangersBodyBytesMax: 32 * 1024 * 1024,
};

export interface HttpServer {
  /** The underlying server, for uses that this interface does not cover. */
  readonly server: Server;
  /**
   * Resolves when connections are accepted, on both loopback addresses if the host is one. Port 0
   * selects a free port.
   */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Accepts connections on a socket that already listens, by its file descriptor. */
  listenAt(descriptor: number): Promise<AddressInfo | string | null>;
  /**
   * Replaces the certificate for new connections.
   * @throws if the certificate does not fit its key
   */
  renew(certificate: Certificate): void;
  /**
   * From now on each response closes its connection, so that clients move to other instances. The
   * server still accepts new connections.
   */
  leave(): void;
  /**
   * Stops accepting connections, waits `graceMs` for requests in progress, then closes the rest.
   */
  close(graceMs: number): Promise<void>;
}

export function createHttpServer(service: ServiceHandler, options: HttpServerOptions): HttpServer {
  const limits: ServerLimits = { ...serverLimits, ...options.limits };
  const state: ServerState = { closing: false, inFlight: 0 };
  const { certificate } = options;
  const server = openServer(limits, certificate);
  const connections = connectionsOf(server, certificate !== undefined);
  const onRequest = createRequestListener(service, options, limits, state);
  const refuse = (code: string | undefined, socket: Duplex) => {
    refuseOnSocket(code, socket, limits, options.refuse).catch((error) => {
      options.onFault?.(error);
      socket.destroy();
    });
  };
  server.on("request", (request, response) => onRequest(request, response, false));
  server.on("checkContinue", (request, response) => onRequest(request, response, true));
  server.on("checkExpectation", (request, response) => onRequest(request, response, false));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error.code, socket));
  server.on("connect", (_request, socket) => refuse("CONNECT", socket));
  let otherLoopback: NetServer | undefined;
  let isOwn = true;
  return {
    server,
    async listen(port, host) {
      for (let triesLeft = port === 0 ? freePortTries : 1; ; triesLeft -= 1) {
        const bound = (await listen(server, { port, host })) as AddressInfo;
        try {
          otherLoopback = await listenOnOtherLoopback(server, bound);
          return bound;
        } catch (error) {
          await new Promise((resolve) => server.close(resolve));
          if (triesLeft === 1) throw error;
        }
      }
    },
    listenAt(descriptor) {
      isOwn = false;
      return listen(server, { fd: descriptor });
    },
    renew(next) {
      (server as SecureServer).setSecureContext({ ...next });
    },
    leave() {
      state.closing = true;
    },
    close(graceMs) {
      state.closing = true;
      return closeInOrder(otherLoopback ? [server, otherLoopback] : [server], server, connections, {
        graceMs,
        bodyMs: Math.min(graceMs, limits.closingBodyTimeoutMs),
        firstRequestMs: Math.min(graceMs, limits.closingFirstRequestMs),
        isOwn,
        hasReceivedRequest: (socket) => peer in socket,
      });
    },
  };
}

function openServer(limits: ServerLimits, certificate: Certificate | undefined): Server {
  const serverOptions: ServerOptions = {
    headersTimeout: limits.headersTimeoutMs,
    // A backstop only: bodies have their own time-out, which answers in the document's format.
    requestTimeout: limits.headersTimeoutMs + limits.bodyTimeoutMs + limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.headerBytesMax,
    insecureHTTPParser: false,
    requireHostHeader: false,
    noDelay: true,
    keepAlive: true,
    // A request without a body creates no stream.
    optimizeEmptyRequests: true,
  };
  const server: Server = certificate
    ? createSecureServer({ ...serverOptions, ...certificate, handshakeTimeout: limits.headersTimeoutMs })
    : createServer(serverOptions);
  server.maxHeadersCount = limits.headersMax + 1;
  server.maxConnections = limits.connectionsMax;
  server.timeout = 0;
  return server;
}

/** The request listener of Node's servers, and of frameworks based on them. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Creates a request listener for another server. That server provides sockets and time-outs and
 * passes on the service's paths. It must not have read the body.
 */
export function createNodeHandler(
  service: ServiceHandler,
  options: Pick<HttpServerOptions, "refuse" | "onFault" | "clientAddressOf">,
): NodeHandler {
  const onRequest = createRequestListener(service, options, serverLimits, { closing: false, inFlight: 0 });
  return (request, response) => onRequest(request, response, false);
}

/** A port that is free on one loopback address may be in use on the other. */
const freePortTries = 8;

interface ServerState {
  closing: boolean;
  /** Number of requests without a response. */
  inFlight: number;
}

/** State of a connection. */
interface Peer {
  readonly address: string;
  /**
   * Number of answered requests. With `maxRequestsPerSocket`, Node would answer 503 to clients that
   * have already sent the next request.
   */
  answered: number;
}

const peer = Symbol("peer");

function peerOf(socket: Socket & { [peer]?: Peer }): Peer {
  socket[peer] ??= { address: socket.remoteAddress ?? "", answered: 0 };
  return socket[peer];
}

const tooBusy: RequestRefusal = {
  condition: "unavailable",
  status: 503,
  problem: "too many requests are in progress",
  retryAfterSeconds: 1,
};

type RequestListener = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;

/**
 * Passes requests to the service and writes its responses. Every error ends in a response or a
 * closed connection.
 */
function createRequestListener(
  service: ServiceHandler,
  options: HttpServerOptions,
  limits: ServerLimits,
  state: ServerState,
): RequestListener {
  const ticks = createTickScheduler();
  const shares: BodyShares = {
    callers: createBodyShare(limits.callersBodyBytesMax),
    strangers: createBodyShare(limits.strangersBodyBytesMax),
  };
  /** Undefined if the peer has disconnected. */
  const refused = (error: unknown): Awaitable<ServiceResponse | undefined> => {
    if (error instanceof BodyRefusal) return error.aborted ? undefined : options.refuse(error);
    options.onFault?.(error);
    return { status: 500, headers: [], body: "" };
  };
  const sendRequest = (request: NodeRequest): Awaitable<ServiceResponse | undefined> => {
    if (state.inFlight >= limits.inFlightMax) return options.refuse(tooBusy);
    state.inFlight += 1;
    const answering = withRecovery<ServiceResponse | undefined>(() => service(request), refused);
    if (answering instanceof Promise)
      return answering.finally(() => {
        state.inFlight -= 1;
        request.release();
      });
    state.inFlight -= 1;
    return answering;
  };
  const write = (request: IncomingMessage, response: ServerResponse, answer: ServiceResponse) => {
    if (response.destroyed) return;
    const connection = peerOf(request.socket);
    connection.answered += 1;
    return respond(request, response, answer, {
      closing: state.closing || connection.answered >= limits.requestsPerConnectionMax,
      writeTimeoutMs: limits.writeTimeoutMs,
    });
  };
  return (request, response, expectsContinue) => {
    // A peer may disconnect at any moment; no client receives the response then.
    response.on("error", nothing);
    const fail = (error: unknown) => {
      options.onFault?.(error);
      response.destroy();
    };
    const guarded = (work: () => Awaitable<void>) => void withRecovery(work, fail);
    const answered = (answer: ServiceResponse | undefined) => {
      if (answer) ticks.finish(() => guarded(() => write(request, response, answer)));
    };
    const begin = () =>
      guarded(() => after(sendRequest(new NodeRequest(request, response, reading)), answered));
    const { clientAddressOf } = options;
    const reading = {
      timeoutMs: limits.bodyTimeoutMs,
      expectsContinue,
      shares,
      clientAddressOf,
    };
    // Node emits the head before it reads the body, even if both have arrived together.
    if (bodiless.has(request.method ?? "")) ticks.run(begin);
    else ticks.runAtTickEnd(begin);
  };
}

/** Methods whose requests usually have no body. */
const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

interface BodyShares {
  readonly callers: BodyShare;
  readonly strangers: BodyShare;
}

const nothing = () => {};

function listen(
  server: Server,
  place: { readonly port: number; readonly host: string } | { readonly fd: number },
): Promise<ReturnType<Server["address"]>> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...place, backlog: 1024 }, () => {
      server.off("error", reject);
      resolve(server.address());
    });
  });
}

interface RequestReading {
  readonly timeoutMs: number;
  readonly expectsContinue: boolean;
  readonly shares: BodyShares;
  readonly clientAddressOf: ResolveClient | undefined;
}

class NodeRequest implements ServiceRequest {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
  readonly remoteAddress: string;
  readonly origin: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #reading: RequestReading;
  #body: Awaitable<Uint8Array> | undefined;
  #held: BodyReservation | undefined;
  #signal: AbortSignal | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, reading: RequestReading) {
    this.method = request.method ?? "";
    this.target = request.url ?? "";
    this.httpVersion = request.httpVersion;
    this.rawHeaders = request.rawHeaders;
    const { address } = peerOf(request.socket);
    const client = reading.clientAddressOf?.(address, request.rawHeaders);
    this.remoteAddress = client?.address ?? address;
    this.origin = client?.origin;
    this.#request = request;
    this.#response = response;
    this.#reading = reading;
  }

  get isBodyComplete(): boolean {
    return this.#request.complete;
  }

  body(bytesMax: number, isFromCaller = false): Awaitable<Uint8Array> {
    const { timeoutMs, expectsContinue, shares } = this.#reading;
    this.#body ??= readBody(this.#request, {
      bytesMax,
      timeoutMs,
      share: isFromCaller ? shares.callers : shares.strangers,
      holding: (reservation) => {
        this.#held = reservation;
      },
      sendContinue: expectsContinue ? () => this.#response.writeContinue() : undefined,
    });
    return this.#body;
  }

  reserve(bytes: number, bytesMax: number, isFromCaller: boolean): boolean {
    const { shares } = this.#reading;
    if (!this.#held) {
      this.#held = (isFromCaller ? shares.callers : shares.strangers).reserve(bytesMax, () => {});
      this.#held.arrived();
    }
    return this.#held.extend(bytes);
  }

  /** Releases the body's memory after the response. */
  release(): void {
    this.#held?.release();
  }

  get signal(): AbortSignal {
    this.#signal ??= closeSignal(this.#response);
    return this.#signal;
  }
}

function closeSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.once("close", () => controller.abort());
  return controller.signal;
}
