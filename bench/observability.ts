/**
 * Overhead of observability: the same requests, a change and a read alternately, to a service
 * alone, to one whose metrics are scraped twenty times a second, and to one that exports traces to
 * a collector; the three alternate within one run. Reports the processor time of each request and
 * the latencies. For a scrape alone it reports the processor time on an idle service, since no
 * request can wait longer for it; and the same with many deliveries waiting for a slow receiver.
 *
 *   node bench/observability.ts [--rate 500] [--seconds 5] [--rounds 5] [--scrapes 500] [--deliveries 10000]
 *
 * Target: a scrape takes less than 1 ms.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { median, tableText } from "./figures.ts";
import { drive, request } from "./load.ts";
import { bodies } from "./requests.ts";

const { values: options } = parseArgs({
  options: {
    rate: { type: "string", default: "500" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    scrapes: { type: "string", default: "500" },
    deliveries: { type: "string", default: "10000" },
  },
});
const scrapeEveryMs = 50;
const connections = 20;
const token = randomBytes(32).toString("base64url");
const headers = { Authorization: `Bearer ${token}` };
const key = "sk_bench";
const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "ninefold-observed-"));

interface Observed {
  readonly child: ChildProcess;
  readonly port: number;
  readonly operations: string;
}

const parcels = [join(root, "bench", "parcels.md"), "--seed", join(root, "bench", "seed.md")];
const hooked = [join(root, "test", "durability", "deliveries.md"), "--allow-private-webhooks"];

async function start(
  name: string,
  served: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Observed> {
  const child = spawn(
    process.execPath,
    [
      join(root, "bin", "ninefold"),
      "serve",
      ...served,
      ...["--store", join(folder, `${name}.db`)],
      ...["--port", "0", "--operations", "0", "--log", "none", "--ready-json"],
    ],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NINEFOLD_OPERATIONS_TOKEN: token, ...environment },
    },
  );
  let output = "";
  while (!output.includes("\n")) output += String((await once(child.stdout, "data"))[0]);
  const { url, operations } = JSON.parse(output);
  return { child, port: Number(new URL(url).port), operations };
}

async function scrape({ operations }: Observed): Promise<string> {
  const answer = await fetch(`${operations}/metrics`, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.text();
}

async function cpuSeconds(observed: Observed): Promise<number> {
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(await scrape(observed))?.[1]);
}

interface Turn {
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const changes = bodies.map((body) => request("POST", "/v1/parcels", key, body));
const page = request("GET", "/v1/parcels?limit=1", key);

async function turn(observed: Observed, isScraped: boolean): Promise<Turn> {
  let isOver = false;
  const scraping = (async () => {
    for (; isScraped && !isOver; await pause(scrapeEveryMs)) await scrape(observed);
  })();
  const before = await cpuSeconds(observed);
  let count = 0;
  const { answers, p50Ms, p99Ms, failures } = await drive({
    port: observed.port,
    connections,
    durationMs: 1000 * Number(options.seconds),
    perSecond: Number(options.rate),
    next() {
      count += 1;
      return count % 2 === 0 ? page : changes[count % changes.length];
    },
  });
  isOver = true;
  await scraping;
  if (Object.keys(failures).length > 0) throw new Error(JSON.stringify(failures));
  return { cpuMs: ((await cpuSeconds(observed)) - before) * (1000 / answers), p50Ms, p99Ms };
}

/** In milliseconds of processor time, including the HTTP transfer. */
async function costOfScrape(observed: Observed): Promise<number> {
  const times = Number(options.scrapes);
  const before = await cpuSeconds(observed);
  for (let at = 0; at < times; at += 1) await scrape(observed);
  return ((await cpuSeconds(observed)) - before) * (1000 / times);
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Creates the requested number of orders, with deliveries to a slow receiver. */
async function pauseDeliveries({ port }: Observed, receiver: string): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  await post("/v1/hooks", { url: receiver, secret });
  let left = Number(options.deliveries);
  const client = async () => {
    for (; left > 0; ) {
      left -= 1;
      await post("/v1/orders", { reference: `order ${left}` });
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}

async function openDeliveries(observed: Observed): Promise<number> {
  return Number(/^ninefold_deliveries_open\S* (\d+)$/m.exec(await scrape(observed))?.[1]);
}

const receiver = createServer((request, answer) => {
  request.resume();
  setTimeout(() => answer.writeHead(204).end(), 4_000);
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const collected = { requests: 0, bytes: 0 };
const collector = createServer(async (request, answer) => {
  for await (const piece of request) collected.bytes += piece.length;
  collected.requests += 1;
  answer.setHeader("Content-Type", "application/json");
  answer.end("{}");
}).listen(0, "127.0.0.1");
await once(collector, "listening");
const plain = await start("plain", parcels);
const busy = await start("busy", hooked);
const traced = await start("traced", parcels, {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
});
try {
  const ways = [
    ["as it is", () => turn(plain, false)],
    ["scraped", () => turn(plain, true)],
    ["traced", () => turn(traced, false)],
  ] as const;
  for (const [, measure] of ways) await measure();
  const turns = new Map<string, Turn[]>(ways.map(([name]) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (const [name, measure] of ways) turns.get(name)?.push(await measure());
  const rows = [...turns].map(([name, all]) => [
    name,
    ...(["cpuMs", "p50Ms", "p99Ms"] as const).map((figure) =>
      median(all.map((turn) => turn[figure])).toFixed(3),
    ),
  ]);
  console.log(tableText(["", "ms of processor each", "p50 ms", "p99 ms"], rows));
  console.log(`A scrape takes ${(await costOfScrape(plain)).toFixed(3)} ms of the processor.`);
  await pauseDeliveries(busy, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`);
  const cost = (await costOfScrape(busy)).toFixed(3);
  console.log(`With ${await openDeliveries(busy)} open deliveries it takes ${cost} ms.`);
  console.log(
    `The collector received ${(collected.bytes / 1024 / 1024).toFixed(1)} MiB in ${collected.requests} requests.`,
  );
} finally {
  for (const { child } of [plain, busy, traced]) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
  for (const server of [collector, receiver]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
}
