/**
 * A document as a sandbox for a test suite: in a process of its own, or in this one, with a data
 * space for each test. All that is done to a data space goes through the operations API, wherever
 * the sandbox runs.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import { listenForOperations } from "../cli/operations/operations-address.ts";
import { type CertificateFiles, readCertificate } from "../cli/serving/certificates.ts";
import { prepare } from "../cli/serving/prepare.ts";
import type { ServeOptions } from "../cli/serving/options.ts";
import { start } from "../cli/serving/start.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { HandlerModule } from "../engine/handler-module.ts";
import { sandboxLimits } from "../engine/sandbox/limits.ts";
import { silentLog } from "../engine/ports.ts";
import { selfSigned } from "./self-signed.ts";
import { createSpace, type Space } from "./space.ts";
import { type SandboxAddress, spaceHeader } from "./sandbox-address.ts";
import { machine } from "../support/machine.ts";

export interface SandboxOptions {
  /** The document's file. */
  readonly document: string | URL;
  /** A file with `- Given:` items, which each data space begins with. */
  readonly seed?: string | URL;
  /** Instead: what this scenario of the document begins with. */
  readonly scenario?: string;
  /** Replaces the module in the document's folder; in this process alone. */
  readonly handlers?: HandlerModule;
  /** In this process: starts sooner, and ends with it. */
  readonly inProcess?: boolean;
  /**
   * Webhooks are signed for the time of the data space's clock; else for real time, as receivers
   * expect.
   */
  readonly signsInSandboxTime?: boolean;
  /**
   * `space.close()` rejects, with the causes, if a request to it got 500 by a fault or 501 by a
   * gap.
   */
  readonly strict?: boolean;
  /**
   * The service speaks TLS, with a certificate for `localhost` and 127.0.0.1, which this process
   * trusts. Clients accept none for all names below `localhost`: name data spaces by the path.
   */
  readonly tls?: boolean;
  /** Variables of the environment besides those of this process: secrets of the document. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Sandbox extends SandboxAddress, AsyncDisposable {
  /** A data space of its own, with the seed in it; or the one of this name. */
  space(name?: string): Promise<Space>;
  /** Ends it, with all that is in it; of one that was joined, nothing. */
  close(): Promise<void>;
}

/** How long a process may take to end after the signal, in milliseconds. */
const endMs = 5000;

/** Starts a sandbox of a document. Rejects with the errors of `serve` if it can't be served. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (options.handlers && !options.inProcess)
    throw new TypeError(
      "handlers require a sandbox in this process: set inProcess, or put the module into the document's folder.",
    );
  const tls = options.tls ? writeCertificate() : undefined;
  try {
    const { close, ...address } = await (options.inProcess
      ? startHere(options, tls?.files)
      : startProcess(options, tls?.files));
    if (!tls) return sandboxAt(address, close, options.strict ?? false);
    trust(tls.certificate);
    return sandboxAt({ ...address, certificate: tls.certificate }, close, options.strict ?? false);
  } finally {
    tls?.remove();
  }
}

/** One that somebody else has started, and ends. */
export function joinSandbox(
  address: SandboxAddress,
  { strict = false }: Pick<SandboxOptions, "strict"> = {},
): Sandbox {
  if (address.certificate !== undefined) trust(address.certificate);
  return sandboxAt(address, async () => {}, strict);
}

/** All clients of this process trust it, besides the authorities that they trust already. */
function trust(certificate: string): void {
  const trusted = getCACertificates("default");
  if (!trusted.includes(certificate)) setDefaultCACertificates([...trusted, certificate]);
}

/** The service reads both files when it starts; they are removed then. */
function writeCertificate() {
  const { cert, key } = selfSigned(machine.now());
  const folder = mkdtempSync(join(tmpdir(), "ninefold-tls-"));
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  return { files, certificate: cert, remove: () => rmSync(folder, { recursive: true }) };
}

function sandboxAt(
  { url, operations, token, certificate }: SandboxAddress,
  close: () => Promise<void>,
  isStrict: boolean,
): Sandbox {
  let closing: Promise<void> | undefined;
  const end = () => (closing ??= close());
  return {
    url,
    operations,
    token,
    ...(certificate === undefined ? {} : { certificate }),
    space: (name = `t-${randomBytes(8).toString("hex")}`) =>
      createSpace({ url, operations, token }, name, isStrict),
    close: end,
    [Symbol.asyncDispose]: end,
  };
}

type Started = SandboxAddress & { close(): Promise<void> };

