/** `ninefold serve`: runs a document as a service. */
import { watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import pino from "pino";
import { createHttpServer, type HttpServer } from "../../engine/http/server.ts";
import type { ServiceHandler } from "../../engine/http/message.ts";
import { headBytesOf } from "../../engine/limits/bounds.ts";
import { type Log, systemClock } from "../../engine/ports.ts";
import type { GivenStep } from "../../engine/given.ts";
import type { Spaces } from "../../engine/sandbox/spaces.ts";
import type { Service, ServiceOptions } from "../../engine/service.ts";
import type { Model } from "../../model/model.ts";
import { portNumber, readArguments } from "../arguments.ts";
import { type Command, exitCodes, Trouble, WrongUsage } from "../command.ts";
import { handlersPath, loadHandlers } from "../load-handlers.ts";
import { defaultStorePath, DocumentFailed, loadModel, openModelStore, openService } from "../open-service.ts";
import { readSandboxFlags, type SandboxFlags } from "../sandbox/flags.ts";
import { listenForOperations, openSandbox } from "../sandbox/open-sandbox.ts";
import { applySeed } from "../seed.ts";
import { keepRequestsYoung } from "../serving/heap.ts";
import { refuseOpenGap, refuseOwnSecrets, warnOfLinks } from "../serving/exposure.ts";
import { firstRequest } from "../serving/first-request.ts";
import { greeting } from "../serving/greeting.ts";
import { type MailFlags, openMailer } from "../serving/mail-server.ts";
import { logRequests } from "../serving/request-log.ts";
import type { Terminal } from "../terminal.ts";

const usage = `Usage: ninefold serve FILE [--port 4545] [--host 127.0.0.1] [--store PATH] [--seed SEED.md] [--url URL] [--watch] [--accept-data-loss] [--allow-private-addresses] [--allow-private-webhooks] [--smtp URL --mail-from ADDRESS] [--explain] [--quiet]
       ninefold serve FILE --sandbox [--operations-port 4546] [--space-header Ninefold-Space] [--spaces-max 100] [--seed-scenario NAME] …

Runs the document as a service.

  --port N      the port; 0 takes a free one
  --host HOST   the address to listen at
  --store PATH  the store's file, made if it isn't there; :memory: keeps nothing.
                Without it: a file beside the document, named for it
  --seed FILE   a Markdown file whose \`- Given:\` items are made once, in an empty store
  --url URL     the public address, where it isn't http://HOST:PORT
  --watch       starts anew when the document changes
  --accept-data-loss
                where the store has data that the document has no place for any more:
                copies the store beside it, tells what goes, and starts. Without it
                nothing is changed, and what would be lost is told
  --allow-private-addresses
                calls loopback and private addresses too, where the document
                names one (keys of token schemes)
  --allow-private-webhooks
                sends webhooks to loopback and private addresses too, and to these
                over http:
  --smtp URL    the mail server for notifications: smtp://user:password@host:587, or
                smtps://…; also taken from NINEFOLD_SMTP, which no list of processes shows
  --mail-from ADDRESS   who sends them: "Parcel Desk <desk@example.com>"; also NINEFOLD_MAIL_FROM
  --explain     answers say which line of the document decided them (Ninefold-Because)
  --quiet       no line for each request
  --sandbox     for tests: kept in memory unless --store is given, with a clock that
                can be moved, snapshots, and a data space for each value of a header,
                all through an operations API on loopback (see \`ninefold sandbox\`)
  --operations-port N   its port; without it: the one after --port
  --space-header NAME   the header that names the data space
  --spaces-max N        most data spaces at the same time
  --seed-scenario NAME  each data space begins with the \`Given\` items of this scenario

Exit codes: 0 stopped · 1 the document has mistakes · 2 wrong usage · 3 the port, the file or the store can't be used

Example: ninefold serve examples/parcel-desk.md --store :memory:
`;

interface ServeOptions {
  readonly file: string;
  readonly port: number;
  readonly host: string;
  readonly store: string;
  readonly seed: string | undefined;
  readonly url: string | undefined;
  readonly explain: boolean;
  /** What the store has and the document has no place for may go, once a copy is made. */
  readonly acceptsDataLoss: boolean;
  readonly allowPrivateAddresses: boolean;
  readonly allowPrivateWebhooks: boolean;
  readonly mail: MailFlags;
  readonly quiet: boolean;
  readonly sandbox: SandboxFlags | undefined;
}

/** How long running requests may take to finish when the service is stopped, in milliseconds. */
const drainMs = 25_000;

export const serveCommand: Command = {
  name: "serve",
  summary: "run a document as a service",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        port: { type: "string" },
        host: { type: "string" },
        store: { type: "string" },
        seed: { type: "string" },
        url: { type: "string" },
        watch: { type: "boolean" },
        explain: { type: "boolean" },
        "accept-data-loss": { type: "boolean" },
        "allow-private-addresses": { type: "boolean" },
        "allow-private-webhooks": { type: "boolean" },
        smtp: { type: "string" },
        "mail-from": { type: "string" },
        quiet: { type: "boolean" },
        sandbox: { type: "boolean" },
        "operations-port": { type: "string" },
        "space-header": { type: "string" },
        "spaces-max": { type: "string" },
        "seed-scenario": { type: "string" },
      },
      positionals: ["FILE"],
    });
    keepRequestsYoung();
    const file = positionals[0] as string;
    const port = portNumber("--port", values.port ?? "4545");
    const sandbox = readSandboxFlags(values, port);
    const options: ServeOptions = {
      file,
      port,
      host: values.host ?? "127.0.0.1",
      store: values.store ?? (sandbox ? ":memory:" : defaultStorePath(file)),
      seed: values.seed,
      url: publicUrl(values.url),
      explain: values.explain ?? false,
      acceptsDataLoss: values["accept-data-loss"] ?? false,
      allowPrivateAddresses: values["allow-private-addresses"] ?? false,
      allowPrivateWebhooks: values["allow-private-webhooks"] ?? false,
      mail: { smtp: values.smtp, "mail-from": values["mail-from"] },
      quiet: values.quiet ?? false,
      sandbox,
    };
    if (options.acceptsDataLoss && sandbox)
      throw new WrongUsage(
        "A sandbox keeps nothing worth a copy: --accept-data-loss is for serving without it.",
      );
    // Before it greets: whoever starts it may stop it as soon as it has greeted.
    const stopped = untilSignal();
    let running: Running;
    try {
      running = await start(options, terminal);
    } catch (error) {
      if (!(error instanceof DocumentFailed)) throw error;
      terminal.complain(`${error.message}\n`);
      return exitCodes.failed;
    }
    // Confirmed was the document that stood there: what is saved from now on asks anew.
    const later = { ...options, acceptsDataLoss: false };
    return untilStopped(running, stopped, later, values.watch ?? false, terminal);
  },
};

