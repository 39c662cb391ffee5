/**
 * Compares the service that Ninefold makes of `parcels.md` on PostgreSQL with the one written by
 * hand in `reference-postgres.ts`, on the same server, alternating within one run. The server is
 * durable; the run starts its own, or uses the one that NINEFOLD_TEST_POSTGRES names. Services,
 * database and load share all cores, so the database's processor time is reported next to that of
 * the services.
 *
 *   node bench/postgres.ts [--quick] [--rounds 5] [--seconds 3] [--connections 48] [--only reference|ninefold] [--two] [--rate 500]
 *
 * "by µs" is the ratio of the processor times, services' and database's together, which is
 * meaningful on a saturated machine too.
 *
 * With `--two`, a third contender is two instances of Ninefold on one schema, each with half of the
 * connections. "at most" is what the cores that one instance leaves idle would allow. With `--rate`,
 * each contender gets that many requests a second whether they are answered or not, and latencies are
 * reported instead of ratios.
 */
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { durablePostgresUrl } from "../test/postgres/server.ts";
import { compareResponses } from "./equal-responses.ts";
import { median, tableText } from "./figures.ts";
import { drive, type LoadResult } from "./load.ts";
import { idOf, nextRequest, addKnownParcels, type Operation, operations, type Parcels } from "./requests.ts";
import { databaseMs, freePort, type Server, startNinefold, startPostgresReference } from "./servers.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    connections: { type: "string" },
    only: { type: "string" },
    two: { type: "boolean" },
    rate: { type: "string" },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 2 : 5));
const durationMs = 1000 * Number(options.seconds ?? (options.quick ? 1 : 3));
const connections = Number(options.connections ?? 48);
const rate = options.rate === undefined ? undefined : Number(options.rate);

/** The minimum ratios. */
const targets: Readonly<Record<Operation, number>> = { create: 2.5, transition: 2, read: 1.2, page: 1.2 };

/** One or more instances that serve the same store. */
interface Contender {
  readonly name: string;
  readonly instances: readonly Server[];
  readonly parcels: Parcels;
}

interface Measured extends LoadResult {
  /**
   * Processor time per response, in microseconds: of the service's processes, and of the
   * database's.
   */
  readonly serviceUs: number;
  readonly databaseUs: number;
  /** The same of this process, which sends the requests. */
  readonly loadUs: number;
}

async function measure(operation: Operation, contender: Contender, postmaster: number): Promise<Measured> {
  const { instances, parcels } = contender;
  const serviceMs = () => instances.reduce((sum, server) => sum + (server.cpuMs() ?? Number.NaN), 0);
  const before = { service: serviceMs(), database: databaseMs(postmaster), load: process.cpuUsage() };
  const share = instances.length;
  const results = await Promise.all(
    instances.map((server) =>
      drive({
        port: server.port,
        connections: Math.floor(connections / share),
        durationMs,
        next: nextRequest(operation, server, parcels),
        ...(operation === "create" && { onBody: (body: Buffer) => parcels.fresh.push(idOf(body)) }),
        ...(rate !== undefined && { perSecond: rate / share }),
      }),
    ),
  );
  if (operation === "create") addKnownParcels(parcels);
  for (const { failures } of results)
    if (Object.keys(failures).length > 0)
      throw new Error(`${contender.name} refused requests of ${operation}: ${JSON.stringify(failures)}`);
  const answers = results.reduce((sum, result) => sum + result.answers, 0);
  const worst = (of: (result: LoadResult) => number) => Math.max(...results.map(of));
  return {
    answers,
    perSecond: results.reduce((sum, result) => sum + result.perSecond, 0),
    p50Ms: worst((result) => result.p50Ms),
    p99Ms: worst((result) => result.p99Ms),
    failures: {},
    serviceUs: (1000 * (serviceMs() - before.service)) / Math.max(1, answers),
    databaseUs: (1000 * (databaseMs(postmaster) - before.database)) / Math.max(1, answers),
    loadUs: microseconds(process.cpuUsage(before.load)) / Math.max(1, answers),
  };
}

function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

/** Starts the contenders, each in its own schema. */
async function contenders(url: string, run: string): Promise<Contender[]> {
  const storeOf = (name: string): string => {
    const address = new URL(url);
    address.searchParams.set("schema", `bench_${run}_${name}`);
    return address.href;
  };
  const found: Contender[] = [];
  const add = (name: string, instances: readonly Server[]): void => {
    found.push({ name, instances, parcels: { fresh: [], known: [] } });
  };
  try {
    if (options.only !== "ninefold")
      add("reference", [await startPostgresReference(await freePort(), storeOf("reference"))]);
    if (options.only !== "reference")
      add("ninefold", [await startNinefold(await freePort(), storeOf("ninefold"))]);
    if (options.two) {
      const first = await startNinefold(await freePort(), storeOf("two"));
      add("two", [first]);
      found.pop();
      add("two", [first, await startNinefold(await freePort(), storeOf("two"))]);
    }
    return found;
  } catch (error) {
    await stop(found);
    throw error;
  }
}

async function stop(found: readonly Contender[]): Promise<void> {
  await Promise.all(found.flatMap(({ instances }) => instances.map((server) => server.stop())));
}

