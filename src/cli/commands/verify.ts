/**
 * `ninefold verify`: sends a document's scenarios and generated requests to a service, and compares
 * its responses with those of the document.
 */
import { readFile } from "node:fs/promises";
import { createPaint } from "../../diagnostics/formats/paint.ts";
import { driftText } from "../../explore/drift.ts";
import { JournalMismatch } from "../../explore/comparison/journal.ts";
import type { GivenStep } from "../../explore/comparison/implementation.ts";
import { coverageOfRequests, type ReportRow, reportRows } from "../../explore/report.ts";
import { type Verification, verify } from "../../explore/verify.ts";
import { endpointName } from "../../explore/walk/walked-step.ts";
import { receiverAddresses, WebhookInbox } from "../../explore/comparison/webhooks.ts";
import type { Model } from "../../model/model.ts";
import { HttpTarget } from "../../verify/http-target.ts";
import { duration, readArguments, wholeNumber } from "../arguments.ts";
import { CliError, type Command, CommandFailed, exitCodes, WrongUsage } from "../command.ts";
import { writeWhole } from "../export/out-file.ts";
import { loadHandlers } from "../load-handlers.ts";
import { loadModel } from "../open-service.ts";
import { createProgress } from "../progress.ts";
import { coverageText } from "../scenarios/coverage-text.ts";
import { readSeed } from "../seed.ts";
import { listenForStop } from "../serving/signals/stop-signal.ts";
import { type Terminal, warn } from "../terminal.ts";
import { hashOf, openJournal, readJournalFile } from "../verification/journal-file.ts";
import { checkService, isLoopback, receiverUrl, serviceUrl } from "../verification/preflight.ts";
import { reportHtml } from "../verification/report-html.ts";
import { reportJson, reportJunit, reportSarif, reportText } from "../verification/report-text.ts";
import { openServiceClock } from "../verification/service-clock.ts";

const usage = `Usage: ninefold verify FILE --against URL [--setup SETUP.md] [--only TEXT] [--seed N] [--requests N]
                       [--time DURATION] [--rate N] [--timeout DURATION] [--receiver URL] [--receiver-port N]
                       [--clock URL] [--limits] [--coverage] [--json] [--junit RESULTS.xml] [--sarif FILE] [--html FILE]
                       [--drift FILE] [--resume FILE] [--yes]

Compares a service with its document, in whatever language it is written. It runs the scenarios, then requests that it
generates: every endpoint, inputs at and around their bounds, callers, states, pages, preconditions, repeated
requests. The document's own service, in this process, gives the expected responses. Identifiers, times and
other values that the document leaves to the service only have to be consistent.

The service must start with the records of --setup and no others. verify creates, changes and deletes records. At the
end it deletes those that it created, as far as endpoints do that; their texts begin with zq.

  --against URL  the service: http://127.0.0.1:4545
  --setup FILE   \`- Given:\` items: the records that the service has, credentials of callers among them
  --only TEXT    only endpoints with this text in their method and path
  --seed N       repeats the requests of an earlier run
  --requests N   the maximum number of generated requests (3000)
  --time TIME    sends no request after this time (2 minutes)
  --rate N       the maximum number of requests a second (200); after a 429, verify waits in any case
  --timeout TIME the maximum time of a response (15 seconds)
  --receiver URL the address at which the service reaches this machine, for its webhooks; needed if the service is on
                 another machine. It must lead to the port of --receiver-port
  --receiver-port N
                 where webhooks arrive (any free port)
  --clock URL    moves the service's clock, so that timed transitions and expiries are compared: the operations address of
                 a sandbox, or a URL that takes POST {"advance": "90 seconds"} and responds with {"now": TIME}
  --limits       also sends requests until each rate of the document rejects them
  --coverage     also lists which rules of the document the requests met
  --json         one JSON object
  --junit FILE   writes the results to this file too, as JUnit's XML
  --sarif FILE   writes what is broken to this file too, as SARIF
  --html FILE    writes the report to this file too, as one page
  --drift FILE   writes what differs to this file, as a Markdown diff of scenarios. The document is never changed
  --resume FILE  records the run in this file. A run that it records already goes on where it was stopped, and its
                 report covers both. The file has the answers of the service, credentials among them
  --yes          the service may be on another machine

Verdicts: holds · broken · not observable (time, held responses) · gap (the document doesn't show it)
Exit codes: 0 nothing is broken · 1 something is, or the document has mistakes · 2 wrong usage
            3 the service can't be reached, isn't that of the document, or needs credentials; a file can't be read

Example: ninefold verify examples/parcel-desk.md --against http://127.0.0.1:4545 --setup examples/parcel-desk.seed.md
`;

