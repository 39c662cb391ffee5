/**
 * Starts the services of the bench as separate processes, each pinned to one core where the system
 * allows it.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

export interface Server {
  readonly name: string;
  readonly port: number;
  /** The credential that the service accepts. */
  readonly key: string;
  /** Processor time used so far, in milliseconds; undefined if the system doesn't report it. */
  cpuMs(): number | undefined;
  stop(): Promise<void>;
}

/** Maximum time to the first response, in milliseconds. */
const startMs = 15_000;
const key = "sk_bench";

/** The hand-written service. */
export function startReference(port: number): Promise<Server> {
  return startProgram("reference", port);
}

/** The lower bound: see `floor.ts`. */
export function startFloor(port: number): Promise<Server> {
  return startProgram("floor", port);
}

/** A program of this folder, by the name of its file. */
function startProgram(name: "reference" | "floor", port: number): Promise<Server> {
  const program = join(import.meta.dirname, `${name}.ts`);
  return start(name, port, (store) => [program, "--port", String(port), "--store", store, "--key", key]);
}

/** The hand-written service on PostgreSQL, in the schema that its URL names. */
export function startPostgresReference(port: number, url: string): Promise<Server> {
  const program = join(import.meta.dirname, "reference-postgres.ts");
  return start(
    "reference",
    port,
    () => [program, "--port", String(port), "--store", url, "--key", key],
    false,
  );
}

/**
 * Ninefold, serving `parcels.md`.
 * @param storeUrl the URL of a PostgreSQL; a new file by default
 */
export function startNinefold(port: number, storeUrl?: string): Promise<Server> {
  return startDocument(["parcels.md", "--seed", join(import.meta.dirname, "seed.md")], port, storeUrl);
}

/** Ninefold, serving `counters.md`. */
export function startCounters(port: number, storeUrl?: string): Promise<Server> {
  return startDocument(["counters.md"], port, storeUrl);
}

function startDocument(
  [document = "", ...more]: readonly string[],
  port: number,
  storeUrl: string | undefined,
): Promise<Server> {
  const program = join(import.meta.dirname, "..", "bin", "ninefold");
  const command = (store: string): string[] => [
    program,
    "serve",
    join(import.meta.dirname, document),
    "--port",
    String(port),
    "--store",
    store,
    ...more,
    "--log",
    "none",
    "--no-operations",
  ];
  return start("ninefold", port, (store) => command(storeUrl ?? store), storeUrl === undefined);
}

/**
 * @param isPinned whether it runs on the servers' core; otherwise it shares all cores with a
 * database
 */
async function start(
  name: string,
  port: number,
  command: (store: string) => string[],
  isPinned = true,
): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), `ninefold-bench-${name}-`));
  const whole = [process.execPath, ...command(join(folder, "store.db"))];
  const [program, ...rest] = isPinned ? pinned(whole) : whole;
  const child = spawn(program as string, rest, { stdio: ["ignore", "ignore", "inherit"] });
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await answers(port, child);
  } catch (error) {
    await stop();
    throw new Error(`${name} did not start: ${error instanceof Error ? error.message : error}`);
  }
  return { name, port, key, stop, cpuMs: () => cpuMsOf(child.pid) };
}

/** Clock ticks are hundredths of a second on all current Linux systems. */
const tickMs = 10;

function cpuMsOf(pid: number | undefined): number | undefined {
  try {
    // After the name, which is in parentheses, user and system time are the 12th and 13th fields.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return tickMs * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return undefined;
  }
}

/**
 * Processor time of all processes of a database server, including those that have exited, in
 * milliseconds.
 */
export function databaseMs(postmaster: number): number {
  let ticks = 0;
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      if (Number(name) === postmaster) for (const at of [11, 12, 13, 14]) ticks += Number(fields[at]);
      else if (Number(fields[1]) === postmaster) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The process has exited meanwhile.
    }
  }
  return ticks * tickMs;
}

/** A port on which no program listens. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

const hasTaskset = availableParallelism() >= 2 && spawnSync("taskset", ["-V"]).status === 0;

/** The servers are pinned to the first core; the load generator gets the others. */
function pinned(command: string[]): string[] {
  return hasTaskset ? ["taskset", "-c", "0", ...command] : command;
}

/** Keeps this process off the servers' core. */
export function pinSelf(): boolean {
  if (!hasTaskset) return false;
  return spawnSync("taskset", ["-a", "-c", "-p", "1", String(process.pid)]).status === 0;
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  const endsAt = performance.now() + startMs;
  while (performance.now() < endsAt) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    const isThere = await fetch(`http://127.0.0.1:${port}/v1/parcels?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    }).then(
      ({ status }) => status < 500 || Promise.reject(new Error(`it answers ${status}`)),
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no answer within ${startMs} ms`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), 5000);
  await exited;
  clearTimeout(killer);
}
