/**
 * Latency of the console's record pages with many records: the first page, a search along an index,
 * a count, one record, and a search without an index; and how long a caller waits for a read of the
 * service meanwhile. Run by hand:
 *
 *   node bench/console-records.ts [--records 1000000] [--rounds 9]
 *
 * Target: with 1,000,000 records the first page, an indexed search and a count take at most 300 ms
 * each. Times are those of complete responses over HTTP from the real command, in milliseconds: the
 * minimum, the median and the maximum.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { served } from "../src/cli/testing/served-command.ts";

const { values: options } = parseArgs({
  options: { records: { type: "string", default: "1000000" }, rounds: { type: "string", default: "9" } },
});
const records = Number(options.records);
const rounds = Number(options.rounds);
const shops = 1_000;
const token = "a-token-for-the-bench-of-the-console-00";
const folder = mkdtempSync(join(tmpdir(), "ninefold-console-"));
const store = join(folder, "parcels.db");
const document = new URL("../examples/parcel-desk.md", import.meta.url).pathname;
const seed = new URL("../examples/parcel-desk.seed.md", import.meta.url).pathname;

async function start() {
  const args = [document, "--store", store, "--seed", seed, "--operations", "0"];
  const running = served(args, { env: { ...process.env, NINEFOLD_OPERATIONS_TOKEN: token } });
  const operations = (await running.until(/Console: (http:\/\/[^/\s]+)/))[1] as string;
  const service = (await running.until(/ at (http:\S+)/))[1] as string;
  return {
    operations,
    service,
    async stop() {
      running.child.kill("SIGTERM");
      await running.ended;
    },
  };
}

/** Creates records in the database itself, in batches. */
function fill(): void {
  const database = new DatabaseSync(store);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  const counted =
    "WITH RECURSIVE counted(n) AS (SELECT CAST(? AS INTEGER) UNION ALL SELECT n + 1 FROM counted WHERE n < ?)";
  const made = "strftime('%Y-%m-%dT%H:%M:%fZ', 1760000000 + n, 'unixepoch')";
  database
    .prepare(
      `${counted} INSERT INTO "Shop" ("id", "name", "created_at") SELECT 'shp_' || n, 'Shop ' || n, ${made} FROM counted`,
    )
    .run(1, shops);
  const parcels = database.prepare(`${counted}
    INSERT INTO "Parcel" ("id", "shop", "recipient", "address", "weight_grams", "reference", "status", "created_at")
    SELECT 'pcl_' || lower(hex(randomblob(10))), 'shp_' || (1 + n % ${shops}), 'Recipient ' || n,
      '{"line":"12 Harbour St","city":"Oslo","country":"NO"}', 100 + n % 1000, 'order-' || n,
      CASE n % 4 WHEN 0 THEN 'registered' WHEN 1 THEN 'in_transit' WHEN 2 THEN 'delivered' ELSE 'returned' END, ${made} FROM counted`);
  for (let from = 1; from <= records; from += 50_000) parcels.run(from, Math.min(records, from + 49_999));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

async function timed(
  address: string,
  path: string,
  authorization: string,
): Promise<{ ms: number; json: unknown }> {
  const from = performance.now();
  const answered = await fetch(address + path, { headers: { Authorization: authorization } });
  const json: unknown = await answered.json();
  const ms = performance.now() - from;
  if (!answered.ok && answered.status !== 503)
    throw new Error(`${path}: ${answered.status} ${JSON.stringify(json)}`);
  return { ms, json };
}

await (await start()).stop();
fill();
const { operations, service, stop } = await start();
const operator = `Bearer ${token}`;
const first = (await timed(operations, "/api/records/Parcel", operator)).json as {
  records: readonly { id: string }[];
  next: string;
};
const id = first.records[25]?.id as string;
const of = (filter: string) => `/api/records/Parcel?filter=${encodeURIComponent(filter)}`;
const questions: readonly (readonly [name: string, path: string, hasTarget?: boolean])[] = [
  ["the first page", "/api/records/Parcel", true],
  ["the second page", `/api/records/Parcel?cursor=${first.next}`],
  ["a search by the identifier's beginning", `/api/records/Parcel?search=${id.slice(0, 9)}`, true],
  ["a filter by an indexed field", of("shop = shp_77"), true],
  ["a count of all", "/api/counts/Parcel", true],
  ["a count by an indexed field", `/api/counts/Parcel?filter=${encodeURIComponent("shop = shp_77")}`, true],
  ["one record", `/api/records/Parcel/${id}`],
  ["one that a thousand refer to", "/api/records/Shop/shp_77"],
  ["a filter that leaves a quarter", of("status = delivered")],
  ["an order without an index", "/api/records/Parcel?sort=-price"],
  ["a text that one record has, everywhere", "/api/records/Parcel?search=recipient%20777777&everywhere=true"],
  [
    "a count without an index",
    `/api/counts/Parcel?filter=${encodeURIComponent("recipient = Recipient 777777")}`,
  ],
];
/** The longest wait of a caller: sends reads one after another until `until` returns true. */
async function waits(until: () => boolean): Promise<number> {
  let most = 0;
  while (!until()) {
    most = Math.max(
      most,
      (await timed(service.replace(/\/v1$/, ""), "/v1/parcels?limit=1", "Bearer sk_ada_4f1c09")).ms,
    );
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  return most;
}
console.log(`${records} records`);
for (const [name, path, isRequested] of questions) {
  const times: number[] = [];
  let isOver = false;
  const waiting = waits(() => isOver);
  for (let round = 0; round < rounds; round += 1) times.push((await timed(operations, path, operator)).ms);
  isOver = true;
  const [cold] = times;
  const sorted = times.toSorted((a, b) => a - b);
  const durations = [cold, sorted[Math.floor(rounds / 2)], sorted.at(-1)].map((ms) =>
    (ms as number).toFixed(0).padStart(6),
  );
  const verdict = isRequested ? ((sorted.at(-1) as number) <= 300 ? "  ≤ 300" : "  TOO SLOW") : "";
  console.log(
    `${name.padEnd(42)} ${durations.join(" ")} ms, a caller waits at most ${(await waiting).toFixed(0)} ms${verdict}`,
  );
}
await stop();
rmSync(folder, { recursive: true });