const requestsByDefault = 3000;
const timeMsByDefault = 120_000;
const rateByDefault = 200;
const faultsMax = 20;
const timeoutMsByDefault = 15_000;
const bodyBytesMax = 16 * 1024 * 1024;

interface VerifyFlags {
  readonly url: URL;
  readonly setup: string | undefined;
  readonly only: string | undefined;
  /** Undefined if none was given. */
  readonly seed: number | undefined;
  readonly requestsMax: number;
  readonly timeMsMax: number;
  readonly rate: number;
  readonly receiver: URL | undefined;
  readonly receiverPort: number | undefined;
  readonly timeoutMs: number;
  readonly clock: string | undefined;
  readonly limits: boolean;
  readonly coverage: boolean;
  readonly json: boolean;
  readonly junit: string | undefined;
  readonly sarif: string | undefined;
  readonly html: string | undefined;
  readonly drift: string | undefined;
  readonly resume: string | undefined;
}

export const verifyCommand: Command = {
  name: "verify",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        against: { type: "string" },
        setup: { type: "string" },
        only: { type: "string" },
        seed: { type: "string" },
        requests: { type: "string" },
        time: { type: "string" },
        rate: { type: "string" },
        receiver: { type: "string" },
        "receiver-port": { type: "string" },
        timeout: { type: "string" },
        clock: { type: "string" },
        limits: { type: "boolean" },
        coverage: { type: "boolean" },
        html: { type: "string" },
        drift: { type: "string" },
        resume: { type: "string" },
        json: { type: "boolean" },
        junit: { type: "string" },
        sarif: { type: "string" },
        yes: { type: "boolean" },
      },
      positionals: ["FILE"],
    });
    const [file = ""] = positionals;
    if (values.against === undefined)
      throw new WrongUsage("--against is missing: the URL of the service, such as http://127.0.0.1:4545.");
    const rate = values.rate === undefined ? rateByDefault : wholeNumber("--rate", values.rate);
    if (rate === 0) throw new WrongUsage("--rate takes 1 or more.");
    return verifyOnce(
      file,
      {
        url: serviceUrl(values.against, values.yes === true),
        setup: values.setup,
        only: values.only,
        seed: values.seed === undefined ? undefined : wholeNumber("--seed", values.seed),
        requestsMax:
          values.requests === undefined ? requestsByDefault : wholeNumber("--requests", values.requests),
        timeMsMax: values.time === undefined ? timeMsByDefault : duration("--time", values.time),
        rate,
        receiver: values.receiver === undefined ? undefined : receiverUrl(values.receiver),
        receiverPort:
          values["receiver-port"] === undefined
            ? undefined
            : wholeNumber("--receiver-port", values["receiver-port"]),
        timeoutMs: values.timeout === undefined ? timeoutMsByDefault : duration("--timeout", values.timeout),
        clock: values.clock,
        limits: values.limits === true,
        coverage: values.coverage === true,
        json: values.json === true,
        junit: values.junit,
        sarif: values.sarif,
        html: values.html,
        drift: values.drift,
        resume: values.resume,
      },
      terminal,
    );
  },
};

function seedOfNow(): number {
  return Math.floor(Math.random() * 1_000_000);
}

