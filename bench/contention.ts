/**
 * Measures writes that meet, with the service of `counters.md`:
 *
 * - Two instances on one PostgreSQL count the same records, of which there are few or many, next to
 *   one instance. Afterwards the counts are compared with the responses.
 * - On either database, 100 writes per second go on while handlers of three seconds run.
 *
 *   node bench/contention.ts [--seconds 3] [--connections 48]
 */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import pg from "pg";
import { durablePostgresUrl } from "../test/postgres/server.ts";
import { tableText } from "./figures.ts";
import { drive, type LoadResult, request } from "./load.ts";
import { freePort, type Server, startCounters } from "./servers.ts";

const { values: options } = parseArgs({
  options: { seconds: { type: "string" }, connections: { type: "string" } },
});
const durationMs = 1000 * Number(options.seconds ?? 3);
const connections = Number(options.connections ?? 48);

/** How many records are counted. */
const recordCounts = [10, 100, 2000] as const;
/** The writes per second next to handlers, and how long they are measured: two handlers, one after the other. */
const writesPerSecond = 100;
const handlersMs = 6000;

const post = (target: string, body?: string): Buffer => request("POST", `/v1${target}`, "", body);
const names = Array.from({ length: Math.max(...recordCounts) }, (_, number) => `c${number}`);
const counting = names.map((name) => post(`/counters/${name}/count`));

async function addCounters(server: Server): Promise<void> {
  const creates = names.map((name) => post("/counters", JSON.stringify({ name })));
  const { failures } = await drive({
    port: server.port,
    connections: 16,
    durationMs: 60_000,
    next: () => creates.pop(),
  });
  if (Object.keys(failures).length > 0)
    throw new Error(`records weren't created: ${JSON.stringify(failures)}`);
}

/** Counts random records of the first ones, with equal shares of the connections for each instance. */
async function count(servers: readonly Server[], records: number): Promise<readonly LoadResult[]> {
  let last = 1;
  const next = (): Buffer | undefined => {
    // A linear congruential generator, so that each run sends the same sequence.
    last = (last * 48_271) % 2_147_483_647;
    return counting[last % records];
  };
  const own = connections / servers.length;
  return Promise.all(servers.map(({ port }) => drive({ port, connections: own, durationMs, next })));
}

async function compareInstances(url: string): Promise<string> {
  const servers = [await startCounters(await freePort(), url), await startCounters(await freePort(), url)];
  try {
    await addCounters(servers[0] as Server);
    let counted = 0;
    const lines: string[][] = [];
    for (const records of recordCounts)
      for (const instances of [1, 2]) {
        const results = await count(servers.slice(0, instances), records);
        const rejected = results.flatMap(({ failures }) => Object.values(failures));
        const busy = rejected.reduce((sum, failed) => sum + failed, 0);
        const answers = results.reduce((sum, result) => sum + result.answers, 0);
        counted += answers - busy;
        lines.push([
          records.toLocaleString("en"),
          String(instances),
          Math.round(results.reduce((sum, result) => sum + result.perSecond, 0)).toLocaleString("en"),
          Math.max(...results.map(({ p99Ms }) => p99Ms)).toFixed(1),
          `${busy} of ${answers.toLocaleString("en")}`,
        ]);
      }
    const lost = counted - (await storedSum(url));
    return `${tableText(["records", "instances", "per second", "p99 ms", "503"], lines)}\n${lost} counts lost`;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function storedSum(url: string): Promise<number> {
  const address = new URL(url);
  const schema = address.searchParams.get("schema");
  address.searchParams.delete("schema");
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT sum(value)::int AS sum FROM "${schema}"."Counter"`);
    return (rows as { sum: number }[])[0]?.sum ?? 0;
  } finally {
    await client.end();
  }
}

/** The latencies of writes, alone and next to a handler that takes three seconds. */
async function compareHandlers(name: string, place?: string): Promise<string[]> {
  const server = await startCounters(await freePort(), place);
  try {
    await addCounters(server);
    const writes = () =>
      drive({
        port: server.port,
        connections: 10,
        durationMs: handlersMs,
        perSecond: writesPerSecond,
        next: () => counting[0],
      });
    await writes();
    const alone = await writes();
    const [withHandler] = await Promise.all([
      writes(),
      drive({ port: server.port, connections: 1, durationMs: handlersMs - 500, next: () => post("/quotes") }),
    ]);
    return [
      name,
      ...[alone, withHandler].flatMap(({ p50Ms, p99Ms }) => [p50Ms.toFixed(1), p99Ms.toFixed(1)]),
    ];
  } finally {
    await server.stop();
  }
}

async function main(): Promise<void> {
  const url = new URL(await durablePostgresUrl());
  const schema = `bench_${randomBytes(4).toString("hex")}`;
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  url.searchParams.set("schema", schema);
  try {
    console.log(await compareInstances(url.href));
    const handlers = [
      await compareHandlers("SQLite"),
      await compareHandlers("PostgreSQL", `${url.href}_handlers`),
    ];
    console.log(tableText(["", "alone p50 ms", "p99 ms", "with handler p50 ms", "p99 ms"], handlers));
  } finally {
    for (const name of [schema, `${schema}_handlers`])
      await admin.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    await admin.end();
  }
}

await main();
