/** Rates that a Redis counts for all instances: as memory would, and in the database while it is away. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { StoreRefused } from "../../src/store/errors.ts";
import { openStore } from "../../src/store/index.ts";
import { openRedisRates, type RedisRates } from "../../src/store/redis/rates.ts";
import type { RateRequest, SharedRates } from "../../src/store/shared.ts";
import type { Store } from "../../src/store/store.ts";
import { field, meaningOf, model, resource } from "../../src/store/test-model.ts";
import { freshSchema, type Schema } from "./server.ts";
import { sayWhatMemorySays } from "./shared-rates.ts";

const program = (process.env["PATH"] ?? "")
  .split(delimiter)
  .concat("/usr/bin", "/usr/local/bin")
  .map((folder) => join(folder, "redis-server"))
  .find((path) => existsSync(path));
/** Told in the run's count of tests that were skipped. */
const skip =
  program === undefined ? "there is no redis-server on this machine (apt-get install redis-server)" : false;

const notes = model([resource("Note", [field("text", "string")])]);
const reported: string[] = [];
let folder: string;
let port: number;
let redis: ChildProcess | undefined;
let schema: Schema;
let stores: readonly Store[] = [];
let both: readonly RedisRates[] = [];
/** Long enough for any machine: how soon an answer comes isn't what is asked here. */
const patientMs = 60_000;

const inRedis = (store: Store | undefined, answerMs: number) =>
  openRedisRates(`redis://127.0.0.1:${port}/0`, {
    store: schema.name,
    meanwhile: store?.shared?.rates as SharedRates,
    onWarning: (message) => reported.push(message),
    answerMs,
  });
const rates = (at: number): SharedRates => both[at % 2] as SharedRates;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), "ninefold-redis-"));
  port = await freePort();
  redis = await started();
  schema = await freshSchema();
  const open = () => openStore(notes, meaningOf(notes), { path: schema.url });
  stores = await Promise.all([open(), open()]);
  both = await Promise.all(stores.map((store) => inRedis(store, patientMs)));
});

after(async () => {
  if (skip) return;
  await Promise.all(both.map((one) => one.close()));
  await Promise.all(stores.map((store) => store.close()));
  await schema.drop();
  redis?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function started(): Promise<ChildProcess> {
  const args = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder,
  ];
  const child = spawn(program as string, args, { stdio: "ignore" });
  while (!(await answers())) await pause(20);
  return child;
}

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
}

test("at any times, costs and keys Redis says what memory says", { skip }, async () => {
  await sayWhatMemorySays(rates, 15);
});

const rule = { name: "all", kind: "window", unitMs: 3_600_000, room: 100 } as const;
const requested = (holder: string): RateRequest => ({ rule, holder, cost: 1, atMs: null });
const allowedOf = async (holder: string, count: number) => {
  const standings = await Promise.all(
    Array.from({ length: count }, (_, at) => rates(at).take(requested(holder))),
  );
  return standings.filter(({ isAllowed }) => isAllowed).length;
};

test("two instances give 100 in all", { skip }, async () => {
  assert.equal(await allowedOf("*", 150), 100);
});

test("while it is away the database counts, told once by each; when it is back it counts again", {
  skip,
}, async () => {
  assert.equal(await allowedOf("away", 60), 60);
  reported.length = 0;
  redis?.kill("SIGKILL");
  while (reported.length < 2) await pause(20);
  // What Redis has counted nobody knows now: the table begins anew.
  assert.equal(await allowedOf("away", 150), 100);
  assert.equal(await allowedOf("away", 10), 0);
  assert.equal(reported.length, 2, reported.join("\n"));
  assert.match(
    reported.join("\n"),
    /redis:\/\/127\.0\.0\.1:\d+\/0 can't be asked \(.+\): rates are counted in the database/,
  );
  redis = await started();
  while (reported.length < 4) await pause(50);
  assert.match(reported.slice(2).join("\n"), /answers again/);
  assert.equal(await allowedOf("away", 150), 100);
  assert.equal(reported.length, 4);
});

test("one that stands still keeps nobody waiting", { skip }, async () => {
  const hasty = await inRedis(stores[0], 200);
  reported.length = 0;
  redis?.kill("SIGSTOP");
  assert.equal((await hasty.take(requested("still"))).isAllowed, true);
  assert.match(reported.join("\n"), /no answer within 200 ms/);
  redis?.kill("SIGCONT");
  while (!reported.some((line) => line.includes("answers again"))) await pause(50);
  await hasty.close();
});

test("an address that is none is refused in a line, one where nothing answers is told, and the start goes on", {
  skip,
}, async () => {
  const wrong = openStore(notes, meaningOf(notes), { path: schema.url, redis: "http://127.0.0.1/" });
  await assert.rejects(
    wrong,
    (error) => error instanceof StoreRefused && /Redis can't be read/.test(error.message),
  );
  const lines: string[] = [];
  const store = await openStore(notes, meaningOf(notes), {
    path: schema.url,
    redis: "redis://somebody:secret@127.0.0.1:1/0",
    onWarning: (message) => lines.push(message),
  });
  assert.equal((await store.shared?.rates.take(requested("nobody")))?.isAllowed, true);
  assert.equal(lines.filter((line) => line.startsWith("redis:")).length, 1, lines.join("\n"));
  assert.match(lines.join(), /somebody:…@127\.0\.0\.1:1\/0 can't be asked/);
  assert.doesNotMatch(lines.join(), /secret/);
  await store.close();
});
