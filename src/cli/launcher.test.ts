/**
 * The launcher of a checkout on an old Node: it starts a newer Node, and its child ends with it.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { emptyDocument } from "./empty-document.ts";
import { addressOf, bin, freePort, type Watched, watched } from "./testing/served-command.ts";
import { ownFolder } from "../../test/own-folder.ts";

const folder = ownFolder("launcher");

const file = join(folder, "empty.md");
writeFileSync(file, emptyDocument("Empty"));

/** A Node on this machine that is older than the required version. */
function oldNode(): string | undefined {
  for (const path of ["/usr/local/bin/node", "/usr/bin/node"]) {
    try {
      if (Number.parseInt(String(execFileSync(path, ["--version"])).slice(1), 10) < 24) return path;
    } catch {
      // It doesn't exist.
    }
  }
  return undefined;
}

const node = oldNode();
const withOldNode = { skip: node === undefined ? "there is no older Node here" : false };
const store = join(folder, "empty.db");

/** Starts through the launcher as the leader of a process group, as a shell does. */
async function launched(): Promise<Watched> {
  const args = [bin, "serve", file, "--store", store, "--port", String(await freePort()), "--no-operations"];
  return watched(node as string, args, { detached: true });
}

async function isAnswered(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => true,
    () => false,
  );
}

/**
 * Polls until the condition holds; the timeout of the test's processes ends a test that waits in
 * vain.
 */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let at = 0; at < 600 && !(await isSo()); at += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(await isSo());
}

/** Asserts a clean close: no process holds the lock, and the log was merged into the store. */
function assertClosed(): void {
  const lock = new DatabaseSync(`${store}.lock`, { timeout: 0 });
  lock.exec("BEGIN IMMEDIATE; ROLLBACK");
  lock.close();
  assert.throws(() => readFileSync(`${store}-wal`), { code: "ENOENT" });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  for (const toGroup of [false, true]) {
    test(
      `${signal} to ${toGroup ? "the whole group" : "the launcher"} stops the service once, in order`,
      withOldNode,
      async () => {
        const service = await launched();
        const origin = await addressOf(service);
        const { pid } = service.child;
        process.kill(toGroup ? -(pid as number) : (pid as number), signal);
        assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());
        assert.equal(await isAnswered(origin), false);
        assertClosed();
      },
    );
  }
}

test("a killed launcher leaves no process and no file", withOldNode, async () => {
  const service = await launched();
  const origin = await addressOf(service);
  service.child.kill("SIGKILL");
  await until(async () => !(await isAnswered(origin)));
  // The service holds the other ends of both streams: they close with it.
  assert.deepEqual(await service.ended, { code: null, signal: "SIGKILL" });
  assertClosed();
});

/** The launcher's text in a folder that is no checkout, or in a checkout without its Node. */
function launcherIn(name: string, sources: boolean): string {
  const place = join(folder, name);
  mkdirSync(join(place, "bin"), { recursive: true });
  if (sources) mkdirSync(join(place, "src"));
  copyFileSync(bin, join(place, "bin", "ninefold"));
  return join(place, "bin", "ninefold");
}

test(
  "an old Node without a newer one next to the launcher prints what to do, with exit code 3",
  withOldNode,
  () => {
    const run = (launcher: string) => {
      const { status, stderr } = spawnSync(node as string, [launcher, "--version"]);
      return { status, error: String(stderr) };
    };
    const installed = run(launcherIn("installed", false));
    assert.equal(installed.status, 3);
    assert.match(
      installed.error,
      /^ninefold needs Node\.js 24 since 24\.16, or 26\.1 and newer, and this is v\d+\S*\. Install a newer one\.\n$/,
    );
    const checkout = run(launcherIn("checkout", true));
    assert.equal(checkout.status, 3);
    assert.match(
      checkout.error,
      /Install a newer one, or run `npm ci` in .*checkout, which brings one along\.\n$/,
    );
  },
);

test("a Node of a supported line, but older than the required version of it, is reported", () => {
  const launcher = launcherIn("pretended", false);
  const pretend = join(folder, "pretend.cjs");
  const run = (version: string) => {
    writeFileSync(
      pretend,
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`,
    );
    const { status, stderr } = spawnSync(process.execPath, ["--require", pretend, launcher, "--version"]);
    return { isRefused: status === 3, error: String(stderr).split("\n")[0] };
  };
  for (const version of ["24.15.0", "25.9.0", "26.0.0"]) {
    const { isRefused, error } = run(version);
    assert.ok(isRefused, version);
    assert.match(error ?? "", /^ninefold needs Node\.js 24 since 24\.16, or 26\.1 and newer, and this is /);
  }
  // There is no program behind this launcher, so a version that it accepts fails otherwise.
  for (const version of ["24.16.0", "26.1.0", "27.0.0"]) assert.equal(run(version).isRefused, false, version);
});

test("Ctrl-C through npm, which also forwards it, stops the service once, in order", async () => {
  const scripts = { start: `node ${bin} serve ${file} --store ${store} --port 0 --no-operations` };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
  const service = watched("npm", ["start", "--silent"], {
    cwd: folder,
    detached: true,
    env: { ...process.env, PATH: `${join(process.execPath, "..")}:${process.env["PATH"]}` },
  });
  await addressOf(service);
  process.kill(-(service.child.pid as number), "SIGINT");
  await service.ended;
  assertClosed();
});

test("a user without a name and a home folder can run it", {
  skip: process.getuid?.() === 0 ? false : "only root becomes another user",
}, () => {
  const { status, stderr } = spawnSync(process.execPath, [bin, "--version"], {
    uid: 54_321,
    env: { PATH: process.env["PATH"] },
    cwd: "/",
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
});
