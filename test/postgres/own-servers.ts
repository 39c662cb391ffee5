/**
 * A PostgreSQL server of a test's own that may be killed, and a standby that may take its place: with all that makes a commit durable, and
 * each commit waited for on both (`synchronous_standby_names`). A standby is a copy of the server's files.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type Binaries, binariesFor } from "./binaries.ts";

const unprivileged = 65_534;
const runner = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};
const settings = { ...runner, cwd: "/" };

interface Kind {
  readonly binaries: Binaries;
  /** Whether a commit waits until the standby has it on disk. */
  readonly isWaitedFor: boolean;
}

class Server {
  readonly data: string;
  readonly port: number;
  readonly #binaries: Binaries;
  readonly #isWaitedFor: boolean;
  #process: ChildProcess | undefined;

  constructor(data: string, port: number, { binaries, isWaitedFor }: Kind) {
    this.data = data;
    this.port = port;
    this.#binaries = binaries;
    this.#isWaitedFor = isWaitedFor;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Resolves when the server responds. Shared memory of a killed server may delay the start. */
  async start(): Promise<void> {
    for (;;) {
      const started = spawn(this.#binaries.postgres, ["-D", this.data, ...this.#given()], {
        ...settings,
        env: { ...process.env, ...this.#binaries.env },
        stdio: "ignore",
      });
      this.#process = started;
      while (started.exitCode === null && !(await this.#answers())) await pause(50);
      if (started.exitCode === null) return;
      await pause(100);
    }
  }

  /** @param signal SIGKILL kills the postmaster only, SIGINT shuts the whole server down */
  async end(signal: "SIGKILL" | "SIGINT" | "SIGQUIT"): Promise<void> {
    const running = this.#process;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const exit = once(running, "exit");
    running.kill(signal);
    await exit;
  }

  async request(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2000 });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  #answers(): Promise<boolean> {
    return this.request("SELECT 1").then(
      () => true,
      () => false,
    );
  }

  #given(): readonly string[] {
    const options = {
      listen_addresses: "127.0.0.1",
      port: String(this.port),
      unix_socket_directories: this.data,
      max_connections: "100",
      wal_level: "replica",
      hot_standby: "on",
      synchronous_standby_names: this.#isWaitedFor ? "*" : "",
      wal_receiver_status_interval: "1",
      wal_retrieve_retry_interval: "200",
    };
    return Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  }
}

export class OwnServers {
  readonly #folder: string;
  readonly #kind: Kind;
  #primary: Server;
  #standby: Server | undefined;
  #made = 1;

  private constructor(folder: string, primary: Server, kind: Kind) {
    this.#folder = folder;
    this.#primary = primary;
    this.#kind = kind;
  }

  static async start({ isWaitedFor = true } = {}): Promise<OwnServers> {
    const folder = mkdtempSync(join(tmpdir(), "ninefold-servers-"));
    if (runner.uid !== undefined) chownSync(folder, runner.uid, runner.uid);
    const data = join(folder, "server-1");
    const named = process.env["NINEFOLD_TEST_POSTGRES"];
    const binaries = binariesFor(folder, named === "package" ? named : undefined);
    execFileSync(
      binaries.initdb,
      ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"],
      { ...settings, env: { ...process.env, ...binaries.env }, stdio: "ignore" },
    );
    const kind = { binaries, isWaitedFor };
    const servers = new OwnServers(folder, new Server(data, await freePort(), kind), kind);
    await servers.#followed();
    return servers;
  }

  /** The URL of the primary server. */
  get url(): string {
    return this.#primary.url;
  }

  /** The host and port of the standby. */
  get standbyHost(): string {
    return `127.0.0.1:${this.#standby?.port}`;
  }

  /** Runs a query on the standby. */
  queryStandby(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    return (this.#standby as Server).request(text, values);
  }

  /** Kills the standby permanently. */
  async killStandby(): Promise<void> {
    await this.#standby?.end("SIGQUIT");
  }

  /** Runs a query on the primary. */
  request(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    return this.#primary.request(text, values);
  }

  /** Kills the postmaster, and starts the server again later. */
  async killPostmaster(downMs: number): Promise<void> {
    await this.#primary.end("SIGKILL");
    await pause(downMs);
    await this.#primary.start();
  }

  /**
   * Kills the primary permanently and promotes the standby. The returned function creates a new
   * synchronous standby.
   */
  async failOver(): Promise<() => Promise<void>> {
    const [lost, next] = [this.#primary, this.#standby as Server];
    await lost.end("SIGKILL");
    await next.request("SELECT pg_promote()");
    this.#primary = next;
    this.#standby = undefined;
    return async () => {
      rmSync(lost.data, { recursive: true, force: true, maxRetries: 5 });
      await this.#followed();
    };
  }

  async end(): Promise<void> {
    await Promise.all([this.#primary.end("SIGQUIT"), this.#standby?.end("SIGQUIT")]);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Stops the server, copies its files, and starts both as primary and standby. */
  async #followed(): Promise<void> {
    await this.#primary.end("SIGINT");
    this.#made += 1;
    const standby = new Server(join(this.#folder, `server-${this.#made}`), await freePort(), this.#kind);
    execFileSync("cp", ["-a", this.#primary.data, standby.data], settings);
    const settingsOfStandby = `primary_conninfo = 'host=127.0.0.1 port=${this.#primary.port} user=postgres'\n`;
    writeFileSync(join(standby.data, "postgresql.auto.conf"), settingsOfStandby);
    writeFileSync(join(standby.data, "standby.signal"), "");
    await Promise.all([this.#primary.start(), standby.start()]);
    this.#standby = standby;
    const follows = this.#kind.isWaitedFor ? "sync_state = 'sync'" : "state = 'streaming'";
    const states = `SELECT 1 FROM pg_stat_replication WHERE ${follows}`;
    while ((await this.request(states).catch(() => [])).length === 0) await pause(50);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
