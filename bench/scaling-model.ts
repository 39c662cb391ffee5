/**
 * Scaling model: which resource many instances, cores or records exhaust first on one PostgreSQL,
 * computed from the cost of single operations on this machine.
 *
 *   node bench/scaling-model.ts [--seconds 3] [--conflicts 0.2] [--instance-us 190 --database-us 160 --commit-ms 2 --group 40]
 *
 * Measured: the processor times of a create, the duration of a commit, the creates of a group, the
 * queries of each instance each second, a notification by number of listeners, and the size of a
 * record and its indexes. Options replace the costs of a write, and `--conflicts` is an assumption.
 * The rest is arithmetic (`write-limits.ts`), and printed as such; it is not a measurement of ten
 * instances.
 */
import { randomBytes } from "node:crypto";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { durablePostgresUrl } from "../test/postgres/server.ts";
import { median, tableText } from "./figures.ts";
import { type MeasuredWrites, measureWrites } from "./write-costs.ts";
import { firstLimit, sharedLimit, type WriteCosts, writeLimits } from "./write-limits.ts";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    conflicts: { type: "string", default: "0.2" },
    "instance-us": { type: "string" },
    "database-us": { type: "string" },
    "commit-ms": { type: "string" },
    group: { type: "string" },
  },
});
/**
 * The connections of a store: two for quick reads, four for slow ones, one for writes, one that
 * listens.
 */
const connectionsEach = 8;
/** An instance sends at most one notification of commits every 20 ms. */
const notificationsEachSecondMax = 50;
const listeners = 40;
const records = 100_000;

const url = new URL(await durablePostgresUrl());
const schema = `model_${randomBytes(4).toString("hex")}`;
const admin = await connected();
await admin.query(`CREATE SCHEMA ${schema}`);
await admin.query(`SET search_path = ${schema}`);
try {
  const store = new URL(url);
  store.searchParams.set("schema", `${schema}_store`);
  const measured = await measureWrites(admin, store, Number(options.seconds));
  const number = (given: string | undefined, of: number, unit: number) =>
    given === undefined ? of : Number(given) * unit;
  const costs: WriteCosts = {
    instance: number(options["instance-us"], measured.instance, 1e-6),
    database: number(options["database-us"], measured.database, 1e-6),
    commit: number(options["commit-ms"], await commitSeconds(), 1e-3),
    group: number(options.group, measured.group, 1),
    conflicts: 0,
  };
  console.log(
    `Costs of a create: instance ${micro(costs.instance)}, database ${micro(costs.database)}; a commit ${ms(costs.commit)}, creates in a group ${costs.group.toFixed(1)}\n`,
  );
  printShared(costs, measured);
  printLimits("Computed, at most, writes/s without conflicts, and what limits them:", costs);
  const conflicts = Number(options.conflicts);
  printLimits(`The same if ${conflicts * 100} % of the groups conflict with those of one other instance:`, {
    ...costs,
    conflicts,
  });
  await printInstances(`${schema}_store`);
  await printRecords();
} finally {
  await admin.query(`DROP SCHEMA IF EXISTS ${schema}, ${schema}_store CASCADE`);
  await admin.end();
}

/** Compares what the model computes for this machine alone with what was measured on it. */
function printShared(costs: WriteCosts, { client, perSecond, coresUsed }: MeasuredWrites): void {
  const cores = availableParallelism();
  const lines = [1, 2].map((instances, at) => {
    const [, limit] = firstLimit(writeLimits(costs, { instances, databaseCores: cores }));
    const computed = Math.min(limit, sharedLimit(costs, client, cores));
    return [
      String(instances),
      count(computed),
      count(perSecond[at] as number),
      (coresUsed[at] as number).toFixed(2),
    ];
  });
  console.log(
    `${cores} cores for instances, database and clients, of which a create costs ${micro(client)}; load of the machine ${loadavg()[0]?.toFixed(1)}:`,
  );
  console.log(`${tableText(["instances", "computed/s, at most", "measured/s", "cores used"], lines)}\n`);
}

async function commitSeconds(): Promise<number> {
  await admin.query("CREATE TABLE committed (at int)");
  return secondsOf(
    () => admin.query("COMMIT"),
    () => admin.query("BEGIN; INSERT INTO committed VALUES (1)"),
  );
}

