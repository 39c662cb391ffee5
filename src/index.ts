/**
 * Public library: compiles a document and opens it as a service, for test suites and Node servers
 * that embed it.
 *
 *   const { model, diagnostics } = compile(text, { file: "parcels.md" });
 *   const service = await openService(model, { store: ":memory:" });
 *   const answer = await service.fetch(createRequest({ method: "GET", target: "/v1/parcels" }));
 */
import type { HandlerModule } from "./engine/handler-module.ts";
import { guardHost } from "./engine/http/host-guard.ts";
import { isLoopback } from "./engine/http/loopback.ts";
import {
  createHttpServer,
  createNodeHandler,
  type HttpServer,
  type NodeHandler,
} from "./engine/http/server.ts";
import { fetchFromService } from "./engine/http/web.ts";
import { headBytesOf } from "./engine/limits/bounds.ts";
import { startCheckOf } from "./engine/assembly/start-check.ts";
import { createService, type Service } from "./engine/service.ts";
import { type Ports, silentLog, systemClock } from "./engine/ports.ts";
import { meaningOf } from "./model/meaning.ts";
import type { Model } from "./model/model.ts";
import { openStore } from "./store/index.ts";
import { createRandomPool } from "./support/random-pool.ts";

export { compile, type Compilation } from "./compile.ts";
export type { Diagnostic } from "./diagnostics/diagnostic.ts";
export {
  type Handler,
  type HandlerModule,
  type HandlerTransaction,
  Refused,
} from "./engine/handler-module.ts";
export { createHttpServer, createNodeHandler } from "./engine/http/server.ts";
export { createRequest, type ServiceRequest, type ServiceResponse } from "./engine/http/message.ts";
export { createMovableClock, type Clock, type Log, type MovableClock, type Ports } from "./engine/ports.ts";
export { createService, type Service } from "./engine/service.ts";
export type { ServiceOptions } from "./engine/assembly/options.ts";
export type { LedgerEntry, Model } from "./model/model.ts";
export { openStore, StoreMismatch, StoreRefused, StoreUnavailable } from "./store/index.ts";
export type { Store } from "./store/store.ts";
export { type ErrorKind, NinefoldError } from "./support/ninefold-error.ts";

export interface OpenOptions extends Partial<Ports> {
  /**
   * The path of the store's file, which is created if missing; `:memory:` stores nothing on disk.
   */
  readonly store: string;
  /** The size of the memory-mapped part of the file, in bytes (`StoreOptions.mappedBytes`). */
  readonly mappedBytes?: number;
  /** The public address without a trailing slash. */
  readonly origin?: string;
  /** Returns the secret with a name of the document (`secret env JWT_SECRET`). */
  readonly secret?: (name: string) => string | undefined;
  /** Whether webhooks may be sent to loopback and private addresses. */
  readonly allowPrivateWebhooks?: boolean;
  /**
   * The module of the document's handlers, imported by the embedding program: `import * as handlers
   * from "./parcels.ts"`.
   */
  readonly handlers?: HandlerModule;
}

/** The address of a listening service. */
export interface Listening {
  /** The URL: `http://127.0.0.1:4545`. */
  readonly url: string;
  readonly port: number;
}

/** A service with its own store, and its connections to HTTP servers and routers. */
export interface EmbeddedService extends Service {
  /** Answers a `Request` with a `Response`, for routers with the Fetch API. */
  handle(request: Request, remoteAddress?: string): Promise<Response>;
  /** A request listener for an existing server: `http.createServer`, Express, Fastify. */
  readonly nodeHandler: NodeHandler;
  /** Starts background work: timed transitions and deliveries. `listen` starts it, too. */
  start(): void;
  /** Starts a server like `ninefold serve`, by default on a free port of the loopback address. */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<Listening>;
  /** Finishes running requests, and closes the server and the store. */
  close(): Promise<void>;
}

/** The time limit for running requests when the service closes, in milliseconds. */
const graceMs = 5000;

/**
 * Opens a service with its own store, which is closed with the service.
 * @throws StoreRefused | StoreMismatch
 */
export async function openService(model: Model, options: OpenOptions): Promise<EmbeddedService> {
  const ports: Ports = {
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLog,
    randomBytes: options.randomBytes ?? createRandomPool(),
  };
  const store = await openStore(model, meaningOf(model), {
    path: options.store,
    checkStart: startCheckOf(model, ports),
    ...(options.mappedBytes === undefined ? {} : { mappedBytes: options.mappedBytes }),
  });
  let origin = options.origin ?? "http://localhost";
  const service = await createService(model, {
    store,
    ports,
    origin: () => origin,
    allowPrivateWebhooks: options.allowPrivateWebhooks ?? false,
    ...(options.secret ? { secret: options.secret } : {}),
    ...(options.handlers ? { handlers: options.handlers } : {}),
  }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const onFault = (error: unknown) => ports.log.error({ error: String(error) }, "a fault");
  const { fetch, refuse } = service;
  const ownHost = () => URL.parse(origin)?.hostname;
  // Without a public address, the service accepts only requests for this machine, whatever server
  // hosts it.
  const mounted = isLoopback(ownHost() ?? "") ? guardHost({ fetch, refuse }, undefined) : fetch;
  let http: HttpServer | undefined;
  let isStarted = false;
  let closing: Promise<void> | undefined;
  const close = async () => {
    service.drain();
    await http?.close(graceMs);
    await service.close();
    await store.close();
  };
  const start = () => {
    if (isStarted) return;
    isStarted = true;
    service.deliveries.start();
    void service.internals.timers.runAllDue().catch(onFault);
  };
  return {
    ...service,
    handle: (request, remoteAddress) => fetchFromService(mounted, request, remoteAddress),
    nodeHandler: createNodeHandler(mounted, { refuse, onFault }),
    start,
    async listen({ port = 0, host = "127.0.0.1" } = {}) {
      if (closing) throw new Error("The service is closed.");
      if (http) throw new Error("The service listens already.");
      const guarded = isLoopback(host) ? guardHost({ fetch, refuse }, ownHost()) : fetch;
      const server = createHttpServer(guarded, {
        refuse,
        onFault,
        limits: { headerBytesMax: headBytesOf(model.limits) },
      });
      const bound = await server.listen(port, host);
      http = server;
      const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}`;
      if (options.origin === undefined) origin = url;
      start();
      return { url, port: bound.port };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
