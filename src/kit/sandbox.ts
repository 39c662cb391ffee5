/**
 * Sandbox for a test suite: runs a document in a process of its own, or in this one, with a data
 * space for each test. All operations on a data space use the operations API, wherever the sandbox
 * runs.
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
import { type CertificateFiles, readCertificate } from "../cli/serving/sockets/certificates.ts";
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
  /** A file with `- Given:` items, the initial records of each data space. */
  readonly seed?: string | URL;
  /** Instead of a seed: the scenario whose `Given` items are the initial records. */
  readonly scenario?: string;
  /** Replaces the module in the document's folder; only with `inProcess`. */
  readonly handlers?: HandlerModule;
  /** Runs in this process. It starts faster and ends with the process. */
  readonly inProcess?: boolean;
  /**
   * Whether webhooks are signed for the time of the data space's clock. By default it is real time,
   * as receivers expect.
   */
  readonly signsInSandboxTime?: boolean;
  /**
   * Whether `space.close()` rejects, with the causes, if a request got 500 for a fault or 501 for a
   * gap.
   */
  readonly strict?: boolean;
  /**
   * Whether the service uses TLS, with a certificate for `localhost` and 127.0.0.1 that this
   * process trusts. Clients accept no wildcard below `localhost`, so select data spaces by the
   * path.
   */
  readonly tls?: boolean;
  /** Additional environment variables, such as secrets of the document. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Sandbox extends SandboxAddress, AsyncDisposable {
  /** Creates a data space with the seed, or opens the one with this name. */
  space(name?: string): Promise<Space>;
  /** Stops the sandbox with all its data spaces. Has no effect on a joined sandbox. */
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

/** Joins a sandbox that another process started and stops. */
export function joinSandbox(
  address: SandboxAddress,
  { strict = false }: Pick<SandboxOptions, "strict"> = {},
): Sandbox {
  if (address.certificate !== undefined) trust(address.certificate);
  return sandboxAt(address, async () => {}, strict);
}

/** Makes all clients of this process trust a certificate, in addition to their authorities. */
function trust(certificate: string): void {
  const trusted = getCACertificates("default");
  if (!trusted.includes(certificate)) setDefaultCACertificates([...trusted, certificate]);
}

/** Writes the certificate files, which are removed after the service has read them. */
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
      // The child ends when its IPC channel closes, and so with this process.
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
  // A sandbox that a suite forgot to close must not keep the suite's process alive.
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
    // The message of `serve` says what is wrong with the document.
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

/**
 * The environment without settings of `serve`, because settings of a shell are not meant for a
 * suite.
 */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("NINEFOLD_")));
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}

function pathOf(file: string | URL): string {
  return typeof file === "string" ? file : fileURLToPath(file);
}