function printLimits(title: string, costs: WriteCosts): void {
  const instances = [1, 2, 3, 5, 10];
  const lines = [1, 2, 4, 8, 16].map((databaseCores) => [
    String(databaseCores),
    ...instances.map((each) => {
      const [name, perSecond] = firstLimit(writeLimits(costs, { instances: each, databaseCores }));
      return `${count(perSecond)} ${name}`;
    }),
  ]);
  const heads = ["database cores", ...instances.map((each) => `${each} instance${each === 1 ? "" : "s"}`)];
  console.log(`${title}\n${tableText(heads, lines)}\n`);
}

async function printInstances(store: string): Promise<void> {
  const poll = await secondsOf(() =>
    admin.query(`SELECT clock_timestamp(); SELECT value FROM ${store}.ninefold_meta WHERE name = 'generation';
      SELECT greatest(forgotten, (SELECT max(sequence) FROM ${store}.ninefold_events)) FROM ${store}.ninefold_log`),
  );
  const notify = () => secondsOf(() => admin.query("SELECT pg_notify('model', 'x')"));
  const alone = await notify();
  const hearing = await Promise.all(Array.from({ length: listeners }, connected));
  for (const listener of hearing) await listener.query("LISTEN model");
  const heard = Math.max((await notify()) - alone, 0) / listeners;
  for (const listener of hearing) await listener.end();
  console.log(`Measured: a poll ${ms(poll)}, a notification ${ms(heard)} for each listener`);
  const lines = [1, 3, 10, 100, 1_000].map((instances) => [
    count(instances),
    count(instances * connectionsEach),
    `${(instances * poll * 100).toFixed(1)} %`,
    count(notificationsEachSecondMax * instances * (instances - 1)),
  ]);
  const heads = ["instances", "connections", "polling, of a core", "notifications/s, at most"];
  console.log(`${tableText(heads, lines)}\n`);
}

async function printRecords(): Promise<void> {
  await admin.query(`CREATE TABLE parcel ("#row" bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, id text COLLATE "C", shop text COLLATE "C",
    reference text COLLATE "C", address json, made_at timestamptz(3), "#revision" bigint NOT NULL DEFAULT 1)`);
  await admin.query("CREATE UNIQUE INDEX ON parcel (id); CREATE UNIQUE INDEX ON parcel (shop, reference)");
  await admin.query(`INSERT INTO parcel (id, shop, reference, address, made_at) SELECT 'pcl_' || md5(n::text), 'shop_' || n % 1000, 'R-' || n,
    json_build_object('street', 'Street ' || n, 'city', 'Köln', 'country', 'DE'), now() FROM generate_series(1, ${records}) AS n`);
  const { rows } = await admin.query(
    "SELECT pg_table_size('parcel')::float8 AS heap, pg_indexes_size('parcel')::float8 AS indexes",
  );
  const [heap, indexes] = [rows[0].heap / records, rows[0].indexes / records];
  console.log(
    `Measured: a record of 7 columns ${Math.round(heap)} bytes, and ${Math.round(indexes)} of indexes`,
  );
  const lines = [1e6, 1e7, 1e8, 1e9].map((each) => [
    count(each),
    size(each * heap),
    size(each * indexes),
    // A page has some 200 entries of these keys.
    String(Math.ceil(Math.log(each) / Math.log(200))),
    `${Math.round((each * (heap + indexes)) / 200e6 / 60)} min`,
  ]);
  console.log(tableText(["records", "table", "indexes", "levels of an index", "read at 200 MB/s"], lines));
}

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return client;
}

/** The median, because other programs use the machine too. */
async function secondsOf(
  work: () => Promise<unknown>,
  before: () => Promise<unknown> = async () => {},
): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 200; at += 1) {
    await before();
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times) / 1_000;
}

function count(number: number): string {
  return Math.round(number).toLocaleString("en");
}

function micro(seconds: number): string {
  return `${(seconds * 1e6).toFixed(0)} µs`;
}

function ms(seconds: number): string {
  return `${(seconds * 1_000).toFixed(seconds < 0.001 ? 3 : 1)} ms`;
}

function size(bytes: number): string {
  return bytes >= 1e12 ? `${(bytes / 1e12).toFixed(1)} TB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
