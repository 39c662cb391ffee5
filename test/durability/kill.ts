/**
 * kill -9 under load. 16 clients create parcels, some of them with idempotency keys, and collect
 * them, until the service is killed at a random moment. Then it is started again on the same file,
 * and the acknowledged changes are looked up.
 *
 * The run counts acknowledged writes that are lost, and requests that were executed twice under one
 * key. It also counts partial transitions (the state without its time, its move or its event, or
 * the other way round). All must be 0, and every start must be quick. Killing a process doesn't
 * test what a power cut does to a disk: the system still has the process's writes.
 *
 * On PostgreSQL two instances of the service share a schema and the load: one of them is killed in each round, and the other goes on.
 *
 *   node test/durability/kill.ts [rounds, 100 when nothing is said] [postgres]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/cli/testing/served-command.ts";
import { freshSchema, type Schema } from "../postgres/server.ts";
import { DatabaseSync } from "node:sqlite";

const clients = 16;
const startMsMax = 3000;
const killAfterMs = { least: 100, most: 2000 };
/**
 * The number of earlier acknowledged writes that are read again through the service; the file is
 * checked for all.
 */
const readAgainMax = 200;

export interface Counts {
  rounds: number;
  /** Acknowledged: parcels created, parcels created under a key, parcels collected. */
  made: number;
  madeUnderKey: number;
  collected: number;
  /** Requests under a key without a response, sent again after the kill. */
  requestedAgain: number;
  lost: number;
  half: number;
  twice: number;
  slowStarts: number;
  slowestStartMs: number;
}

export function emptyCounts(): Counts {
  return {
    rounds: 0,
    made: 0,
    madeUnderKey: 0,
    collected: 0,
    requestedAgain: 0,
    lost: 0,
    half: 0,
    twice: 0,
    slowStarts: 0,
    slowestStartMs: 0,
  };
}

/** The clients' knowledge: acknowledged writes only. */
export interface Ledger {
  /** References by parcel. */
  readonly made: Map<string, string>;
  readonly collected: Set<string>;
  /** Keys without a response, and their references. */
  readonly open: Map<string, string>;
  /** Keys and the parcels that were created under them. */
  readonly byKey: Map<string, string>;
}

/** Runs a query; returns each row as a list of columns. */
export type Rows = (sql: string) => Promise<readonly (readonly unknown[])[]>;

/** Where the service's data is. */
interface Place {
  readonly store: string;
  readonly rows: Rows;
  clear(): Promise<void>;
}

