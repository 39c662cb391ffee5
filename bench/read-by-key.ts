/**
 * Cost of a read by key, depending on the number of records: processor time of this process, with
 * uniformly random records.
 *
 *   node bench/read-by-key.ts [--records 2000,600000,1000000] [--reads 40000] [--cache 64] [--writes 5000]
 *
 * Target: a whole request (`npm run bench` prints its processor time, which includes the read of
 * few records) costs at most 1.3 × with 1,000,000 records, and 1.5 × with 10,000,000. `--writes`
 * also measures the cost of a create; `--cache` maps that many MiB of the file into memory (0 for
 * none).
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { compile, createRequest, openService, type Service } from "../src/index.ts";

const { values: options } = parseArgs({
  options: {
    records: { type: "string", default: "2000,600000,1000000" },
    reads: { type: "string", default: "40000" },
    writes: { type: "string", default: "0" },
    cache: { type: "string" },
  },
});
const readsOnce = 40;

const text = readFileSync(new URL("./parcels.md", import.meta.url), "utf8");
// A caller would be the same record each time, and the cost would not depend on the number of
// records.
const open = text.replace(/### Scheme: secret key[^#]*/, "- Scheme: none\n\n");
const { model } = compile(open, { file: "parcels.md" });
if (!model) throw new Error("parcels.md doesn't compile");
const parcels = model;
const folder = mkdtempSync(join(tmpdir(), "ninefold-keys-"));
const mappedBytes = options.cache === undefined ? undefined : Number(options.cache) * 1024 * 1024;

function serve(path: string): Promise<Service> {
  return openService(parcels, { store: path, ...(mappedBytes === undefined ? {} : { mappedBytes }) });
}

/**
 * Creates records in the database itself, in batches; their keys are random like the service's own.
 */
function fill(path: string, records: number): readonly string[] {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  const insert = database.prepare(`
    WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
    INSERT INTO "Parcel" ("id", "recipient", "address", "weight_grams", "reference", "status", "created_at")
    SELECT 'pcl_' || lower(hex(randomblob(10))), 'Recipient ' || n, '{"line":"12 Harbour St","city":"Oslo","country":"NO"}',
      100 + n % 1000, 'order-' || n, 'registered', strftime('%Y-%m-%dT%H:%M:%fZ', 1790000000 + n, 'unixepoch') FROM counted`);
  for (let left = records; left > 0; left -= 50_000) insert.run(Math.min(left, 50_000));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const step = Math.max(1, Math.floor(records / 100_000));
  const ids = database.prepare(`SELECT "id" FROM "Parcel" WHERE "#row" % ? = 0 ORDER BY random()`).all(step);
  database.close();
  return ids.map(({ id }) => String(id));
}

async function costOf(service: Service, ids: readonly string[], reads: number): Promise<number> {
  const readFrom = async (from: number) => {
    for (let at = from; at < from + readsOnce; at += 1) {
      const target = `/v1/parcels/${ids[at % ids.length]}`;
      const answer = await service.fetch(createRequest({ method: "GET", target }));
      if (answer.status !== 200) throw new Error(`${answer.status} ${String(answer.body)}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let at = 0; at < reads / 2; at += readsOnce) await readFrom(at);
  const before = process.cpuUsage();
  for (let at = 0; at < reads; at += readsOnce) await readFrom(at + reads / 2);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / reads;
}

async function costOfWrites(service: Service, writes: number): Promise<number> {
  const body = JSON.stringify({
    recipient: "R",
    address: { line: "1", city: "Oslo", country: "NO" },
    weight_grams: 100,
  });
  const headers = [["Content-Type", "application/json"]] as const;
  const before = process.cpuUsage();
  for (let done = 0; done < writes; done += 48) {
    const group = Array.from({ length: 48 }, () =>
      service.fetch(createRequest({ method: "POST", target: "/v1/parcels", headers, body })),
    );
    for (const { status } of await Promise.all(group)) if (status !== 201) throw new Error(String(status));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / writes;
}

try {
  for (const records of options.records.split(",").map(Number)) {
    const path = join(folder, `${records}.db`);
    await (await serve(path)).close();
    const ids = fill(path, records);
    const service = await serve(path);
    const cost = await costOf(service, ids, Number(options.reads));
    const writes = Number(options.writes);
    const write = writes > 0 ? `, ${(await costOfWrites(service, writes)).toFixed(1)} µs a create` : "";
    const size = (statSync(path).size / 1024 / 1024).toFixed(0);
    console.log(
      `${records.toLocaleString("en")} records (${size} MiB): ${cost.toFixed(2)} µs a read${write}`,
    );
    await service.close();
    rmSync(path);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