async function main(): Promise<void> {
  const url = await durablePostgresUrl();
  const run = randomBytes(4).toString("hex");
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const { rows } = await admin.query(
    "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid, current_setting('fsync') AS fsync, version()",
  );
  const { pid, fsync, version } = rows[0] as { pid: number; fsync: string; version: string };
  const found = await contenders(url, run);
  try {
    await compareResponses(found.flatMap(({ instances }) => instances));
    const results = new Map(
      found.map((contender) => [
        contender,
        { create: [], transition: [], read: [], page: [] } as Record<Operation, Measured[]>,
      ]),
    );
    for (let round = 0; round <= rounds; round += 1) {
      // The first round is a warm-up that isn't counted; the order alternates with each round.
      const turn = round % 2 === 0 ? found : [...found].reverse();
      for (const operation of operations)
        for (const contender of turn) {
          const result = await measure(operation, contender, pid);
          if (round > 0) results.get(contender)?.[operation].push(result);
        }
      process.stderr.write(round === 0 ? "warm" : ` ${round}`);
    }
    process.stderr.write("\n");
    console.log(
      `${version.split(" on ")[0]}, fsync ${fsync}; ${connections} connections, ${rounds} rounds of ${durationMs / 1000} s each, medians`,
    );
    console.log(rate === undefined ? ratios(found, results) : latencies(found, results));
  } finally {
    await stop(found);
    for (const name of ["reference", "ninefold", "two"])
      await admin.query(`DROP SCHEMA IF EXISTS bench_${run}_${name} CASCADE`);
    await admin.end();
  }
}

type Results = ReadonlyMap<Contender, Record<Operation, Measured[]>>;

function ratios(found: readonly Contender[], results: Results): string {
  const of = (contender: Contender, operation: Operation, read: (result: Measured) => number): number =>
    median((results.get(contender)?.[operation] ?? []).map(read));
  const lines = operations.map((operation) => {
    const speeds = found.map((contender) => of(contender, operation, ({ perSecond }) => perSecond));
    const [first = 0, second] = speeds;
    const two = found.length > 1 && found.at(-1)?.name === "two" ? speeds.at(-1) : undefined;
    const oneInstance = found.find(({ name }) => name === "ninefold");
    return [
      operation,
      ...found.flatMap((contender, at) => {
        const service = of(contender, operation, ({ serviceUs }) => serviceUs);
        const database = of(contender, operation, ({ databaseUs }) => databaseUs);
        const speed = speeds[at] as number;
        return [
          Math.round(speed).toLocaleString("en"),
          of(contender, operation, ({ p99Ms }) => p99Ms).toFixed(1),
          service.toFixed(0),
          database.toFixed(0),
          ((database * speed) / 1e6).toFixed(2),
        ];
      }),
      found[0]?.name === "reference" && second !== undefined ? (second / first).toFixed(2) : "",
      `≥ ${targets[operation]}`,
      costRatio(found, (contender) =>
        of(contender, operation, ({ serviceUs, databaseUs }) => serviceUs + databaseUs),
      ),
      ...(options.two
        ? [
            two !== undefined && oneInstance !== undefined
              ? (two / of(oneInstance, operation, ({ perSecond }) => perSecond)).toFixed(2)
              : "",
            oneInstance === undefined ? "" : atMost(results.get(oneInstance)?.[operation] ?? []).toFixed(2),
          ]
        : []),
    ];
  });
  const heads = [
    "",
    ...found.flatMap(({ name }) => [`${name}/s`, "p99 ms", "µs", "database µs", "cores"]),
    "ratio",
    "target",
    "by µs",
    ...(options.two ? ["two/one", "at most"] : []),
  ];
  return tableText(heads, lines);
}

/**
 * How many times as many responses all cores of the machine could give, if each took as much
 * processor time as these: of the service, the database and the load.
 */
function atMost(measured: readonly Measured[]): number {
  return median(
    measured.map(
      ({ perSecond, serviceUs, databaseUs, loadUs }) =>
        (1e6 * availableParallelism()) / (perSecond * (serviceUs + databaseUs + loadUs)),
    ),
  );
}

/**
 * The ratio of processor time per response between the hand-written service and Ninefold, which
 * other load on the machine changes less than speeds.
 */
function costRatio([first, second]: readonly Contender[], cost: (contender: Contender) => number): string {
  return first?.name === "reference" && second ? (cost(first) / cost(second)).toFixed(2) : "";
}

function latencies(found: readonly Contender[], results: Results): string {
  const heads = ["", ...found.flatMap(({ name }) => [`${name}/s`, "p50 ms", "p99 ms"])];
  const lines = operations.map((operation) => [
    operation,
    ...found.flatMap((contender) => {
      const measured = results.get(contender)?.[operation] ?? [];
      return [
        Math.round(median(measured.map((result) => result.perSecond))).toLocaleString("en"),
        median(measured.map((result) => result.p50Ms)).toFixed(2),
        median(measured.map((result) => result.p99Ms)).toFixed(2),
      ];
    }),
  ]);
  return tableText(heads, lines);
}

await main();
