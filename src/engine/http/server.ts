/**
 * The socket's side of the engine: `node:http` with every time-out and ceiling set, requests handed to the service, answers
 * written, broken requests refused in the service's own words, and an end that lets what runs finish. It knows
 * nothing of documents; the operator's ceilings stand here, and no document can raise them.
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
import { closeInOrder } from "./closing.ts";
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
import { takeOtherLoopback } from "./other-loopback.ts";
import { respond } from "./respond.ts";
import { headLimits } from "./strict-request.ts";

export interface HttpServerOptions {
  /** An answer, in the document's own form, to a request that never reached the service. */
  readonly refuse: (refusal: RequestRefusal) => Awaitable<ServiceResponse>;
  /** A fault: the service rejected, or writing failed. */
  readonly onFault?: (error: unknown) => void;
  /** Who asks, where proxies stand in between; without it, whoever connects. */
  readonly clientAddressOf?: ResolveClient | undefined;
  /** With it, TLS is spoken and nothing else. */
  readonly certificate?: Certificate | undefined;
  readonly limits?: Partial<ServerLimits>;
}

/** Who this is, for TLS: both as PEM, the certificate first of those that lead to one that callers know. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface ServerLimits {
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** For its body. */
  readonly bodyTimeoutMs: number;
  /** The same once the server closes: whoever sends slowly, or nothing more, must not hold the end up. */
  readonly closingBodyTimeoutMs: number;
  /** How long a connection is still waited for then that has not sent its first request: whoever makes one is about to. */
  readonly closingFirstRequestMs: number;
  /** A connection without a request; longer than the 60 s of common balancers, which must be the ones to close. */
  readonly keepAliveTimeoutMs: number;
  /** A peer that reads nothing of its answer. */
  readonly writeTimeoutMs: number;
  /** How often connections are looked at. */
  readonly checkIntervalMs: number;
  readonly headerBytesMax: number;
  /** One more is taken in than may stand, so that the excess can be seen and refused. */
  readonly headersMax: number;
  readonly connectionsMax: number;
  /** Then the connection ends, so that clients spread over new instances. */
  readonly requestsPerConnectionMax: number;
  /** Requests whose answer has not begun; more are told to come back. */
  readonly inFlightMax: number;
  /** Bodies under way and not answered yet, of callers who are known, and of everybody else; see `body-bytes.ts`. */
  readonly callersBodyBytesMax: number;
  readonly strangersBodyBytesMax: number;
}

/** Engine defaults; see `docs/` for the table of all of them. */
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
  /** For what this file doesn't offer; routes and requests go through the service. */
  readonly server: Server;
  /** Resolves once connections are taken, at both loopback addresses where it is one of them. Port 0 picks a free one. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** The same over a socket that listens already, by the number of its descriptor. */
  listenAt(descriptor: number): Promise<AddressInfo | string | null>;
  /** Another certificate for connections from now on, of a server that has one. @throws where it doesn't fit its key */
  renew(certificate: Certificate): void;
  /** From now on each answer ends its connection, so that callers go elsewhere; new ones are still taken. */
  leave(): void;
  /** Takes no new connections, lets running requests finish for so long, then closes what is left. */
  close(graceMs: number): Promise<void>;
}

