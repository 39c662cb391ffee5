/**
 * Reference implementation on PostgreSQL: the service of `parcels.md` as a good engineer writes it
 * by hand today. Fastify with schemas for requests and responses, `pg` with a pool and named
 * statements, one durable transaction for each request, and an outbox row with each change.
 * `postgres.ts` compares with it.
 *
 *   node bench/reference-postgres.ts --port 3001 --store postgres://… --key sk_bench [--pool 16]
 */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import fastify from "fastify";
import pg from "pg";
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
  options: {
    port: { type: "string" },
    store: { type: "string" },
    key: { type: "string" },
    pool: { type: "string" },
  },
});
const port = Number(options.port ?? 3001);
const address = new URL(options.store ?? "");
const schema = address.searchParams.get("schema") ?? "reference";
address.searchParams.delete("schema");

const pool = new pg.Pool({
  connectionString: address.href,
  max: Number(options.pool ?? 16),
  options: `-c search_path=${schema} -c jit=off`,
});
await pool.query(`
  CREATE SCHEMA IF NOT EXISTS ${schema};
  CREATE TABLE IF NOT EXISTS api_key (hash text PRIMARY KEY, name text NOT NULL);
  CREATE TABLE IF NOT EXISTS parcel (
    row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, recipient text NOT NULL, address text NOT NULL,
    weight_grams integer NOT NULL, reference text, status text NOT NULL, created_at text NOT NULL, collected_at text
  );
  CREATE TABLE IF NOT EXISTS outbox (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL, type text NOT NULL, time text NOT NULL, payload text NOT NULL
  );
`);
await pool.query("INSERT INTO api_key (hash, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
  hashOf(options.key ?? "sk_bench"),
  "bench",
]);

const columns = "row, id, recipient, address, weight_grams, reference, status, created_at, collected_at";
const statements = {
  key: "SELECT name FROM api_key WHERE hash = $1",
  insert:
    "INSERT INTO parcel (id, recipient, address, weight_grams, reference, status, created_at) VALUES ($1, $2, $3, $4, $5, 'registered', $6)",
  collect: `UPDATE parcel SET status = 'in_transit', collected_at = $1 WHERE id = $2 AND status = 'registered' RETURNING ${columns}`,
  read: `SELECT ${columns} FROM parcel WHERE id = $1`,
  page: `SELECT ${columns} FROM parcel WHERE row < $1 ORDER BY row DESC LIMIT $2`,
  outbox: "INSERT INTO outbox (id, type, time, payload) VALUES ($1, $2, $3, $4)",
};

async function query(
  client: pg.Pool | pg.PoolClient,
  name: keyof typeof statements,
  values: unknown[],
): Promise<readonly ParcelRow[]> {
  return (await client.query({ name, text: statements[name], values })).rows;
}

/** Runs one change with its outbox row; the promise resolves when both are durable. */
async function changed(
  type: string,
  change: (client: pg.PoolClient, time: string) => Promise<ParcelRow | undefined>,
): Promise<object | undefined> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const time = new Date().toISOString();
    const parcel = await change(client, time);
    if (!parcel) {
      await client.query("ROLLBACK");
      return undefined;
    }
    const answer = shown(parcel);
    await query(client, "outbox", [
      `evt_${randomBytes(15).toString("base64url")}`,
      type,
      time,
      JSON.stringify({ type, timestamp: time, data: answer }),
    ]);
    await client.query("COMMIT");
    return answer;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const app = fastify({ logger: false, keepAliveTimeout: 65_000, bodyLimit: 65_536 });

app.addHook("onRequest", async (received, reply) => {
  const header = received.headers.authorization;
  if (header?.startsWith("Bearer ") && (await query(pool, "key", [hashOf(header.slice(7))])).length > 0)
    return;
  return reply.code(401).send(problem("no_key", "Send your key as a bearer token."));
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
  async (received, reply) => {
    const { recipient, address, weight_grams, reference = null } = received.body;
    const id = `pcl_${randomBytes(15).toString("base64url")}`;
    const addressText = JSON.stringify(address);
    const parcel = await changed("parcel.registered", async (client, time) => {
      await query(client, "insert", [id, recipient, addressText, weight_grams, reference, time]);
      return {
        row: 0,
        id,
        recipient,
        address: addressText,
        weight_grams,
        reference,
        status: "registered",
        created_at: time,
        collected_at: null,
      };
    });
    return reply.code(201).header("location", `http://127.0.0.1:${port}/v1/parcels/${id}`).send(parcel);
  },
);

app.post<{ Params: { id: string } }>(
  "/v1/parcels/:id/collect",
  { schema: { response: { 200: parcelSchema } } },
  async (received, reply) => {
    const { id } = received.params;
    const parcel = await changed(
      "parcel.collected",
      async (client, time) => (await query(client, "collect", [time, id]))[0],
    );
    if (parcel) return reply.send(parcel);
    if ((await query(pool, "read", [id])).length > 0)
      return reply.code(409).send(problem("wrong_state", "The parcel can't be collected."));
    return reply.code(404).send(problem("no_such_thing", "There is no such parcel."));
  },
);

app.get<{ Params: { id: string } }>(
  "/v1/parcels/:id",
  { schema: { response: { 200: parcelSchema } } },
  async (received, reply) => {
    const [parcel] = await query(pool, "read", [received.params.id]);
    if (parcel) return reply.send(shown(parcel));
    return reply.code(404).send(problem("no_such_thing", "There is no such parcel."));
  },
);

app.get<{ Querystring: { limit: number; after?: string } }>(
  "/v1/parcels",
  { schema: { querystring: querySchema, response: { 200: pageSchema } } },
  async (received, reply) => {
    const { limit, after } = received.query;
    const before =
      after === undefined ? Number.MAX_SAFE_INTEGER : Number(Buffer.from(after, "base64url").toString());
    const rows = await query(pool, "page", [Number.isSafeInteger(before) ? before : 0, limit + 1]);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const hasMore = rows.length > limit;
    const next = hasMore && last ? Buffer.from(String(last.row)).toString("base64url") : null;
    return reply.send({ data: items.map(shown), has_more: hasMore, next });
  },
);

await app.listen({ port, host: "127.0.0.1" });
console.log(`listening on ${port}`);
