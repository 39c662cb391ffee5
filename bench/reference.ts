/**
 * Reference implementation on SQLite: the service of `parcels.md` as a good engineer writes it by
 * hand today. Fastify with schemas for requests and responses, prepared statements, one durable
 * transaction for each request, and an outbox row with each change. The bench compares with it, so
 * it must be as fast as this style allows.
 *
 *   node bench/reference.ts --port 3001 --store reference.db --key sk_bench
 */
import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import {
  bodySchema,
  hashOf,
  type NewParcel,
  type ParcelRow,
  pageSchema,
  parcelSchema,
  problem,
  querySchema,
  shown,
} from "./reference-wire.ts";

const { values: options } = parseArgs({
  options: { port: { type: "string" }, store: { type: "string" }, key: { type: "string" } },
});
const port = Number(options.port ?? 3001);

const database = new DatabaseSync(options.store ?? ":memory:");
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -65536;
  PRAGMA temp_store = MEMORY;
  CREATE TABLE IF NOT EXISTS api_key (hash TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS parcel (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, recipient TEXT NOT NULL, address TEXT NOT NULL,
    weight_grams INTEGER NOT NULL, reference TEXT, status TEXT NOT NULL, created_at TEXT NOT NULL, collected_at TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS outbox (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, type TEXT NOT NULL, time TEXT NOT NULL, payload TEXT NOT NULL
  ) STRICT;
`);

database
  .prepare("INSERT OR REPLACE INTO api_key (hash, name) VALUES (?, ?)")
  .run(hashOf(options.key ?? "sk_bench"), "bench");

const columns = "row, id, recipient, address, weight_grams, reference, status, created_at, collected_at";
const statements = {
  begin: database.prepare("BEGIN IMMEDIATE"),
  commit: database.prepare("COMMIT"),
  rollback: database.prepare("ROLLBACK"),
  key: database.prepare("SELECT name FROM api_key WHERE hash = ?"),
  insert: database.prepare(
    "INSERT INTO parcel (id, recipient, address, weight_grams, reference, status, created_at) VALUES (?, ?, ?, ?, ?, 'registered', ?)",
  ),
  collect: database.prepare(
    `UPDATE parcel SET status = 'in_transit', collected_at = ? WHERE id = ? AND status = 'registered' RETURNING ${columns}`,
  ),
  read: database.prepare(`SELECT ${columns} FROM parcel WHERE id = ?`),
  // With a bare `LIMIT ?`, SQLite would plan the statement again for each page.
  page: database.prepare(`SELECT ${columns} FROM parcel WHERE row < ? ORDER BY row DESC LIMIT (? + 0)`),
  outbox: database.prepare("INSERT INTO outbox (id, type, time, payload) VALUES (?, ?, ?, ?)"),
};

/** Runs one change with its outbox row; both are durable when it returns. */
function changed(type: string, change: (time: string) => ParcelRow | undefined): object | undefined {
  statements.begin.run();
  try {
    const time = new Date().toISOString();
    const parcel = change(time);
    if (!parcel) {
      statements.rollback.run();
      return undefined;
    }
    const answer = shown(parcel);
    statements.outbox.run(
      `evt_${randomBytes(15).toString("base64url")}`,
      type,
      time,
      JSON.stringify({ type, timestamp: time, data: answer }),
    );
    statements.commit.run();
    return answer;
  } catch (error) {
    if (database.isTransaction) statements.rollback.run();
    throw error;
  }
}

const app = fastify({ logger: false, keepAliveTimeout: 65_000, bodyLimit: 65_536 });

app.addHook("onRequest", (received: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
  const header = received.headers.authorization;
  if (header?.startsWith("Bearer ") && statements.key.get(hashOf(header.slice(7)))) done();
  else reply.code(401).send(problem("no_key", "Send your key as a bearer token."));
});

app.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
  const status = error.statusCode ?? 500;
  reply
    .code(status === 400 ? 422 : status)
    .send(
      problem(status >= 500 ? "internal" : "bad_value", status >= 500 ? "Internal error." : error.message),
    );
});

app.post<{ Body: NewParcel }>(
  "/v1/parcels",
  { schema: { body: bodySchema, response: { 201: parcelSchema } } },
  (received, reply) => {
    const { recipient, address, weight_grams, reference } = received.body;
    const id = `pcl_${randomBytes(15).toString("base64url")}`;
    const addressText = JSON.stringify(address);
    const parcel = changed("parcel.registered", (time) => {
      statements.insert.run(id, recipient, addressText, weight_grams, reference ?? null, time);
      return {
        row: 0,
        id,
        recipient,
        address: addressText,
        weight_grams,
        reference: reference ?? null,
        status: "registered",
        created_at: time,
        collected_at: null,
      };
    });
    reply.code(201).header("location", `http://127.0.0.1:${port}/v1/parcels/${id}`).send(parcel);
  },
);

app.post<{ Params: { id: string } }>(
  "/v1/parcels/:id/collect",
  { schema: { response: { 200: parcelSchema } } },
  (received, reply) => {
    const { id } = received.params;
    const parcel = changed(
      "parcel.collected",
      (time) => statements.collect.get(time, id) as ParcelRow | undefined,
    );
    if (parcel) reply.send(parcel);
    else if (statements.read.get(id))
      reply.code(409).send(problem("wrong_state", "The parcel can't be collected."));
    else reply.code(404).send(problem("no_such_thing", "There is no such parcel."));
  },
);

app.get<{ Params: { id: string } }>(
  "/v1/parcels/:id",
  { schema: { response: { 200: parcelSchema } } },
  (received, reply) => {
    const parcel = statements.read.get(received.params.id) as ParcelRow | undefined;
    if (parcel) reply.send(shown(parcel));
    else reply.code(404).send(problem("no_such_thing", "There is no such parcel."));
  },
);

app.get<{ Querystring: { limit: number; after?: string } }>(
  "/v1/parcels",
  { schema: { querystring: querySchema, response: { 200: pageSchema } } },
  (received, reply) => {
    const { limit, after } = received.query;
    const before =
      after === undefined ? Number.MAX_SAFE_INTEGER : Number(Buffer.from(after, "base64url").toString());
    const rows = statements.page.all(
      Number.isSafeInteger(before) ? before : 0,
      limit + 1,
    ) as unknown as ParcelRow[];
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const hasMore = rows.length > limit;
    const next = hasMore && last ? Buffer.from(String(last.row)).toString("base64url") : null;
    reply.send({ data: items.map(shown), has_more: hasMore, next });
  },
);

await app.listen({ port, host: "127.0.0.1" });
console.log(`listening on ${port}`);
