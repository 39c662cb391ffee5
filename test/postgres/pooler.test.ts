/**
 * Behind a pooler in transaction mode: the store works if the address names the server too, and the
 * start reports it otherwise.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { addressOf } from "../../src/store/postgres/connection/address.ts";
import { StoreRefused } from "../../src/store/errors.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { type Answer, instanceHere } from "../histories/instances.ts";
import { freshSchema } from "./server.ts";
import { TransactionPooler } from "./transaction-pooler.ts";

const notes = model([resource("Note", [field("text", "string")])]);

test("two instances behind a pooler are serializable, and notify each other", async (t) => {
  const schema = await freshSchema();
  t.after(() => schema.drop());
  const pooler = await TransactionPooler.start(schema.url);
  t.after(() => pooler.close());
  const [instance, other] = [await instanceHere(pooler.url(true)), await instanceHere(pooler.url(true))];
  const append = (at: number) =>
    (at % 2 === 0 ? instance : other).request({
      method: "POST",
      path: "/cells/c1/append",
      key: `k${at}`,
      body: { item: at, op: `op${at}` },
    });
  const read = (at: number) =>
    (at % 2 === 0 ? instance : other).request({ method: "GET", path: "/cells/c1", key: `r${at}` });
  const all = Array.from({ length: 24 }, (_, at) => at);
  const answers = await Promise.all(all.flatMap((at) => [append(at), read(at)]));
  assert.deepEqual([...new Set(answers.map((answer) => answer?.status))], [200]);
  const { items } = ((await read(1)) as Answer).body as { items: number[] };
  assert.deepEqual(
    [...items].sort((a, b) => a - b),
    all,
  );
  await instance.close();
  await other.close();
  // Sessions contain nothing for later clients.
  assert.deepEqual(new Set(await leftIn(pooler)), new Set(await leftIn(pooler, schema.url)));
});

test("behind a pooler, a start without the server's own address reports what to write", async (t) => {
  const schema = await freshSchema();
  t.after(() => schema.drop());
  const pooler = await TransactionPooler.start(schema.url);
  t.after(() => pooler.close());
  const opening = openPostgresStore(notes, meaningOf(notes), { path: pooler.url(false) });
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof StoreRefused, String(error));
    assert.match(error.message, /leads to a pooler that gives each transaction another session/);
    assert.match(error.hint, /\?listen=host:port/);
    return true;
  });
});

test("a `listen` that isn't a host is rejected in one line", () => {
  for (const host of ["", "a b", "x/y", "x:1:2", "x@y"])
    assert.throws(
      () => addressOf(`postgres://db/d?listen=${encodeURIComponent(host)}`),
      /listen .* is not a host/,
    );
  assert.equal(
    addressOf("postgres://u@pooler:6432/d?listen=[::1]:5432").listen?.url,
    "postgres://u@[::1]:5432/d",
  );
});

/** The session state of each session of the pooler, or of one directly at the server. */
async function leftIn(pooler: TransactionPooler, direct?: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    const url = new URL(direct ?? pooler.url(false));
    url.searchParams.delete("schema");
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    const { rows } = await client.query(
      `SELECT current_setting('search_path') AS path, current_setting('jit') AS jit, current_setting('statement_timeout') AS time,
        (SELECT count(*) FROM pg_prepared_statements) AS names, (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks`,
    );
    left.push(JSON.stringify(rows[0]));
    await client.end();
  }
  return left;
}
