/** `ninefold serve`: runs a document as a service. */
import { portNumber, readArguments } from "../arguments.ts";
import { type Command, exitCodes, WrongUsage } from "../command.ts";
import { defaultStorePath, DocumentFailed, loadModel } from "../open-service.ts";
import { type OperationsDoor, openDoor } from "../operations/door.ts";
import { readOperationsFlags } from "../operations/flags.ts";
import { readSandboxFlags } from "../sandbox/flags.ts";
import { keepRequestsYoung } from "../serving/heap.ts";
import { createLog } from "../serving/log.ts";
import { type LogForm, logForms } from "../serving/log.ts";
import { routesTable } from "../serving/routes-table.ts";
import type { ServeOptions } from "../serving/options.ts";
import { prepare } from "../serving/prepare.ts";
import { start } from "../serving/start.ts";
import { sizeBytes } from "../../support/quantity.ts";
import { listenForStop } from "../serving/stop-signal.ts";
import { servedUntil, type WatchedFiles, watchFromNow } from "../serving/watch.ts";
import type { Terminal } from "../terminal.ts";

const usage = `Usage: ninefold serve FILE [--port 4545] [--host 127.0.0.1] [--store PATH] [--cache 1GiB] [--seed SEED.md] [--url URL] [--watch] [--accept-data-loss] [--accept-missing-log] [--allow-private-addresses] [--allow-private-webhooks] [--smtp URL --mail-from ADDRESS] [--explain] [--quiet | --log pretty] [--operations 4546] [--operations-host 127.0.0.1] [--no-operations]
       ninefold serve FILE --sandbox [--operations 4546] [--space-header Ninefold-Space] [--spaces-max 100] [--seed-scenario NAME] …

Runs the document as a service.

  --port N      the port; 0 takes a free one
  --host HOST   the address to listen at
  --store PATH  the store's file, made if it isn't there; :memory: keeps nothing.
                Without it: a file beside the document, named for it
  --cache SIZE  how much of the store's file is read as memory, which the system lends and
                takes back; 0B for none. Without it: half of the machine's, up to 2 GiB
  --seed FILE   a Markdown file whose \`- Given:\` items are made once, in an empty store
  --url URL     the public address, where it isn't http://HOST:PORT
  --watch       starts anew when the document changes, and makes its stored changes; where what
                is new can't be served, or would lose data, it says so and goes on as it was.
                What is kept in memory goes on too; where it doesn't fit any more, it is told
                why, and the store is begun and seeded anew
  --accept-data-loss
                where the store has data that the document has no place for any more:
                copies the store beside it, tells what goes, and starts. Without it
                nothing is changed, and what would be lost is told. Beside --watch it
                holds for every change
  --accept-missing-log
                starts on a store that was open when it was left or copied, though the log
                with its last changes (-wal) isn't beside it
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
  --log FORM    pretty: a short line for each request; json: one for programs. Without it:
                pretty on a terminal, json elsewhere
  --routes      prints the endpoints, what each does, who may and where it stands, and ends
  --operations N
                the port of the operations address: the console, documentation, OpenAPI,
                AsyncAPI and JSON Schemas of the document, health, metrics, and the
                operations API. Without it: the one after --port (a free one where that
                is taken)
  --operations-host HOST
                the address that it listens at, which is loopback without it. For another
                one, NINEFOLD_OPERATIONS_TOKEN holds the token that opens it
  --no-operations   no such address; a service for other machines (--host) has none unless
                --operations or --operations-host asks for it
  --sandbox     for tests: kept in memory unless --store is given, with a clock that
                can be moved, snapshots, and a data space for each value of a header,
                all through an operations API on loopback (see \`ninefold sandbox\`)
  --space-header NAME   the header that names the data space
  --spaces-max N        most data spaces at the same time
  --seed-scenario NAME  each data space begins with the \`Given\` items of this scenario

Exit codes: 0 stopped · 1 the document has mistakes · 2 wrong usage · 3 the port, the file or the store can't be used

Example: ninefold serve examples/parcel-desk.md --store :memory:
`;

