/**
 * Served command: serves a document in a separate process, as its users start it:
 * `ninefold serve FILE`, on a free port and a store in a new folder.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const startMsMax = 120_000;

export interface ServedProcess {
  readonly port: number;
  readonly origin: string;
  /** The resident memory of the process, in bytes (Linux); NaN if the system does not report it. */
  readonly residentBytes: number;
  /** Whether the process still runs. No request may end it. */
  readonly isRunning: boolean;
  close(): Promise<void>;
}

/**
 * Serves a document.
 * @param document the path from the repository's root: `examples/conduit.md`
 * @param given the initial records, as in a `Given` item: `Account with key = "k"`
 */
export async function serveProcess(document: string, given: readonly string[] = []): Promise<ServedProcess> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-served-"));
  const port = await freePort();
  const seeds = join(folder, "seed.md");
  writeFileSync(seeds, `# Records\n\n${given.map((record) => `- Given: \`${record}\`\n`).join("")}`);
  const service = spawn(
    process.execPath,
    [
      join(root, "bin", "ninefold"),
      "serve",
      join(root, document),
      ...["--port", String(port), "--store", join(folder, "store.db"), "--log", "none"],
      ...(given.length === 0 ? [] : ["--seed", seeds]),
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const close = async () => {
    await stop(service);
    rmSync(folder, { recursive: true, force: true });
  };
  const origin = `http://127.0.0.1:${port}`;
  try {
    await untilAnswered(origin, service);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    origin,
    get residentBytes() {
      return residentBytesOf(service);
    },
    get isRunning() {
      return service.exitCode === null && service.signalCode === null;
    },
    close,
  };
}

function residentBytesOf({ pid }: ChildProcess): number {
  const status = `/proc/${pid}/status`;
  const kilobytes = existsSync(status) && /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"));
  return kilobytes ? Number(kilobytes[1]) * 1024 : Number.NaN;
}

/** Returns a port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function untilAnswered(origin: string, service: ChildProcess): Promise<void> {
  const startedAt = performance.now();
  while (service.exitCode === null && performance.now() - startedAt < startMsMax) {
    // Any response will do: the service listens when its store is open and its records exist.
    const isUp = await fetch(origin).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the service did not start (exit code ${service.exitCode})`);
}

async function stop(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const exited = once(service, "exit");
  service.kill("SIGKILL");
  await exited;
}
