/** Starts a prepared service: opens its port, then its store, then prints the greeting. */
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { guardHost } from "../../engine/http/host-guard.ts";
import { isLoopback } from "../../engine/http/loopback.ts";
import type { ServiceHandler } from "../../engine/http/message.ts";
import { createHttpServer, type HttpServer } from "../../engine/http/server.ts";
import { headBytesOf } from "../../engine/limits/bounds.ts";
import { RequestJournal } from "../../engine/observability/request-journal.ts";
import { type Log, systemClock } from "../../engine/ports.ts";
import type { Service } from "../../engine/service.ts";
import type { ServiceOptions } from "../../engine/assembly/options.ts";
import type { Model } from "../../model/model.ts";
import type { StoreSnapshot } from "../../store/store.ts";
import type { DraftBoard } from "../../admin/draft.ts";
import { inAddress } from "../../admin/guard.ts";
import type { AdminContext } from "../../admin/context.ts";
import { CliError } from "../command.ts";
import type { OperationsAddress } from "../operations/operations-address.ts";
import { isAcceptedByStore, openService } from "../open-service.ts";
import type { SandboxFlags } from "../sandbox/flags.ts";
import { openSandbox } from "../sandbox/open-sandbox.ts";
import { applySeed } from "../seed.ts";
import type { Terminal } from "../terminal.ts";
import { ownVersion } from "../version.ts";
import { unsetSecrets, warnOfLinks } from "./exposure.ts";
import { firstRequest } from "../../admin/overview/first-request.ts";
import { createGate, type Gate } from "./gate.ts";
import { greeting } from "./greeting.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { checkInheritedSocket } from "./sockets/socket-activation.ts";
import { createLog, logsRequests } from "./log/log.ts";
import { openMailer } from "./mail-server.ts";
import type { ServeOptions } from "./options.ts";
import { inMemory, openServed } from "./open-store.ts";
import { passwordQueue } from "./password-threads.ts";
import type { Prepared } from "./prepare.ts";
import { documentFile } from "./document-file.ts";
import { privilegedPort } from "./sockets/privileged-port.ts";
import { createProxyNotices } from "./proxies/proxy-notices.ts";
import type { TraceExporter } from "./tracing/exporter.ts";
import { logAnswered, logOthers } from "./log/request-log.ts";
import { codeOf } from "../../support/failure.ts";
import { type ServingFacts, adminOfService, adminOfSandbox } from "../../admin/create-context.ts";

export interface Running {
  /** The requested options, with the actual port. */
  readonly options: ServeOptions;
  /** Whether its store would accept this model. Nothing is changed. @throws CliError */
  fits(model: Model): Promise<void>;
  /** The saved text that can't be served, while the previous document is still served. */
  readonly draft: DraftBoard;
  /**
   * Before it stops: reports that to health checks, and closes each connection with its response.
   * It still accepts requests.
   */
  leave(): void;
  stop(graceMs: number): Promise<void>;
  /**
   * Stops and returns the content of a store in memory for the successor; undefined for any other
   * store.
   */
  stopKeeping(graceMs: number): Promise<StoreSnapshot | undefined>;
}

/** The handler of requests: one service on its store, or the data spaces of a sandbox. */
interface Answering extends Pick<Service, "fetch" | "refuse"> {
  /** The number of records that the seed has created; null without a seed, or if it was ignored. */
  readonly seeded: number | null;
  /** Lines about the store. */
  readonly aboutStore?: string | undefined;
  /** The context of the operations address. */
  readonly operated: AdminContext;
  /** Whether its store would accept this model; rejects with the obstacle. Nothing is changed. */
  fits(model: Model): Promise<void>;
  /** Ends streams and held responses; their clients reconnect. */
  drain(): void;
  /** @param isKept whether to return the content of a store in memory */
  close(isKept: boolean): Promise<StoreSnapshot | undefined>;
}