export function createHttpServer(service: ServiceHandler, options: HttpServerOptions): HttpServer {
  const limits: ServerLimits = { ...serverLimits, ...options.limits };
  const state: ServerState = { closing: false, inFlight: 0 };
  const { certificate } = options;
  const serverOptions: ServerOptions = {
    headersTimeout: limits.headersTimeoutMs,
    // Only a backstop: bodies have a clock of their own, whose refusal is the document's.
    requestTimeout: limits.headersTimeoutMs + limits.bodyTimeoutMs + limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.headerBytesMax,
    insecureHTTPParser: false,
    requireHostHeader: false,
    noDelay: true,
    keepAlive: true,
    // A request that has no body makes no stream of one.
    optimizeEmptyRequests: true,
  };
  const server: Server = certificate
    ? createSecureServer({ ...serverOptions, ...certificate, handshakeTimeout: limits.headersTimeoutMs })
    : createServer(serverOptions);
  server.maxHeadersCount = limits.headersMax + 1;
  server.maxConnections = limits.connectionsMax;
  server.timeout = 0;

  const connections = connectionsOf(server, certificate !== undefined);
  const take = createTaker(service, options, limits, state);
  const refuse = (code: string | undefined, socket: Duplex) => {
    refuseOnSocket(code, socket, limits, options.refuse).catch((error) => {
      options.onFault?.(error);
      socket.destroy();
    });
  };
  server.on("request", (request, response) => take(request, response, false));
  server.on("checkContinue", (request, response) => take(request, response, true));
  server.on("checkExpectation", (request, response) => take(request, response, false));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error.code, socket));
  server.on("connect", (_request, socket) => refuse("CONNECT", socket));
  let other: NetServer | undefined;
  let isOwn = true;
  return {
    server,
    async listen(port, host) {
      for (let triesLeft = port === 0 ? freePortTries : 1; ; triesLeft -= 1) {
        const bound = (await listen(server, { port, host })) as AddressInfo;
        try {
          other = await takeOtherLoopback(server, bound);
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
      return closeInOrder(other ? [server, other] : [server], server, connections, {
        graceMs,
        bodyMs: Math.min(graceMs, limits.closingBodyTimeoutMs),
        firstRequestMs: Math.min(graceMs, limits.closingFirstRequestMs),
        isOwn,
        hasReceivedRequest: (socket) => peer in socket,
      });
    },
  };
}

/** What Node's own servers give requests to, and those that are made of them. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * What a server of somebody else's calls for the service's paths, on sockets and with time-outs that are that server's. A body must not have
 * been read by then.
 */
export function createNodeHandler(
  service: ServiceHandler,
  options: Pick<HttpServerOptions, "refuse" | "onFault" | "clientAddressOf">,
): NodeHandler {
  const take = createTaker(service, options, serverLimits, { closing: false, inFlight: 0 });
  return (request, response) => take(request, response, false);
}

/** A port that is free at one loopback address may be taken at the other. */
const freePortTries = 8;

interface ServerState {
  closing: boolean;
  /** Requests that the service has and has not answered yet. */
  inFlight: number;
}

/** What is known of a connection. */
interface Peer {
  readonly address: string;
  /** Requests that were answered. `maxRequestsPerSocket` would answer 503 to clients that have sent the next one already. */
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
  problem: "too many requests are under way",
  retryAfterSeconds: 1,
};

type Taker = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;

/** Hands requests to the service and writes what it answers; whatever goes wrong ends with an answer or a closed connection. */
function createTaker(
  service: ServiceHandler,
  options: HttpServerOptions,
  limits: ServerLimits,
  state: ServerState,
): Taker {
  const ticks = createTickScheduler();
  const shares: BodyShares = {
    callers: createBodyShare(limits.callersBodyBytesMax),
    strangers: createBodyShare(limits.strangersBodyBytesMax),
  };
  /** Undefined where nobody is left to be answered. */
  const refused = (error: unknown): Awaitable<ServiceResponse | undefined> => {
    if (error instanceof BodyRefusal) return error.aborted ? undefined : options.refuse(error);
    options.onFault?.(error);
    return { status: 500, headers: [], body: "" };
  };
  const ask = (request: NodeRequest): Awaitable<ServiceResponse | undefined> => {
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
    // A peer may break off at any moment; nobody is left to tell.
    response.on("error", nothing);
    const fail = (error: unknown) => {
      options.onFault?.(error);
      response.destroy();
    };
    const guarded = (work: () => Awaitable<void>) => void withRecovery(work, fail);
    const answered = (answer: ServiceResponse | undefined) => {
      if (answer) ticks.finish(() => guarded(() => write(request, response, answer)));
    };
    const begin = () => guarded(() => after(ask(new NodeRequest(request, response, reading)), answered));
    const { clientAddressOf } = options;
    const reading = {
      timeoutMs: limits.bodyTimeoutMs,
      expectsContinue,
      shares,
      clientAddressOf: clientAddressOf,
    };
    // The head is told of before the body behind it is read, even where both have come together.
    if (bodiless.has(request.method ?? "")) ticks.run(begin);
    else ticks.runAtTickEnd(begin);
  };
}

/** Methods whose requests have no body, as a rule. */
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

  get hasCome(): boolean {
    return this.#request.complete;
  }

  body(bytesMax: number, isFromCaller = false): Awaitable<Uint8Array> {
    const { timeoutMs, expectsContinue, shares } = this.#reading;
    this.#body ??= readBody(this.#request, {
      bytesMax,
      timeoutMs,
      share: isFromCaller ? shares.callers : shares.strangers,
      holding: (held) => {
        this.#held = held;
      },
      sendContinue: expectsContinue ? () => this.#response.writeContinue() : undefined,
    });
    return this.#body;
  }

  /** It is answered: what was held of its body is not needed any more. */
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
