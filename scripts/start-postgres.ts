/**
 * Runs an example on several instances, without containers: `npm run start:postgres [DOCUMENT
 * [SEED]]`. It starts its own PostgreSQL (the machine's binaries, else those that `npm ci` has
 * installed) and two instances on it, and prints their addresses. Ctrl-C stops everything, and
 * deletes the stored data.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onScriptExit } from "../src/cli/serving/signals/stop-signal.ts";
import { postgresUrl } from "../test/postgres/server.ts";

const root = join(import.meta.dirname, "..");
const [document = "examples/parcel-desk.md", seed] = process.argv.slice(2);
const seeded = seed ?? (process.argv.length > 2 ? undefined : "examples/parcel-desk.seed.md");
const instances: ChildProcess[] = [];
let isStopping = false;

const stop = () => {
  isStopping = true;
  for (const instance of instances) instance.kill("SIGTERM");
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
onScriptExit(stop);

const url = new URL(await postgresUrl());
console.log(`PostgreSQL for this run: ${url.href}\n`);
url.searchParams.set("schema", "ninefold");
for (const name of ["first", "second"]) if (!isStopping) await start(name);
if (!isStopping)
  console.log(
    "Both serve the same records: a change through one shows at the other. Ctrl-C stops them, and deletes the database with all that is in it.",
  );
await Promise.all(instances.map((instance) => instance.exitCode ?? once(instance, "exit")));
// The server stops by itself when this process exits.

/** Starts an instance; the second one waits for the first, so that it finds the seed's records. */
async function start(name: string): Promise<void> {
  const operations = await freePort();
  const args = ["serve", document, "--store", url.href, "--port", "0", "--operations", String(operations)];
  console.log(`The ${name} instance:`);
  const instance = spawn(
    process.execPath,
    [join(root, "bin/ninefold"), ...args, ...(seeded && name === "first" ? ["--seed", seeded] : [])],
    // This process passes Ctrl-C on, once.
    { stdio: ["ignore", "inherit", "inherit"], detached: true },
  );
  instances.push(instance);
  while (instance.exitCode === null && !(await isReady(operations))) await pause(100);
  if (instance.exitCode !== null) {
    process.exitCode = instance.exitCode;
    isStopping = true;
  }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
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