async function verifyOnce(file: string, flags: VerifyFlags, terminal: Terminal): Promise<number> {
  const { model } = await loadModel(file, terminal);
  const handlers = await loadHandlers(file, model, terminal);
  const given = flags.setup === undefined ? [] : await readSeed(model, flags.setup, terminal);
  const { only, url } = flags;
  if (only !== undefined) checkOnly(only, model, file);
  const stopping = new AbortController();
  const stop = listenForStop();
  void stop.requested.then(() => stopping.abort());
  const clock =
    flags.clock === undefined ? undefined : await openServiceClock(flags.clock, terminal.environment);
  const earlier = flags.resume === undefined ? undefined : await readJournalFile(flags.resume);
  const seed = flags.seed ?? earlier?.head?.seed ?? seedOfNow();
  const inbox = await openInbox(model, flags, earlier?.head?.receiver);
  const { timeoutMs } = flags;
  const options = { timeoutMs, bodyBytesMax, gapMs: 1000 / flags.rate, signal: stopping.signal, clock };
  const target = new HttpTarget(url, options);
  const progress = createProgress(terminal, "verifying");
  try {
    const journal =
      flags.resume !== undefined && earlier
        ? openJournal(
            flags.resume,
            earlier,
            {
              ...(await hashesOf(file, flags.setup)),
              against: url.href,
              only: only ?? "",
              seed,
              clock: clock !== undefined,
              receiver: inbox?.url ?? "",
            },
            target.nowMs(),
          )
        : undefined;
    await checkService({ model, given, handlers }, target, url);
    const verification = await verify({
      model,
      service: target,
      given,
      handlers,
      scenarios: only === undefined ? model.scenarios : [],
      seed,
      requestsMax: flags.requestsMax,
      timeMsMax: flags.timeMsMax,
      faultsMax,
      inbox,
      hasClock: clock !== undefined,
      cleansUp: true,
      provokesRates: flags.limits,
      signal: stopping.signal,
      ...(journal ? { journal } : {}),
      onProgress: ({ requests }) => progress.update(requests, flags.requestsMax),
      ...(only === undefined ? {} : { isWanted: (endpoint) => endpointName(endpoint).includes(only) }),
    });
    progress.end();
    warnOfUnfinished(verification, stopping.signal.aborted, flags, terminal);
    const rows = reportRows(model, verification);
    await writeReports({ file, model, given, rows, verification }, flags, terminal);
    return rows.some(({ verdict }) => verdict === "broken") ? exitCodes.failed : exitCodes.ok;
  } catch (error) {
    if (!(error instanceof JournalMismatch)) throw error;
    throw new CliError(`${flags.resume} can't be resumed: ${error.message}. Name a new file.`);
  } finally {
    progress.end();
    stop.forget();
    await target.close();
    await inbox?.close();
  }
}

function checkOnly(only: string, { endpoints }: Model, file: string): void {
  const names = endpoints.map(endpointName);
  if (names.some((name) => name.includes(only))) return;
  throw new CommandFailed(
    `No endpoint has "${only}" in its method and path. ${file} has ${names.join(", ")}.`,
  );
}

async function hashesOf(file: string, setup: string | undefined) {
  return {
    document: hashOf(await readFile(file, "utf8")),
    setup: setup === undefined ? "" : hashOf(await readFile(setup, "utf8")),
  };
}

function warnOfUnfinished(
  { isUnfinished, requests }: Verification,
  isStopped: boolean,
  { resume }: VerifyFlags,
  terminal: Terminal,
): void {
  const hint = resume === undefined ? "" : ` The same command continues, because of --resume ${resume}.`;
  if (isStopped) warn(terminal, `Stopped: the report covers the requests so far.${hint}\n`);
  else if (isUnfinished && requests > 0 && resume !== undefined)
    warn(terminal, `The report covers the requests so far.${hint}\n`);
}

interface Reported {
  readonly file: string;
  readonly model: Model;
  readonly given: readonly GivenStep[];
  readonly rows: readonly ReportRow[];
  readonly verification: Verification;
}

async function writeReports(
  { file, model, given, rows, verification }: Reported,
  { url, junit, sarif, html, drift, json, coverage }: VerifyFlags,
  terminal: Terminal,
): Promise<void> {
  if (sarif !== undefined) await writeWhole(sarif, reportSarif(file, url, rows));
  if (junit !== undefined) await writeWhole(junit, reportJunit(file, url, rows));
  if (html !== undefined) await writeWhole(html, reportHtml(file, url, rows, verification));
  if (drift !== undefined)
    await writeWhole(drift, driftText({ file, url: url.href }, given, verification.faults));
  const met = coverage ? coverageOfRequests(model, verification) : undefined;
  const paint = createPaint(terminal.colour);
  if (json) terminal.write(`${JSON.stringify(reportJson(file, url, rows, verification, met), null, 2)}\n`);
  else {
    terminal.write(reportText(file, url, rows, verification, paint));
    if (met) terminal.write(coverageText(file, met, paint));
  }
}

/**
 * Opens the webhook receiver, on this machine or behind the URL of `--receiver`.
 * @param earlier the address in the run that is resumed, which the service knows
 */
async function openInbox(
  model: Model,
  { url, receiver, receiverPort, clock }: VerifyFlags,
  earlier: string | undefined,
): Promise<WebhookInbox | undefined> {
  const isHere = isLoopback(url);
  if (receiverAddresses(model).size === 0 || (!isHere && !receiver)) return undefined;
  const port = receiverPort ?? (receiver || !earlier ? undefined : Number(new URL(earlier).port));
  try {
    return await WebhookInbox.open({
      hasClock: clock !== undefined,
      ...(receiver ? { url: receiver.href } : {}),
      ...(port === undefined ? {} : { port }),
    });
  } catch (error) {
    throw new CliError(
      `Webhooks can't be received: ${error instanceof Error ? error.message : String(error)}. Name another port with --receiver-port.`,
    );
  }
}
