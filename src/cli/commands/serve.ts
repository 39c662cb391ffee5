/** `ninefold serve`: runs a document as a service. */
import { setTimeout as pause } from "node:timers/promises";
import { storeKind } from "../../store/index.ts";
import { duration, portNumber, readArguments } from "../arguments.ts";
import { type Command, exitCodes, WrongUsage } from "../command.ts";
import { defaultStorePath, DocumentFailed, loadModel } from "../open-service.ts";
import { type OperationsAddress, openOperationsAddress } from "../operations/operations-address.ts";
import { readOperationsFlags } from "../operations/flags.ts";
import { readSandboxFlags, type SandboxFlags } from "../sandbox/flags.ts";
import { type WatchedCertificate, watchCertificate, readTlsFlags } from "../serving/sockets/certificates.ts";
import { inheritedSocket } from "../serving/sockets/socket-activation.ts";
import { disablePretenuring } from "../serving/pretenuring.ts";
import { inJsonLines } from "../serving/log/json-lines.ts";
import { createLog, logForms, logLevels, type LogOptions } from "../serving/log/log.ts";
import { openMailer } from "../serving/mail-server.ts";
import { routesTable } from "../serving/routes-table.ts";
import type { ServeOptions } from "../serving/options.ts";
import { readProxyFlags } from "../serving/proxies/proxy-flags.ts";
import { prepare } from "../serving/prepare.ts";
import { readRecordFlags, recordProxy } from "../serving/proxies/record-proxy.ts";
import { listenForReload } from "../serving/signals/reload-signal.ts";
import { environmentWith, settingsOf, settingsTable, unknownVariables } from "../serving/settings.ts";
import { sizeBytes } from "../../support/quantity.ts";
import { listenForStop } from "../serving/signals/stop-signal.ts";
import { listenForUncaught } from "../serving/signals/uncaught-errors.ts";
import { serveShortUsage, serveUsage } from "../serving/usage.ts";
import { servedUntil, type WatchedFiles, startWatching } from "../serving/watch.ts";
import { silent, type Terminal, warn } from "../terminal.ts";

/** The default time for running requests to finish when the service is stopped. */
const standardDrain = "25s";
/** The same for requests to the operations address, which has nothing left to administer then. */
const operationsDrainMs = 1000;
/** How long a stop after an uncaught exception may take beyond the time to drain. */
const stopMs = 5000;

/** The settings, as arguments and as environment variables. */
const settable = {
  port: { type: "string", short: "p" },
  host: { type: "string" },
  store: { type: "string" },
  cache: { type: "string" },
  seed: { type: "string" },
  url: { type: "string" },
  "trust-proxy": { type: "string" },
  "forwarded-header": { type: "string" },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  drain: { type: "string" },
  "drain-delay": { type: "string" },
  watch: { type: "boolean", short: "w" },
  explain: { type: "boolean" },
  "gaps-as": { type: "string" },
  "accept-data-loss": { type: "boolean" },
  "accept-missing-log": { type: "boolean" },
  "allow-private-addresses": { type: "boolean" },
  "allow-private-webhooks": { type: "boolean" },
  smtp: { type: "string" },
  "mail-from": { type: "string" },
  quiet: { type: "boolean" },
  log: { type: "string" },
  "log-level": { type: "string" },
  operations: { type: "string" },
  "operations-host": { type: "string" },
  "no-operations": { type: "boolean" },
  sandbox: { type: "boolean" },
  "space-header": { type: "string" },
  "spaces-max": { type: "string" },
  "sign-in-sandbox-time": { type: "boolean" },
  "seed-scenario": { type: "string" },
  "allow-origin": { type: "string" },
} as const;

/** Options for a single run, accepted only as arguments. */
const requested = {
  open: { type: "boolean" },
  routes: { type: "boolean" },
  "env-file": { type: "string" },
  "print-config": { type: "boolean" },
  "check-config": { type: "boolean" },
  "ready-json": { type: "boolean" },
  proxy: { type: "string" },
  record: { type: "string" },
} as const;

