/**
 * Lower bound for `node:http` and `node:sqlite` on this machine: answers the four requests of the
 * bench with the fewest steps that still authenticate the caller, store the record and its event,
 * and commit before any response is sent. It evaluates no rules, handles no other request, and is
 * not usable as a service. `run.ts --floor` runs it next to the other two, so that a ratio shows
 * how much can still be gained.
 *
 *   node bench/floor.ts --port 3003 --store floor.db --key sk_bench
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { port: { type: "string" }, store: { type: "string" }, key: { type: "string" } },
});

const database = new DatabaseSync(options.store ?? ":memory:");
// The same settings, tables and indexes as in the store that Ninefold creates for `parcels.md`.
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -16384;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 4000;
  CREATE TABLE api_key (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE parcel (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, recipient TEXT, address TEXT, weight_grams INTEGER, reference TEXT,
    status TEXT, created_at TEXT, collected_at TEXT, revision INTEGER NOT NULL DEFAULT 1
  ) STRICT;
  CREATE INDEX parcel_by_created_at ON parcel (created_at);
  CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, type TEXT NOT NULL, time TEXT NOT NULL, resource TEXT NOT NULL,
    row INTEGER NOT NULL, subject TEXT NOT NULL, payload TEXT NOT NULL
  ) STRICT;
`);

const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");
database.prepare("INSERT INTO api_key (key) VALUES (?)").run(hashOf(options.key ?? "sk_bench"));

const shape = `json_object('id', id, 'recipient', recipient, 'address', json(address), 'weight_grams', weight_grams,
  'price', 490 + weight_grams * 15 / 100, 'reference', reference, 'status', status, 'created_at', created_at, 'collected_at', collected_at)`;
const statements = {
  begin: database.prepare("BEGIN IMMEDIATE"),
  commit: database.prepare("COMMIT"),
  key: database.prepare("SELECT row FROM api_key WHERE key = ?"),
  insert: database.prepare(
    "INSERT INTO parcel (id, recipient, address, weight_grams, reference, status, created_at) VALUES (?, ?, ?, ?, ?, 'registered', ?)",
  ),
  collect: database.prepare(
    `UPDATE parcel SET status = 'in_transit', collected_at = ?, revision = revision + 1 WHERE id = ? RETURNING row, ${shape}`,
  ),
  event: database.prepare(
    "INSERT INTO events (id, type, time, resource, row, subject, payload) VALUES (?, ?, ?, 'Parcel', ?, ?, ?)",
  ),
  read: database.prepare(`SELECT ${shape} FROM parcel WHERE id = ?`),
  page: database.prepare(`SELECT ${shape} FROM parcel ORDER BY created_at DESC, row DESC LIMIT 21`),
};
for (const statement of [statements.key, statements.collect, statements.read, statements.page])
  statement.setReturnArrays(true);

interface QueuedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer | null;
}

/**
 * Requests received in one tick of the event loop are answered together: reads at once, changes
 * after one commit.
 */
let queued: QueuedRequest[] = [];

const server = createServer(
  { noDelay: true, keepAliveTimeout: 72_000, optimizeEmptyRequests: true } satisfies ServerOptions,
  (request, response) => {
    const take = (body: Buffer | null) => {
      if (queued.push({ request, response, body }) === 1) setImmediate(answerAll);
    };
    if (request.headers["content-length"] === undefined || request.headers["content-length"] === "0")
      take(null);
    else request.once("data", take).resume();
  },
);

function answerAll(): void {
  const all = queued;
  queued = [];
  const changes = all.some(({ request }) => request.method === "POST");
  if (changes) statements.begin.run();
  const answers = all.map(answerTo);
  if (changes) statements.commit.run();
  all.forEach(({ response }, at) => {
    const [status, body] = answers[at] as readonly [number, string];
    response.writeHead(status, [
      "Content-Type",
      "application/json",
      "Content-Length",
      String(Buffer.byteLength(body)),
    ]);
    response.end(body);
  });
}

function answerTo({ request, body }: QueuedRequest): readonly [number, string] {
  if (!statements.key.get(hashOf((request.headers.authorization ?? "").slice(7)))) return [401, "{}"];
  const path = request.url ?? "";
  if (request.method === "GET") {
    if (path.startsWith("/v1/parcels?")) {
      const rows = statements.page.all() as unknown as [string][];
      return [200, `{"data":[${rows.slice(0, 20).join(",")}],"has_more":${rows.length > 20},"next":null}`];
    }
    const row = statements.read.get(path.slice("/v1/parcels/".length)) as unknown as [string] | undefined;
    return row ? [200, row[0]] : [404, "{}"];
  }
  return body ? create(JSON.parse(body.toString())) : collect(path.split("/")[3] ?? "");
}

function create(parcel: {
  readonly recipient: string;
  readonly address: object;
  readonly weight_grams: number;
  readonly reference?: string;
}): readonly [number, string] {
  const time = new Date().toISOString();
  const id = `pcl_${randomBytes(15).toString("base64url")}`;
  const { recipient, address, weight_grams, reference = null } = parcel;
  const price = 490 + Math.floor((weight_grams * 15) / 100);
  const { lastInsertRowid } = statements.insert.run(
    id,
    recipient,
    JSON.stringify(address),
    weight_grams,
    reference,
    time,
  );
  const status = "registered";
  const answer = JSON.stringify({
    id,
    recipient,
    address,
    weight_grams,
    price,
    reference,
    status,
    created_at: time,
    collected_at: null,
  });
  appendEvent("parcel.registered", time, lastInsertRowid, id, answer);
  return [201, answer];
}

function collect(id: string): readonly [number, string] {
  const time = new Date().toISOString();
  const found = statements.collect.get(time, id) as unknown as [number, string] | undefined;
  if (!found) return [404, "{}"];
  appendEvent("parcel.collected", time, found[0], id, found[1]);
  return [200, found[1]];
}

function appendEvent(type: string, time: string, row: number | bigint, id: string, data: string): void {
  const payload = `{"type":"${type}","timestamp":"${time}","data":${data}}`;
  statements.event.run(`evt_${randomBytes(15).toString("base64url")}`, type, time, row, id, payload);
}

server.listen(Number(options.port ?? 3003), "127.0.0.1");