function inFile(): Place {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-kill-"));
  const store = join(folder, "store.db");
  return {
    store,
    async rows(sql) {
      const database = new DatabaseSync(store, { readOnly: true, timeout: 5000 });
      try {
        const statement = database.prepare(sql);
        statement.setReturnArrays(true);
        return statement.all() as unknown as unknown[][];
      } finally {
        database.close();
      }
    },
    clear: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function inPostgres(): Promise<Place> {
  const schema: Schema = await freshSchema();
  const client = await schema.connect();
  return {
    store: schema.url,
    rows: async (text) => (await client.query({ text, rowMode: "array" })).rows,
    clear: () => schema.drop(),
  };
}

/**
 * @param where the place of the store; on PostgreSQL, a second instance shares the store and the
 * load, and continues when the first one is killed
 */
export async function killRounds(
  rounds: number,
  onRound: (counts: Counts) => void = () => {},
  where: "file" | "postgres" = "file",
): Promise<Counts> {
  const place = where === "file" ? inFile() : await inPostgres();
  // All starts use the same port, because clients know only this one.
  const port = await freePort();
  const otherPort = await freePort();
  const counts = emptyCounts();
  const ledger: Ledger = { made: new Map(), collected: new Set(), open: new Map(), byKey: new Map() };
  let service = await start(place.store, port, counts);
  const other = where === "postgres" ? await start(place.store, otherPort, counts) : undefined;
  const ports = other ? [port, otherPort] : [port];
  try {
    for (let round = 0; round < rounds; round += 1) {
      await loadUntilKilled(service, ports, ledger, counts);
      service = await start(place.store, port, counts);
      await settleOpenKeys(port, ledger, counts);
      await compareAnswers(port, ledger, counts);
      await compareStore(place.rows, ledger, counts);
      counts.rounds += 1;
      onRound(counts);
    }
  } finally {
    await kill(service);
    if (other) await kill(other);
    await place.clear();
  }
  return counts;
}

async function start(store: string, port: number, counts: Counts): Promise<ChildProcess> {
  const root = join(import.meta.dirname, "..", "..");
  const startedAt = performance.now();
  const service = spawn(
    process.execPath,
    [
      join(root, "bin", "ninefold"),
      "serve",
      join(import.meta.dirname, "parcels.md"),
      "--port",
      String(port),
      "--store",
      store,
      "--log",
      "none",
      "--no-operations",
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  while (service.exitCode === null) {
    const status = await call(port, "GET", "/v1/parcels/pcl_none").then(
      (answer) => answer.status,
      () => 0,
    );
    const tookMs = performance.now() - startedAt;
    if (status === 404) {
      if (tookMs > startMsMax) counts.slowStarts += 1;
      counts.slowestStartMs = Math.max(counts.slowestStartMs, Math.round(tookMs));
      return service;
    }
    if (tookMs > 100 * startMsMax) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await kill(service);
  throw new Error(`the service did not start on ${store} (exit code ${service.exitCode})`);
}

async function kill(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const exited = once(service, "exit");
  service.kill("SIGKILL");
  await exited;
}

async function loadUntilKilled(
  service: ChildProcess,
  ports: readonly number[],
  ledger: Ledger,
  counts: Counts,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const load = { isOver: false };
  const running = Array.from({ length: clients }, (_, at) =>
    client(ports[at % ports.length] as number, agent, ledger, counts, load),
  );
  const { least, most } = killAfterMs;
  await new Promise((resolve) => setTimeout(resolve, least + Math.random() * (most - least)));
  await kill(service);
  load.isOver = true;
  await Promise.all(running);
  agent.destroy();
}

/**
 * One client: creates parcels, every other one under a key, and collects two of three. Ends with
 * the first failure, which is the kill.
 */
async function client(
  port: number,
  agent: Agent,
  ledger: Ledger,
  counts: Counts,
  load: { isOver: boolean },
): Promise<void> {
  for (let turn = 0; !load.isOver; turn += 1) {
    const reference = randomUUID();
    const key = turn % 2 === 0 ? randomUUID() : undefined;
    if (key !== undefined) ledger.open.set(key, reference);
    try {
      const { status, body } = await make(port, reference, key, agent);
      expectStatus(status, 201);
      const id = String(body["id"]);
      ledger.made.set(id, reference);
      if (key !== undefined) {
        ledger.open.delete(key);
        ledger.byKey.set(key, id);
        counts.madeUnderKey += 1;
      } else counts.made += 1;
      if (turn % 3 === 0) continue;
      expectStatus((await call(port, "POST", `/v1/parcels/${id}/collect`, undefined, {}, agent)).status, 200);
      ledger.collected.add(id);
      counts.collected += 1;
    } catch (error) {
      if (error instanceof UnexpectedStatus) throw error;
      return;
    }
  }
}

class UnexpectedStatus extends Error {}

function expectStatus(status: number, expected: number): void {
  if (status !== expected)
    throw new UnexpectedStatus(`the service answered ${status} instead of ${expected}`);
}

function make(port: number, reference: string, key: string | undefined, agent?: Agent): Promise<Answer> {
  return call(
    port,
    "POST",
    "/v1/parcels",
    { reference },
    key === undefined ? {} : { "idempotency-key": key },
    agent,
  );
}

/** A client without an answer retries with the same key; whether the first request was done must not matter. */
async function settleOpenKeys(port: number, ledger: Ledger, counts: Counts): Promise<void> {
  for (const [key, reference] of ledger.open) {
    const { status, body } = await make(port, reference, key);
    expectStatus(status, 201);
    ledger.made.set(String(body["id"]), reference);
    ledger.byKey.set(key, String(body["id"]));
    counts.requestedAgain += 1;
  }
  ledger.open.clear();
}

/** Requests some of what was acknowledged from the service: records exist, and keys return their first answers. */
async function compareAnswers(port: number, ledger: Ledger, counts: Counts): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (const id of sample([...ledger.made.keys()])) {
    const { status, body } = await call(port, "GET", `/v1/parcels/${id}`, undefined, {}, agent);
    if (status !== 200) counts.lost += 1;
    else if (ledger.collected.has(id) && body["status"] !== "in_transit") counts.lost += 1;
  }
  for (const [key, id] of sample([...ledger.byKey])) {
    const { body } = await make(port, String(ledger.made.get(id)), key, agent);
    if (body["id"] !== id) counts.twice += 1;
  }
  agent.destroy();
}

/** The newest writes, to which the kill was nearest, and as many others. */
function sample<T>(all: readonly T[]): readonly T[] {
  const half = readAgainMax / 2;
  const step = Math.max(1, Math.floor(all.length / half));
  return [...all.slice(-half), ...all.slice(0, -half).filter((_, place) => place % step === 0)].slice(
    0,
    readAgainMax,
  );
}

/** Checks all acknowledged writes and all invariants in the store's tables. */
export async function compareStore(rows: Rows, ledger: Ledger, counts: Counts): Promise<void> {
  const parcels = await rows(`SELECT id, reference, status, collected_at FROM "Parcel"`);
  const stored = new Map(parcels.map((parcel) => [String(parcel[0]), parcel]));
  for (const [id, reference] of ledger.made) if (stored.get(id)?.[1] !== reference) counts.lost += 1;
  for (const id of ledger.collected) if (stored.get(id)?.[2] !== "in_transit") counts.lost += 1;
  const events = counted(
    await rows(`SELECT subject || ' ' || type, count(*) FROM ninefold_events GROUP BY 1`),
  );
  const moves = counted(await rows(`SELECT parcel, count(*) FROM "Move" GROUP BY 1`));
  for (const [id, [, , status, collectedAt]] of stored) {
    const isCollected = status === "in_transit";
    const expected = isCollected ? 1 : 0;
    const isWhole =
      (collectedAt !== null) === isCollected &&
      (moves.get(id) ?? 0) === expected &&
      (events.get(`${id} parcel.collected`) ?? 0) === expected &&
      events.get(`${id} parcel.registered`) === 1;
    if (!isWhole) counts.half += 1;
  }
  const [[repeated] = [0]] = await rows(
    `SELECT count(*) FROM (SELECT 1 FROM "Parcel" GROUP BY reference HAVING count(*) > 1) AS repeated`,
  );
  counts.twice += Number(repeated);
}

function counted(rows: readonly (readonly unknown[])[]): Map<string, number> {
  return new Map(rows.map(([name, count]) => [String(name), Number(count)]));
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

function call(
  port: number,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  agent?: Agent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const sent = request(
      {
        port,
        method,
        path,
        host: "127.0.0.1",
        timeout: 10_000,
        headers: {
          ...headers,
          ...(body !== undefined && { "content-type": "application/json" }),
          "content-length": Buffer.byteLength(text),
        },
        ...(agent && { agent }),
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          try {
            resolve({
              status: answer.statusCode ?? 0,
              body: JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}"),
            });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("no answer")));
    sent.on("error", reject);
    sent.end(text);
  });
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? 100);
  const report = (sofar: Counts) => {
    if (sofar.rounds % 10 === 0 || rounds < 10)
      process.stderr.write(
        `${sofar.rounds} rounds, ${sofar.lost} lost, ${sofar.half} half, ${sofar.twice} twice\n`,
      );
  };
  const counts = await killRounds(rounds, report, process.argv[3] === "postgres" ? "postgres" : "file");
  console.log(JSON.stringify(counts, null, 2));
  if (counts.lost + counts.half + counts.twice + counts.slowStarts > 0) process.exitCode = 1;
}
