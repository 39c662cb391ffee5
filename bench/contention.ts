/**
 * Measures concurrent writes of the same records, with the service of `counters.md`:
 *
 * - Two instances on one PostgreSQL count few or many records, by turns with one of them, while the
 *   other is idle. Afterwards the counts are compared with the responses.
 * - On either database, 100 writes per second go on while handlers of three seconds run.
 *
 *   node bench/contention.ts [--rounds 3] [--seconds 2] [--connections 48]
 */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import pg from "pg";
import { durablePostgresUrl } from "../test/postgres/server.ts";
import { median, tableText } from "./figures.ts";
import { drive, type Load, type LoadResult, request } from "./load.ts";
import { freePort, type Server, startCounters } from "./servers.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string" }, seconds: { type: "string" }, connections: { type: "string" } },
});
const rounds = Number(options.rounds ?? 3);
const durationMs = 1000 * Number(options.seconds ?? 2);
const connections = Number(options.connections ?? 48);

/** How many records are counted. */
const recordCounts = [10, 100, 2000] as const;
/** The writes per second during handlers, and how long they are measured: two handlers, one after the other. */
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
  expectNone(failures);
}

interface Counted {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** The requests that were rejected because of conflicts. */
  readonly busy: number;
  readonly counts: number;
}

/** Counts random records of the first ones, with equal shares of the connections for each instance. */
async function count(servers: readonly Server[], records: number): Promise<Counted> {
  let last = 1;
  const next = (): Buffer | undefined => {
    // A linear congruential generator, so that each run sends the same sequence.
    last = (last * 48_271) % 2_147_483_647;
    return counting[last % records];
  };
  const own = Math.floor(connections / servers.length);
  const results = await Promise.all(
    servers.map(({ port }) => drive({ port, connections: own, durationMs, next })),
  );
  const sum = (of: (result: LoadResult) => number) => results.reduce((all, result) => all + of(result), 0);
  for (const { failures } of results) {
    const { 503: _busy, ...others } = failures;
    expectNone(others);
  }
  const busy = sum(({ failures }) => failures["503"] ?? 0);
  return {
    perSecond: sum(({ perSecond }) => perSecond),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    busy,
    counts: sum(({ answers }) => answers) - busy,
  };
}

function expectNone(failures: LoadResult["failures"]): void {
  if (Object.keys(failures).length > 0)
    throw new Error(`requests were rejected: ${JSON.stringify(failures)}`);
}

async function compareInstances(url: string): Promise<string> {
  const servers = [await startCounters(await freePort(), url), await startCounters(await freePort(), url)];
  try {
    await addCounters(servers[0] as Server);
    let counted = 0;
    const lines: string[][] = [];
    for (const records of recordCounts) {
      const results: Record<1 | 2, Counted[]> = { 1: [], 2: [] };
      for (let round = 0; round <= rounds; round += 1)
        for (const instances of round % 2 === 0 ? ([1, 2] as const) : ([2, 1] as const)) {
          const result = await count(servers.slice(0, instances), records);
          counted += result.counts;
          // The first round is a warm-up that isn't reported.
          if (round > 0) results[instances].push(result);
        }
      for (const instances of [1, 2] as const)
        lines.push([
          records.toLocaleString("en"),
          String(instances),
          Math.round(median(results[instances].map(({ perSecond }) => perSecond))).toLocaleString("en"),
          median(results[instances].map(({ p99Ms }) => p99Ms)).toFixed(1),
          String(results[instances].reduce((sum, { busy }) => sum + busy, 0)),
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

/** The latencies of writes, alone and during handlers that take three seconds each. */
async function compareHandlers(name: string, storeUrl?: string): Promise<string[]> {
  const server = await startCounters(await freePort(), storeUrl);
  try {
    await addCounters(server);
    const sent = async (load: Omit<Load, "port">): Promise<LoadResult> => {
      const result = await drive({ port: server.port, ...load });
      expectNone(result.failures);
      return result;
    };
    const writes = () =>
      sent({ connections: 10, durationMs: handlersMs, perSecond: writesPerSecond, next: () => counting[0] });
    await writes();
    const alone = await writes();
    const [withHandler] = await Promise.all([
      writes(),
      sent({ connections: 1, durationMs: handlersMs - 500, next: () => post("/quotes") }),
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