export const serveCommand: Command = {
  name: "serve",
  usage: serveUsage,
  shortUsage: serveShortUsage,
  async run(args, terminal) {
    const { values: given, positionals } = readArguments(args, {
      options: { ...settable, ...requested },
      positionals: ["FILE"],
    });
    const [file = ""] = positionals;
    const environment = environmentWith(given["env-file"], terminal.environment);
    const settings = settingsOf(given, settable, environment);
    const seen: Terminal = { ...terminal, environment, isQuiet: settings.values.quiet ?? false };
    const work = async (seenAs: Terminal) => {
      for (const sentence of unknownVariables(settable, environment))
        warn(seenAs, `ninefold serve: ${sentence}\n`);
      if (given["print-config"]) {
        terminal.write(settingsTable(settable, given, settings));
        return exitCodes.ok;
      }
      const recorded = readRecordFlags(given);
      if (recorded) {
        const { host = "127.0.0.1", port = "4545" } = settings.values;
        const address = { host, port: portNumber("--port", port) };
        return recordProxy({ file, ...recorded, ...address }, seenAs);
      }
      return serveWith(settings.values, file, seenAs);
    };
    return settings.values.log === "json" ? inJsonLines(seen, serveCommand, work) : work(seen);
  },
};

/** @throws WrongUsage unless the value is an error status */
function statusOfGaps(status: string | undefined): number | undefined {
  if (status === undefined) return undefined;
  if (!/^[45]\d\d$/.test(status))
    throw new WrongUsage(`--gaps-as takes a status from 400 to 599, such as 422, not "${status}".`);
  return Number(status);
}

function storeOf({ store }: Given, file: string, sandbox: SandboxFlags | undefined): string {
  return store ?? (sandbox ? ":memory:" : defaultStorePath(file));
}

type Given = ReturnType<typeof readArguments<typeof settable & typeof requested>>["values"];

/** @throws WrongUsage */
async function serveWith(values: Given, file: string, terminal: Terminal): Promise<number> {
  disablePretenuring();
  if (values.routes) return printRoutes(file, terminal);
  const port = portNumber("--port", values.port ?? "4545");
  const sandbox = readSandboxFlags(values);
  const options: ServeOptions = {
    file,
    watches: values.watch ?? false,
    port,
    host: values.host ?? "127.0.0.1",
    store: storeOf(values, file, sandbox),
    mappedBytes: cacheSize(values.cache),
    seed: values.seed,
    url: publicUrl(values.url),
    clientAddressOf: readProxyFlags(values),
    tls: readTlsFlags(values),
    handedSocket: inheritedSocket(terminal, process.pid),
    drainMs: duration("--drain", values.drain ?? standardDrain),
    drainDelayMs: drainDelay(values["drain-delay"]),
    explain: values.explain ?? false,
    gapStatus: statusOfGaps(values["gaps-as"]),
    acceptsDataLoss: values["accept-data-loss"] ?? false,
    acceptsMissingLog: values["accept-missing-log"] ?? false,
    allowPrivateAddresses: values["allow-private-addresses"] ?? false,
    allowPrivateWebhooks: values["allow-private-webhooks"] ?? false,
    mail: { smtp: values.smtp, "mail-from": values["mail-from"] },
    log: logOptions(values),
    operations: readOperationsFlags(values, {
      port,
      host: values.host ?? "127.0.0.1",
      environment: terminal.environment,
    }),
    sandbox,
    printsJson: values["ready-json"] ?? false,
    opensConsole: values.open ?? false,
  };
  if (options.opensConsole && !options.operations)
    throw new WrongUsage("--open opens the console, which needs the operations address. Add --operations.");
  if (sandbox && storeKind(options.store) === "database")
    throw new WrongUsage(
      "--sandbox keeps its data spaces in files or in memory, not in a database. Name a file with --store, or omit --store.",
    );
  if (options.handedSocket !== undefined && values.watch)
    throw new WrongUsage(
      "--watch can't be combined with a socket from LISTEN_FDS. Remove --watch, and restart the service to load a changed document.",
    );
  if (options.acceptsDataLoss && sandbox)
    throw new WrongUsage(
      "--accept-data-loss and --sandbox can't be combined: a sandbox makes no copy of its store.",
    );
  return values["check-config"]
    ? checkConfig(options, terminal)
    : serve(options, terminal.isQuiet ? silent(terminal) : terminal);
}