interface Running {
  stop(graceMs: number): Promise<void>;
}

/** What answers requests: one service on its store, or the data spaces of a sandbox. */
interface Answering extends Pick<Service, "fetch" | "refuse"> {
  /** Where a first request to show is looked for. */
  readonly first: Service;
  readonly given: readonly GivenStep[];
  /** How many records the seed has made; null where there is none, or it was not needed. */
  readonly seeded: number | null;
  readonly spaces?: Spaces;
  /** Ends streams and held answers; their callers come back. */
  drain(): void;
  close(): Promise<void>;
}

async function start(options: ServeOptions, terminal: Terminal): Promise<Running> {
  const { model } = await loadModel(options.file, terminal);
  refuseOpenGap(model, options.host);
  refuseOwnSecrets(model, options.host, terminal);
  const handlers = await loadHandlers(options.file, model, terminal);
  let origin = options.url ?? `http://${options.host}:${options.port}`;
  const log = createLog(terminal);
  const mailer = openMailer(model, options.mail, terminal);
  const serviceOptions: Omit<ServiceOptions, "store" | "ports"> = {
    origin: () => origin,
    explain: options.explain,
    allowPrivateAddresses: options.allowPrivateAddresses,
    allowPrivateWebhooks: options.allowPrivateWebhooks,
    ...(mailer ? { mailer } : {}),
    secret: (name) => terminal.environment[name],
    ...(handlers ? { handlers } : {}),
  };
  const { sandbox } = options;
  const answering = await (sandbox
    ? answerInSpaces(model, { ...options, sandbox }, serviceOptions, log, terminal)
    : answerAlone(model, options, serviceOptions, log, terminal));
  const servers: HttpServer[] = [];
  const stop = async (graceMs: number) => {
    // Streams would hold their connections for all of that time.
    answering.drain();
    await Promise.all(servers.map((server) => server.close(graceMs)));
    await answering.close();
    mailer?.close();
  };
  try {
    const answer: ServiceHandler = options.quiet
      ? (request) => answering.fetch(request)
      : logRequests(answering, log);
    const http = createHttpServer(answer, {
      refuse: (refusal) => answering.refuse(refusal),
      limits: { headerBytesMax: headBytesOf(model.limits) },
      onFault: (error) => log.error({ error: String(error) }, "a fault"),
    });
    const address = await listen(http, options);
    servers.push(http);
    if (options.url === undefined)
      origin = `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${address.port}`;
    const operations =
      sandbox &&
      answering.spaces &&
      (await listenForOperations(answering.spaces, sandbox.operationsPort, log));
    if (operations) servers.push(operations.http);
    const curl = await firstRequest(answering.first, answering.given, origin);
    terminal.write(
      greeting({
        model,
        origin,
        file: options.file,
        store: options.store,
        seeded: answering.seeded,
        curl,
        sendsMail: mailer !== undefined,
        sandbox: operations && sandbox && { operations: operations.url, spaceHeader: sandbox.spaceHeader },
      }),
    );
    warnOfLinks(options.host, options.url, origin, terminal);
    return { stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

async function answerAlone(
  model: Model,
  options: ServeOptions,
  serviceOptions: Omit<ServiceOptions, "store" | "ports">,
  log: Log,
  terminal: Terminal,
): Promise<Answering> {
  const store = await openModelStore(model, options.store, terminal, { losesData: options.acceptsDataLoss });
  try {
    const service = await openService(model, store, { clock: systemClock, log }, serviceOptions);
    const seeded = options.seed === undefined ? null : await applySeed(service, options.seed, terminal);
    // Requests are answered meanwhile: each has what it sees settled first.
    void service.inside.timers
      .settleAll(systemClock.now())
      .catch((error: unknown) =>
        log.error({ error: String(error) }, "timed transitions could not be settled"),
      );
    service.deliveries.start();
    return {
      fetch: (request) => service.fetch(request),
      refuse: (refusal) => service.refuse(refusal),
      first: service,
      given: seeded?.steps ?? [],
      seeded: seeded?.made ?? null,
      drain: () => service.drain(),
      async close() {
        await service.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function answerInSpaces(
  model: Model,
  options: ServeOptions & { readonly sandbox: SandboxFlags },
  serviceOptions: Omit<ServiceOptions, "store" | "ports">,
  log: Log,
  terminal: Terminal,
): Promise<Answering> {
  const { spaces, seed } = await openSandbox(model, options, serviceOptions, log, terminal);
  const { standard } = spaces;
  return {
    fetch: (request) => spaces.fetch(request),
    refuse: (refusal) => spaces.refuse(refusal),
    first: standard.service,
    given: seed,
    seeded: seed.length === 0 ? null : standard.seeded,
    spaces,
    drain: () => spaces.drain(),
    close: () => spaces.close(),
  };
}

/** The public address as links begin with it. @throws WrongUsage */
function publicUrl(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new WrongUsage(`--url takes an address such as https://api.example.com, not "${given}".`);
  return given.replace(/\/+$/, "");
}

async function listen(http: HttpServer, options: ServeOptions) {
  try {
    return await http.listen(options.port, options.host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new Trouble(
        `Port ${options.port} on ${options.host} is in use. Take another one with --port, or 0 for any.`,
      );
    if (code === "EACCES")
      throw new Trouble(
        `Port ${options.port} may not be used by this user. Take one above 1023 with --port.`,
      );
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new Trouble(`${options.host} is no address of this machine. Take another one with --host.`);
    throw new Trouble(`Can't listen on ${options.host}:${options.port}: ${message}`);
  }
}

function createLog(terminal: Terminal): Log {
  const stream = { write: (line: string) => terminal.complain(line) };
  return pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

/** Comes true with the first signal that asks to stop; a second one ends the process at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

/** Runs until a signal comes; with `--watch`, starts anew whenever the document changes and still has no mistakes. */
async function untilStopped(
  first: Running,
  stopped: Promise<void>,
  options: ServeOptions,
  watches: boolean,
  terminal: Terminal,
): Promise<number> {
  let running: Running | null = first;
  if (watches) {
    let pause: NodeJS.Timeout | undefined;
    let restarting = Promise.resolve();
    const startAgain = () => {
      clearTimeout(pause);
      pause = setTimeout(() => {
        restarting = restarting.then(async () => {
          const again = await restart(running, options, terminal);
          running = again;
        });
      }, 100);
    };
    // The handlers' module is as much of the service as the document is. Their folder is watched: many editors save by putting
    // another file in the old one's place, and the module may be written later.
    const names = [options.file, handlersPath(options.file)].map((path) => basename(path));
    const watcher = watch(dirname(resolve(options.file)), (_event, name) => {
      if (name !== null && names.includes(name)) startAgain();
    });
    await stopped;
    watcher.close();
    clearTimeout(pause);
    await restarting;
  } else await stopped;
  await running?.stop(drainMs);
  return exitCodes.ok;
}

async function restart(
  running: Running | null,
  options: ServeOptions,
  terminal: Terminal,
): Promise<Running | null> {
  try {
    // A document with mistakes, or a module that can't be loaded, stops nothing: what ran goes on.
    const { model } = await loadModel(options.file, terminal);
    await loadHandlers(options.file, model, { ...terminal, complain() {} });
  } catch (error) {
    terminal.complain(
      `${error instanceof Error ? error.message : String(error)} ${basename(options.file)} goes on as it was.\n`,
    );
    return running;
  }
  await running?.stop(1000);
  try {
    return await start(options, terminal);
  } catch (error) {
    terminal.complain(
      `${error instanceof Error ? error.message : String(error)}\nNothing is served until the document changes again.\n`,
    );
    return null;
  }
}
