/**
 * The token of the operations address: where it is stored, who can read it, how long it is valid,
 * and how programs find it.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { served, type Watched } from "../../src/cli/testing/served-command.ts";
import { createClient } from "../../src/cli/operations/client.ts";
import { runningAt, recordRunning } from "../../src/cli/operations/registry.ts";
import { operationsToken } from "../../src/cli/operations/token.ts";
import { pathOf } from "../repository/repository.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("token");

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("it is stored next to the store, readable by its owner alone, and stays the same", async () => {
  const store = join(folder, "kept.db");
  const first = await operationsToken({}, store);
  assert.equal(first.file, `${store}.token`);
  assert.equal(Buffer.from(first.token, "base64url").byteLength, 32);
  assert.equal(modeOf(first.file), 0o600);
  assert.deepEqual(await operationsToken({}, store), first);
  assert.deepEqual(readdirSync(folder), ["kept.db.token"]);
});

test("a token file that others could read is replaced, and so is an invalid one", async () => {
  const store = join(folder, "open.db");
  const first = await operationsToken({}, store);
  chmodSync(`${store}.token`, 0o644);
  const second = await operationsToken({}, store);
  assert.notEqual(second.token, first.token);
  assert.equal(modeOf(`${store}.token`), 0o600);
  writeFileSync(`${store}.token`, "");
  assert.notEqual((await operationsToken({}, store)).token, "");
  // A link leads to a file that someone else chooses.
  rmSync(`${store}.token`);
  writeFileSync(join(folder, "elsewhere"), `${"A".repeat(43)}\n`, { mode: 0o600 });
  symlinkSync(join(folder, "elsewhere"), `${store}.token`);
  assert.notEqual((await operationsToken({}, store)).token, "A".repeat(43));
  assert.equal(readFileSync(join(folder, "elsewhere"), "utf8"), `${"A".repeat(43)}\n`);
});

test("the environment's token comes first; a token without a file is new at each start", async () => {
  const token = "t".repeat(32);
  assert.deepEqual(await operationsToken({ NINEFOLD_OPERATIONS_TOKEN: token }, join(folder, "any.db")), {
    token,
    variable: "NINEFOLD_OPERATIONS_TOKEN",
  });
  const inMemory = await operationsToken({}, ":memory:");
  assert.equal(inMemory.file, undefined);
  assert.notEqual((await operationsToken({}, ":memory:")).token, inMemory.token);
});

test("programs find running services by their port, readable only by their user", async () => {
  const environment = { XDG_RUNTIME_DIR: mkdtempSync(join(folder, "run-")) };
  const running = {
    url: "http://127.0.0.1:4546",
    token: "t",
    pid: process.pid,
    document: "a.md",
    store: "a.db",
  };
  const takeBack = await recordRunning(4546, running, environment);
  assert.deepEqual(await runningAt(4546, environment), running);
  assert.equal(await runningAt(4547, environment), undefined);
  const own = join(environment.XDG_RUNTIME_DIR, "ninefold");
  assert.equal(modeOf(own), 0o700);
  assert.equal(modeOf(join(own, "4546.json")), 0o600);
  await takeBack?.();
  assert.deepEqual(readdirSync(own), []);
  // An entry of a process that no longer exists: no process has this number.
  await recordRunning(4546, { ...running, pid: 2 ** 22 + 1 }, environment);
  assert.equal(await runningAt(4546, environment), undefined);
});

test("a folder that others can read is neither written nor read", async () => {
  const environment = { XDG_RUNTIME_DIR: mkdtempSync(join(folder, "run-")) };
  const own = join(environment.XDG_RUNTIME_DIR, "ninefold");
  mkdirSync(own, { mode: 0o755 });
  const running = {
    url: "http://127.0.0.1:1",
    token: "t",
    pid: process.pid,
    document: "a.md",
    store: "a.db",
  };
  assert.equal(await recordRunning(1, running, environment), undefined);
  writeFileSync(join(own, "1.json"), JSON.stringify(running), { mode: 0o600 });
  assert.equal(await runningAt(1, environment), undefined);
});

test("a started service prints its link only to a terminal, is found by programs, and keeps its token", async () => {
  const store = join(folder, "served.db");
  const environment = { XDG_RUNTIME_DIR: mkdtempSync(join(folder, "run-")) };
  const start = () =>
    served([pathOf("examples/parcel-desk.md"), "--store", store, "--log", "none"], {
      env: { ...process.env, ...environment, NINEFOLD_OPERATIONS_TOKEN: "" },
    });
  const consoleOf = async (watched: Watched) =>
    (await watched.until(/^Console: (http:\S+) \(its token is in (\S+)\)\n/m)) as unknown as [
      string,
      string,
      string,
    ];
  const first = start();
  const [, url, file] = await consoleOf(first);
  await first.until(/Try:/);
  assert.equal(file, `${store}.token`);
  const kept = readFileSync(file, "utf8").trim();
  assert.ok(!first.output().includes(kept));
  const about = await createClient(url, undefined, environment).send({ method: "GET", path: "/api" });
  assert.equal((about as { document: string }).document, "Parcel Desk");
  // The token file is not served under any name.
  for (const path of ["served.db.token", "docs/served.db.token", "assets/../served.db.token"]) {
    const answer = await fetch(`${url}/${path}`);
    assert.ok(!(await answer.text()).includes(kept), path);
  }
  first.child.kill("SIGTERM");
  await first.ended;
  assert.deepEqual(readdirSync(join(environment.XDG_RUNTIME_DIR, "ninefold")), []);
  const second = start();
  await consoleOf(second);
  await second.until(/Try:/);
  assert.equal(readFileSync(file, "utf8").trim(), kept);
  second.child.kill("SIGTERM");
  await second.ended;
});

test("where no file keeps the token, a started service says how to choose it", async () => {
  const start = (token: string) =>
    served([pathOf("examples/parcel-desk.md"), "--store", ":memory:", "--log", "none"], {
      env: {
        ...process.env,
        XDG_RUNTIME_DIR: mkdtempSync(join(folder, "run-")),
        NINEFOLD_OPERATIONS_TOKEN: token,
      },
    });
  for (const [token, said] of [
    [
      "",
      /^Console: \S+ \(its token is shown only on a terminal; set NINEFOLD_OPERATIONS_TOKEN to choose it\)\n/m,
    ],
    ["a".repeat(40), /^Console: \S+ \(its token is in NINEFOLD_OPERATIONS_TOKEN\)\n/m],
  ] as const) {
    const service = start(token);
    await service.until(said);
    service.child.kill("SIGTERM");
    await service.ended;
  }
});