/** How long running requests may take to finish when the service is stopped, in milliseconds. */
const drainMs = 25_000;
/** The same of requests to the operations address, which by then has nothing left to operate. */
const doorDrainMs = 1000;

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
        cache: { type: "string" },
        seed: { type: "string" },
        url: { type: "string" },
        watch: { type: "boolean" },
        explain: { type: "boolean" },
        "accept-data-loss": { type: "boolean" },
        "accept-missing-log": { type: "boolean" },
        "allow-private-addresses": { type: "boolean" },
        "allow-private-webhooks": { type: "boolean" },
        smtp: { type: "string" },
        "mail-from": { type: "string" },
        quiet: { type: "boolean" },
        log: { type: "string" },
        routes: { type: "boolean" },
        operations: { type: "string" },
        "operations-host": { type: "string" },
        "no-operations": { type: "boolean" },
        sandbox: { type: "boolean" },
        "space-header": { type: "string" },
        "spaces-max": { type: "string" },
        "seed-scenario": { type: "string" },
      },
      positionals: ["FILE"],
    });
    keepRequestsYoung();
    const file = positionals[0] as string;
    if (values.routes) return tellRoutes(file, terminal);
    const port = portNumber("--port", values.port ?? "4545");
    const sandbox = readSandboxFlags(values);
    const options: ServeOptions = {
      file,
      port,
      host: values.host ?? "127.0.0.1",
      store: values.store ?? (sandbox ? ":memory:" : defaultStorePath(file)),
      mappedBytes: cacheSize(values.cache),
      seed: values.seed,
      url: publicUrl(values.url),
      explain: values.explain ?? false,
      acceptsDataLoss: values["accept-data-loss"] ?? false,
      acceptsMissingLog: values["accept-missing-log"] ?? false,
      allowPrivateAddresses: values["allow-private-addresses"] ?? false,
      allowPrivateWebhooks: values["allow-private-webhooks"] ?? false,
      mail: { smtp: values.smtp, "mail-from": values["mail-from"] },
      quiet: values.quiet ?? false,
      log: logForm(values.log),
      operations: readOperationsFlags(values, {
        port,
        host: values.host ?? "127.0.0.1",
        environment: terminal.environment,
      }),
      sandbox,
    };
    if (options.acceptsDataLoss && sandbox)
      throw new WrongUsage(
        "A sandbox keeps nothing worth a copy: --accept-data-loss is for serving without it.",
      );
    return serve(options, values.watch ?? false, terminal);
  },
};

async function tellRoutes(file: string, terminal: Terminal): Promise<number> {
  try {
    const { model } = await loadModel(file, terminal);
    terminal.write(routesTable(model, { colour: terminal.colour }));
    return exitCodes.ok;
  } catch (error) {
    if (!(error instanceof DocumentFailed)) throw error;
    terminal.complain(`${error.message}\n`);
    return exitCodes.failed;
  }
}

/** @throws WrongUsage */
function logForm(text: string | undefined): LogForm | undefined {
  const form = logForms.find((one) => one === text);
  if (text !== undefined && form === undefined)
    throw new WrongUsage(`--log takes ${logForms.join(" or ")}, not "${text}".`);
  return form;
}

function cacheSize(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bytes = sizeBytes(text);
  if (bytes === undefined) throw new WrongUsage(`--cache takes a size, as \`256MiB\`; "${text}" is none.`);
  return bytes;
}

async function serve(options: ServeOptions, watches: boolean, terminal: Terminal): Promise<number> {
  // Before it greets: whoever starts it may stop it as soon as it has greeted.
  const stop = listenForStop();
  let door: OperationsDoor | undefined;
  let files: WatchedFiles | undefined;
  try {
    if (watches) files = watchFromNow(options.file);
    const prepared = await prepare(options, terminal);
    door = await openDoor(options, terminal.environment, createLog(terminal));
    const running = files
      ? await servedUntil(stop.asked, prepared, options, { files, terminal, door })
      : await start(prepared, options, terminal, door);
    await stop.asked;
    await running?.stop(drainMs);
    return exitCodes.ok;
  } catch (error) {
    if (!(error instanceof DocumentFailed)) throw error;
    terminal.complain(`${error.message}\n`);
    return exitCodes.failed;
  } finally {
    files?.close();
    await door?.close(doorDrainMs);
    stop.forget();
  }
}

/** The public address as links begin with it. @throws WrongUsage */
function publicUrl(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new WrongUsage(`--url takes an address such as https://api.example.com, not "${given}".`);
  return given.replace(/\/+$/, "");
}
