/**
 * Tests on PostgreSQL by way of a real PgBouncer in transaction mode (Debian: `apt-get install pgbouncer`), with the server's own address as
 * `listen`: `node test/postgres/pgbouncer.ts [FILE …]`. Everything must pass as it does without; the exit code is the tests'.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresUrl } from "./server.ts";

const usual = ["several", "instances", "shared"]
  .map((name) => `test/postgres/${name}.test.ts`)
  .concat(["test/store/store.test.ts", "test/store/long-texts.test.ts", "test/histories/histories.test.ts"]);
const unprivileged = 65_534;
const runner = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {};

const server = new URL(await postgresUrl());
const folder = mkdtempSync(join(tmpdir(), "ninefold-pgbouncer-"));
const port = await freePort();
const config = join(folder, "pgbouncer.ini");
writeFileSync(
  config,
  `[databases]
${server.pathname.slice(1)} = host=${server.hostname} port=${server.port || 5432} user=${server.username}${server.password && ` password=${server.password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 1000
`,
);
if (runner.uid !== undefined) for (const path of [folder, config]) chownSync(path, runner.uid, runner.uid);
const pooler = spawn("pgbouncer", ["-q", config], { ...runner, cwd: "/", stdio: "inherit" });
const lost = once(pooler, "exit").then(() => {
  throw new Error("PgBouncer has exited.");
});
const files = process.argv.length > 2 ? process.argv.slice(2) : usual;
const tests = spawn(process.execPath, ["--test", "--test-concurrency=1", ...files], {
  stdio: "inherit",
  env: { ...process.env, NINEFOLD_TEST_POSTGRES: server.href, NINEFOLD_TEST_POOLER: `127.0.0.1:${port}` },
});
try {
  [process.exitCode] = (await Promise.race([once(tests, "exit"), lost])) as [number];
} finally {
  lost.catch(() => {});
  pooler.kill("SIGINT");
  rmSync(folder, { recursive: true, force: true });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  return typeof address === "object" && address ? address.port : 0;
}