async function startProcess(options: SandboxOptions, tls: CertificateFiles | undefined): Promise<Started> {
  const token = newToken();
  const args = [
    pathOf(options.document),
    "--sandbox",
    "--port=0",
    "--operations=0",
    "--log=none",
    "--allow-private-webhooks",
    "--ready-json",
    ...(options.seed === undefined ? [] : [`--seed=${pathOf(options.seed)}`]),
    ...(options.scenario === undefined ? [] : [`--seed-scenario=${options.scenario}`]),
    ...(options.signsInSandboxTime ? ["--sign-in-sandbox-time"] : []),
    ...(tls ? [`--tls-cert=${tls.cert}`, `--tls-key=${tls.key}`] : []),
  ];
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("../../bin/ninefold", import.meta.url)), "serve", ...args],
    {
      // With this process its channel closes, and the child ends.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: {
        ...ownEnvironment(),
        ...options.environment,
        NINEFOLD_OPERATIONS_TOKEN: token,
        NINEFOLD_LAUNCHED: "1",
      },
    },
  );
  const [stdout, stderr] = [child.stdout as Readable, child.stderr as Readable];
  const ended = once(child, "close");
  let complaints = "";
  stderr.on("data", (piece) => {
    complaints += String(piece);
  });
  const line = await Promise.race([firstLine(stdout), ended.then(() => undefined)]);
  if (line === undefined) throw new Error(complaints.trim() || "The sandbox's process exited.");
  // Neither keeps a suite from ending that has forgotten to close it.
  child.unref();
  child.channel?.unref();
  for (const stream of [stdout, stderr]) {
    stream.resume();
    (stream as Readable & { unref?(): void }).unref?.();
  }
  const { url, operations } = JSON.parse(line) as { readonly url: string; readonly operations: string };
  return {
    url,
    operations,
    token,
    async close() {
      child.ref();
      child.kill("SIGTERM");
      const takeBack = machine.after(endMs, () => child.kill("SIGKILL"));
      await ended;
      takeBack();
    },
  };
}

async function firstLine(stream: Readable): Promise<string | undefined> {
  const lines = createInterface({ input: stream });
  for await (const line of lines) return line;
  return undefined;
}

async function startHere(options: SandboxOptions, tls: CertificateFiles | undefined): Promise<Started> {
  const token = newToken();
  let complaints = "";
  const terminal: Terminal = {
    write() {},
    printError(text) {
      complaints += text;
    },
    isTerminal: false,
    colour: false,
    isQuiet: true,
    environment: { ...ownEnvironment(), ...options.environment },
  };
  const serving = serveOptions(options, tls);
  try {
    const prepared = await prepare(serving, terminal);
    const endpoint = await listenForOperations(serving.operations, { token }, silentLog);
    const given = options.handlers ? { ...prepared, handlers: options.handlers } : prepared;
    const running = await start(given, serving, terminal, endpoint).catch(async (error: unknown) => {
      await endpoint.close(0);
      throw error;
    });
    return {
      url: `${tls ? "https" : "http"}://127.0.0.1:${running.options.port}`,
      operations: endpoint.url,
      token,
      async close() {
        await running.stop(0);
        await endpoint.close(0);
      },
    };
  } catch (error) {
    // What is wrong with the document was complained of before.
    throw complaints === "" ? error : new Error(complaints.trim(), { cause: error });
  }
}

function serveOptions(options: SandboxOptions, tls: CertificateFiles | undefined) {
  return {
    file: pathOf(options.document),
    port: 0,
    host: "127.0.0.1",
    store: ":memory:",
    mappedBytes: undefined,
    seed: options.seed === undefined ? undefined : pathOf(options.seed),
    url: undefined,
    clientAddressOf: undefined,
    tls,
    certificate: tls && { current: () => readCertificate(tls), onRenewed() {}, renew() {}, close() {} },
    drainMs: 0,
    drainDelayMs: 0,
    explain: false,
    acceptsDataLoss: false,
    acceptsMissingLog: false,
    allowPrivateAddresses: false,
    allowPrivateWebhooks: true,
    mail: { smtp: undefined, "mail-from": undefined },
    log: { form: "none" },
    operations: { host: "127.0.0.1", port: 0, isFlexible: true },
    sandbox: {
      spaceHeader,
      spacesMax: sandboxLimits.spacesMax,
      scenario: options.scenario,
      signsInSandboxTime: options.signsInSandboxTime ?? false,
      pageOrigins: [],
    },
  } satisfies ServeOptions;
}

/** Without settings of `serve`: what a shell says of its services is nothing to a suite. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("NINEFOLD_")));
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}

function pathOf(file: string | URL): string {
  return typeof file === "string" ? file : fileURLToPath(file);
}
