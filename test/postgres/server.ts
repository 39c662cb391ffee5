/**
 * The PostgreSQL of a test run: the server that NINEFOLD_TEST_POSTGRES names (a URL), else one of
 * the run's own. The first file that needs it starts it, and all share it. `keep.ts` starts it and
 * ends it with the run, however that ends. NINEFOLD_TEST_POSTGRES=package selects the binaries that
 * `npm ci` has installed, which are taken too where the machine has none. Nothing here skips a
 * test.
 *
 * With NINEFOLD_TEST_WITHOUT=LISTEN, stores connect through a proxy on which this statement fails.
 * Other values, and several with commas, are the names in `withouts` (`proxy.ts`).
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { PostgresProxy, without } from "./proxy.ts";

const named = process.env["NINEFOLD_TEST_POSTGRES"];
/** The `host:port` of a pooler through which stores connect (`pgbouncer.ts`). */
const pooler = process.env["NINEFOLD_TEST_POOLER"];
/** What the server doesn't have, as far as stores see. */
const lacking = process.env["NINEFOLD_TEST_WITHOUT"];
/** The prefix of the server folders of runs; the process number of the run follows. */
const prefix = "ninefold-postgres-";
/** The first start creates a database cluster, possibly on a busy machine. */
const startMs = 120_000;

let url: Promise<string> | undefined;

/** The URL of a running server, with a user who may create databases. */
export function postgresUrl(): Promise<string> {
  url ??= named === undefined || named === "package" ? ownServer() : Promise.resolve(named);
  return url;
}

/** A server whose commits survive a crash of the machine, for measurements. */
export function durablePostgresUrl(): Promise<string> {
  return named === undefined || named === "package" ? ownServer("durable") : Promise.resolve(named);
}

export interface Schema {
  /** The store's address, with `?schema=` as in `--store`. */
  readonly url: string;
  readonly name: string;
  /** Opens a connection with the schema as its search path; closed with the schema. */
  connect(settings?: pg.ClientConfig): Promise<pg.Client>;
  drop(): Promise<void>;
}

/** An empty schema, for one test file. */
export async function freshSchema(): Promise<Schema> {
  const server = await postgresUrl();
  const name = `test_${process.pid}_${randomBytes(4).toString("hex")}`;
  const clients: pg.Client[] = [];
  const connect = async (settings: pg.ClientConfig = {}) => {
    const client = new pg.Client({
      connectionString: server,
      options: `-c search_path=${name}`,
      ...settings,
    });
    clients.push(client);
    await client.connect();
    return client;
  };
  /**
   * Uses a connection that is closed afterwards. An open one would keep the process alive if a test
   * fails before it drops its schema.
   */
  const alone = async (statement: string) => {
    const owner = new pg.Client({ connectionString: server });
    await owner.connect();
    await owner.query(statement).finally(() => owner.end());
  };
  await alone(`CREATE SCHEMA ${name}`);
  const address = new URL(server);
  address.searchParams.set("schema", name);
  if (pooler !== undefined) {
    address.searchParams.set("listen", address.host);
    address.host = pooler;
  }
  let proxy: PostgresProxy | undefined;
  if (lacking !== undefined) {
    proxy = await PostgresProxy.start(address.href);
    proxy.replaces = without(...lacking.split(","));
    address.host = new URL(proxy.url).host;
  }
  return {
    url: address.href,
    name,
    connect,
    async drop() {
      await Promise.all(clients.map((client) => client.end()));
      await proxy?.close();
      await alone(`DROP SCHEMA ${name} CASCADE`);
    },
  };
}

/** The process of the run: the test runner if it runs the file, else this process. */
function runOf(): number {
  return process.env["NODE_TEST_CONTEXT"] === undefined ? process.pid : process.ppid;
}

async function ownServer(kind = ""): Promise<string> {
  const run = runOf();
  const folder = join(tmpdir(), `${prefix}${run}${kind}`);
  sweep();
  if (isNew(folder)) begin(folder, run, kind);
  const ready = join(folder, "url");
  for (const until = Date.now() + startMs; Date.now() < until; await pause(20)) {
    if (existsSync(ready)) return readFileSync(ready, "utf8");
    if (existsSync(join(folder, "failed"))) break;
  }
  throw new Error(`PostgreSQL for the tests did not start:\n${reportedBy(join(folder, "log"))}`);
}

function isNew(folder: string): boolean {
  try {
    // The user that runs the server must be able to enter it.
    mkdirSync(folder, { mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function begin(folder: string, run: number, kind: string): void {
  const log = openSync(join(folder, "log"), "a");
  const args = [join(import.meta.dirname, "keep.ts"), folder, String(run), named ?? "", kind];
  // The run's Node settings concern tests only.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  spawn(process.execPath, args, { detached: true, stdio: ["ignore", log, log], env }).unref();
}

function reportedBy(log: string): string {
  return existsSync(log) ? readFileSync(log, "utf8") : "nothing was logged";
}

/** Stops servers whose keeper was killed, and deletes their folders. */
function sweep(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const keeper = numberIn(join(folder, "keeper"));
    if (keeper === undefined || isAlive(keeper)) continue;
    const server = numberIn(join(folder, "data", "postmaster.pid"));
    if (server !== undefined && isAlive(server)) process.kill(server, "SIGQUIT");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The number in the first line of a file. */
function numberIn(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const number = Number.parseInt(readFileSync(file, "utf8"), 10);
  return Number.isNaN(number) ? undefined : number;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