/**
 * @param endpoint the operations address, which waits for the service
 * @param kept the initial content of a store in memory, if the document still fits it
 * @throws CliError | DocumentFailed
 */
export async function start(
  prepared: Prepared,
  options: ServeOptions,
  terminal: Terminal,
  endpoint?: OperationsAddress,
  kept?: StoreSnapshot,
): Promise<Running> {
  const { model, handlers } = prepared;
  const log = createLog(terminal, options.log);
  const logsAnswered = logsRequests(terminal, options.log);
  const mailer = openMailer(model, options.mail, terminal);
  const tracer = await openTracer(prepared, log);
  let http: HttpServer | undefined;
  let answering: Answering | undefined;
  const stop = async (graceMs: number, isKept = false) => {
    endpoint?.drain();
    // Streams would keep their connections open for all of that time.
    answering?.operated.hub.close();
    answering?.drain();
    await http?.close(graceMs);
    endpoint?.shut();
    const memory = await answering?.close(isKept);
    mailer?.close();
    await tracer?.close();
    return memory;
  };
  try {
    // The port is opened before the store: if the port is in use, no store is created, changed or
    // seeded.
    const gate = createGate();
    const server = openServer(gate, options, model, { log, logsAnswered });
    const { port } = await listen(server, options);
    http = server;
    options.certificate?.onRenewed(server.renew);
    const origin = options.url ?? `${options.tls ? "https" : "http"}://${inAddress(options.host)}:${port}`;
    const serviceOptions: Omit<ServiceOptions, "store" | "ports"> = {
      ...ownOptions(options, terminal),
      origin: () => origin,
      receiverAt: () => endpoint?.url,
      ...(mailer ? { mailer } : {}),
      ...(tracer ? { tracer } : {}),
      ...(logsAnswered ? { onAnswered: (answered) => logAnswered(log, answered) } : {}),
      ...(handlers ? { handlers } : {}),
    };
    answering = await answer(prepared, options, serviceOptions, { log, terminal, endpoint, kept });
    gate.open(answering);
    await endpoint?.open(answering.operated);
    greet(prepared, options, terminal, { origin, answering, endpoint, sendsMail: mailer !== undefined });
    if (options.opensConsole && endpoint) await openInBrowser(endpoint.link, terminal);
    if (!options.clientAddressOf) warnOfLinks(options.host, options.url, origin, terminal);
    return {
      // A restart (`--watch`) opens no second page.
      options: { ...options, port, opensConsole: false },
      fits: answering.fits,
      draft: answering.operated.draft,
      leave() {
        endpoint?.drain();
        server.leave();
      },
      async stop(graceMs) {
        await stop(graceMs);
      },
      stopKeeping: (graceMs) => stop(graceMs, true),
    };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

interface Logging {
  readonly log: Log;
  readonly logsAnswered: boolean;
}

function openServer(gate: Gate, options: ServeOptions, model: Model, logging: Logging): HttpServer {
  return createHttpServer(handlerOf(gate, options, model, logging), {
    refuse: gate.refuse,
    clientAddressOf: options.clientAddressOf,
    certificate: options.certificate?.current(),
    limits: { headerBytesMax: headBytesOf(model.limits) },
    onFault: (error) => logging.log.error({ error: String(error) }, "a fault"),
  });
}

function ownOptions(options: ServeOptions, terminal: Terminal) {
  return {
    explain: options.explain,
    ...(options.gapStatus === undefined ? {} : { gapStatus: options.gapStatus }),
    allowPrivateAddresses: options.allowPrivateAddresses,
    allowPrivateWebhooks: options.allowPrivateWebhooks,
    secret: (name: string) => terminal.environment[name],
  };
}

/** Prints the addresses, and how to send a first request. */
function greet(
  { model, given }: Prepared,
  options: ServeOptions,
  terminal: Terminal,
  started: {
    readonly origin: string;
    readonly answering: Answering;
    readonly endpoint: OperationsAddress | undefined;
    readonly sendsMail: boolean;
  },
): void {
  const { origin, answering, endpoint, sendsMail } = started;
  if (options.printsJson) {
    const addresses = { url: origin, operations: endpoint?.url ?? null, pid: process.pid };
    terminal.write(`${JSON.stringify(addresses)}\n`);
    return;
  }
  const showsCredentials = terminal.isTerminal && isLoopback(options.host);
  terminal.write(
    greeting({
      model,
      origin,
      file: options.file,
      store: options.store,
      seeded: answering.seeded,
      aboutStore: answering.aboutStore,
      curl: firstRequest({ model, given, origin, showsCredentials }),
      unsetSecrets: unsetSecrets(model, terminal.environment),
      sendsMail,
      operations: endpoint && { ...endpoint, isLinked: showsCredentials },
      spaceHeader: options.sandbox?.spaceHeader,
    }),
  );
}

/** Loads the tracer only if traces are requested. */
async function openTracer({ tracing }: Prepared, log: Log): Promise<TraceExporter | undefined> {
  if (!tracing) return undefined;
  const { createTraceExporter } = await import("./tracing/exporter.ts");
  return createTraceExporter(tracing, ownVersion(), log);
}

/** The handlers around the service, which see each request first. */
function handlerOf(
  gate: Gate,
  { host, url, sandbox, clientAddressOf }: ServeOptions,
  model: Model,
  { log, logsAnswered }: Logging,
): ServiceHandler {
  const notices = createProxyNotices(log, clientAddressOf !== undefined);
  const guarded = isLoopback(host)
    ? guardHost(gate, url === undefined ? undefined : new URL(url).hostname, {
        allowsBelow: sandbox !== undefined,
        onRejected: notices.rejected,
      })
    : gate.fetch;
  const fetch = notices.watching(guarded);
  return logsAnswered ? logOthers(fetch, log, model) : fetch;
}

interface Around {
  readonly log: Log;
  readonly terminal: Terminal;
  readonly endpoint: OperationsAddress | undefined;
  readonly kept: StoreSnapshot | undefined;
}

async function answerAlone(
  prepared: Prepared,
  options: ServeOptions,
  serviceOptions: Omit<ServiceOptions, "store" | "ports">,
  { log, terminal, endpoint, kept }: Around,
): Promise<Answering> {
  const { model, given } = prepared;
  const { store, about } = await openServed(model, options, kept, terminal, {
    losesData: options.acceptsDataLoss,
    acceptsMissingLog: options.acceptsMissingLog,
    ownerAddress: endpoint && { operations: endpoint.url, token: endpoint.token },
    onMigrating: () => endpoint?.migrating(),
    ...(options.mappedBytes === undefined ? {} : { mappedBytes: options.mappedBytes }),
  });
  try {
    const ports = { clock: systemClock, log, passwords: passwordQueue(terminal) };
    const requests = new RequestJournal(model);
    const service = await openService(model, store, ports, {
      ...serviceOptions,
      // Without an operations address it has no readers.
      ...(options.operations
        ? {
            onAnswered: (answered) => {
              requests.note(answered);
              serviceOptions.onAnswered?.(answered);
            },
          }
        : {}),
    });
    const made = options.seed === undefined ? null : await applySeed(service, options.seed, given);
    // Requests are served meanwhile: each first runs the due transitions that it depends on.
    void service.internals.timers
      .runAllDue()
      .catch((error: unknown) => log.error({ error: String(error) }, "timed transitions could not be run"));
    service.deliveries.start();
    return {
      fetch: (request) => service.fetch(request),
      refuse: (refusal) => service.refuse(refusal),
      seeded: made,
      aboutStore: about,
      operated: adminOfService(service, requests, servedOf(prepared, serviceOptions, options, log)),
      // A store in memory starts empty, so no data can be lost.
      fits: async (next) =>
        options.store === inMemory
          ? undefined
          : isAcceptedByStore(store, next, options.store, options.acceptsDataLoss),
      drain: () => service.drain(),
      async close(isKept) {
        await service.close();
        const memory = isKept && options.store === inMemory ? await store.snapshot?.() : undefined;
        await store.close();
        return memory;
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function answer(
  prepared: Prepared,
  options: ServeOptions,
  serviceOptions: Omit<ServiceOptions, "store" | "ports">,
  around: Around,
): Promise<Answering> {
  const { sandbox } = options;
  if (!sandbox) return answerAlone(prepared, options, serviceOptions, around);
  const pageOrigins = [...sandbox.pageOrigins, ...originsOf(around.endpoint)];
  return answerInSpaces(prepared, { ...options, sandbox }, { ...serviceOptions, pageOrigins }, around);
}

async function answerInSpaces(
  prepared: Prepared,
  options: ServeOptions & { readonly sandbox: SandboxFlags },
  serviceOptions: Omit<ServiceOptions, "store" | "ports">,
  { log, terminal }: Around,
): Promise<Answering> {
  const { model, given } = prepared;
  const spaces = await openSandbox(model, given, options, serviceOptions, log, terminal);
  const { standard } = spaces;
  return {
    fetch: (request) => spaces.fetch(request),
    refuse: (refusal) => spaces.refuse(refusal),
    seeded: given.length === 0 ? null : standard.seeded,
    // Each data space opens its own store with its first request: a mismatch is reported then.
    fits: async () => {},
    operated: adminOfSandbox(spaces, servedOf(prepared, serviceOptions, options, log)),
    drain: () => spaces.drain(),
    async close() {
      await spaces.close();
      return undefined;
    },
  };
}

function servedOf(
  { text, diagnostics, given, handlersAddress }: Prepared,
  { origin }: Pick<ServiceOptions, "origin">,
  { file, watches = false }: Pick<ServeOptions, "file" | "watches">,
  log: Log,
): ServingFacts {
  return {
    documentFile: documentFile(file, watches),
    document: {
      file: basename(file),
      text,
      diagnostics,
      ...(handlersAddress === undefined ? {} : { handlersAddress }),
    },
    seed: given,
    origin,
    log,
    ninefold: ownVersion(),
  };
}

/**
 * The origins of the documentation that a sandbox serves at its operations address, by each name of
 * this machine.
 */
function originsOf(endpoint: OperationsAddress | undefined): readonly string[] {
  if (!endpoint) return [];
  const { origin, port, hostname } = new URL(endpoint.url);
  return isLoopback(hostname) ? [origin, `http://localhost:${port}`] : [origin];
}

async function listen(http: HttpServer, options: ServeOptions): Promise<AddressInfo> {
  if (options.handedSocket !== undefined) return listenAtHanded(http, options.handedSocket, options.host);
  try {
    return await http.listen(options.port, options.host);
  } catch (error) {
    const { code, message, address } = error as NodeJS.ErrnoException & { readonly address?: string };
    if (code === "EADDRINUSE")
      throw new CliError(
        `Port ${options.port} on ${address ?? options.host} is in use, possibly by another \`ninefold serve\`. Stop that process with Ctrl+C, or choose another port with --port, or 0 for any free port.`,
      );
    if (code === "EACCES") throw new CliError(privilegedPort(options.port, "--port"));
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new CliError(`This machine has no address ${options.host}. Choose another with --host.`);
    throw new CliError(`Can't listen on ${options.host}:${options.port}: ${message}`);
  }
}

async function listenAtHanded(http: HttpServer, descriptor: number, host: string): Promise<AddressInfo> {
  const bound = await http.listenAt(descriptor).catch((error: unknown) => {
    throw new CliError(`The file descriptor from LISTEN_FDS is not a listening socket: ${codeOf(error)}.`);
  });
  try {
    return checkInheritedSocket(bound, host);
  } catch (error) {
    await http.close(0);
    throw error;
  }
}