/** Validates all that can be checked without opening a port or a store. */
async function checkConfig(options: ServeOptions, terminal: Terminal): Promise<number> {
  return reportingFailure(terminal, async () => {
    const { model } = await prepare(options, terminal);
    openMailer(model, options.mail, terminal)?.close();
    terminal.write(`${options.file} can be served with these settings.\n`);
    return exitCodes.ok;
  });
}

async function reportingFailure(terminal: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DocumentFailed)) throw error;
    terminal.printError(`${error.message}\n`);
    return exitCodes.failed;
  }
}

function printRoutes(file: string, terminal: Terminal): Promise<number> {
  return reportingFailure(terminal, async () => {
    const { model } = await loadModel(file, terminal);
    terminal.write(routesTable(model, { colour: terminal.colour }));
    return exitCodes.ok;
  });
}

/** @throws WrongUsage */
function logOptions(values: { readonly log?: string; readonly "log-level"?: string }): LogOptions {
  return {
    form: oneOf("--log", values.log, logForms),
    level: oneOf("--log-level", values["log-level"], logLevels),
  };
}

/** @throws WrongUsage */
function oneOf<T extends string>(flag: string, text: string | undefined, words: readonly T[]): T | undefined {
  const word = words.find((candidate) => candidate === text);
  if (text !== undefined && word === undefined)
    throw new WrongUsage(`${flag} takes ${words.join(", ")}, not "${text}".`);
  return word;
}

function cacheSize(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bytes = sizeBytes(text);
  if (bytes === undefined) throw new WrongUsage(`--cache takes a size such as 256MiB, not "${text}".`);
  return bytes;
}

async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  // Registered before the greeting: the parent process may stop it as soon as it has greeted.
  const stop = listenForStop();
  const uncaught = listenForUncaught(createLog(terminal, options.log), () => {
    stop.request();
    // Unfinished work may delay this stop as well.
    setTimeout(() => process.exit(exitCodes.failed), options.drainDelayMs + options.drainMs + stopMs).unref();
  });
  let endpoint: OperationsAddress | undefined;
  let files: WatchedFiles | undefined;
  let certificate: WatchedCertificate | undefined;
  const reload = listenForReload(terminal);
  const run = async () => {
    if (options.watches) files = startWatching(options.file);
    const prepared = await prepare(options, terminal);
    const log = createLog(terminal, options.log);
    const tls = options.tls && watchCertificate(options.tls, log);
    certificate = tls;
    reload.onRequest(() => tls?.renew());
    endpoint = await openOperationsAddress(options, terminal.environment, log);
    const place = { files, reload, terminal, endpoint };
    const running = await servedUntil(stop.requested, prepared, { ...options, certificate }, place);
    await stop.requested;
    running?.leave();
    if (running && options.drainDelayMs > 0) await pause(options.drainDelayMs);
    await running?.stop(options.drainMs);
    return uncaught.hasThrown ? exitCodes.failed : exitCodes.ok;
  };
  try {
    return await reportingFailure(terminal, run);
  } finally {
    files?.close();
    certificate?.close();
    reload.forget();
    await endpoint?.close(operationsDrainMs);
    uncaught.forget();
    stop.forget();
  }
}

function drainDelay(text = "0s"): number {
  return text === "0s" ? 0 : duration("--drain-delay", text);
}

/** The public address as the prefix of links. @throws WrongUsage */
function publicUrl(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new WrongUsage(`--url takes an address such as https://api.example.com, not "${given}".`);
  return given.replace(/\/+$/, "");
}
