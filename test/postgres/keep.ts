/**
 * Starts a PostgreSQL server for a test run, and ends it when the run is over, also one that was killed: a process of its own, started by
 * `server.ts`.
 *
 *   node test/postgres/keep.ts FOLDER RUN [package] [durable]
 *
 * The folder is the server's own and goes with it. `url` in it says that the server is ready, `failed` that it never will be. PostgreSQL
 * refuses to be run by root: then an unprivileged user runs it.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type Binaries, binariesFor } from "./binaries.ts";
import { isAlive } from "./server.ts";

const [folder, run, ...flags] = process.argv.slice(2) as [string, string, ...string[]];
const wanted = flags.includes("package") ? "package" : undefined;
const isRoot = process.getuid?.() === 0;
const unprivileged = 65_534;
const runner = isRoot ? { uid: unprivileged, gid: unprivileged } : {};

/**
 * Tests need no data after a crash of the machine, and their statements are too short for JIT
 * compilation.
 */
const forTests = { fsync: "off", full_page_writes: "off", synchronous_commit: "off", jit: "off" };

writeFileSync(join(folder, "keeper"), String(process.pid));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
let server: ChildProcess | undefined;
try {
  server = await started(binariesFor(folder, wanted));
} catch (error) {
  console.error(error);
  writeFileSync(join(folder, "failed"), "");
  await pause(2000);
}
while (server?.exitCode === null && isAlive(Number(run))) await pause(200);
if (server?.exitCode === null) {
  server.kill("SIGQUIT");
  await new Promise((resolve) => server?.once("exit", resolve));
}
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

async function started({ initdb, postgres, env }: Binaries): Promise<ChildProcess> {
  const data = join(folder, "data");
  mkdirSync(data);
  if (isRoot) chownSync(data, unprivileged, unprivileged);
  const settings = { ...runner, env: { ...process.env, ...env }, cwd: "/" };
  execFileSync(
    initdb,
    ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", ...localeOf(initdb)],
    {
      ...settings,
      stdio: "inherit",
    },
  );
  const port = await freePort();
  const options = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: data,
    max_connections: "200",
    ...(flags.includes("durable") ? {} : forTests),
  };
  const given = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(postgres, ["-D", data, ...given], { ...settings, stdio: "inherit" });
  child.once("error", (error) => console.error(error));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  while (child.exitCode === null && !(await answers(url))) await pause(20);
  if (child.exitCode !== null) throw new Error("the server has exited");
  // Written atomically, because other processes wait for the file.
  writeFileSync(join(folder, "url.part"), url);
  renameSync(join(folder, "url.part"), join(folder, "url"));
  return child;
}

/** A natural collation as the default, so that a statement that forgets code-point order is detected. */
function localeOf(initdb: string): readonly string[] {
  const help = execFileSync(initdb, ["--help"], { encoding: "utf8", ...runner, cwd: "/" });
  const isKnown = help.includes("--icu-locale");
  return isKnown ? ["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"] : ["--locale=C"];
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
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
