/**
 * Leases: what an instance holds if a release was delayed, or if the server has forgotten the
 * instance.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { openStore } from "../../src/store/index.ts";
import { addressOf } from "../../src/store/postgres/connection/address.ts";
import { DatabaseClock } from "../../src/store/postgres/shared/clock.ts";
import { InstanceLease } from "../../src/store/postgres/shared/lease.ts";
import { sharedLimits } from "../../src/store/postgres/shared/limits.ts";
import { SharedTables } from "../../src/store/postgres/shared/shared.ts";
import { SideConnection } from "../../src/store/postgres/shared/side-connection.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { clockMs } from "../../src/store/postgres/shared/tables.ts";
import { freshSchema, type Schema } from "./server.ts";

const notes = model([resource("Note", [field("text", "string")])]);
let schema: Schema;
let client: pg.Client;
const both: SharedTables[] = [];

before(async () => {
  schema = await freshSchema();
  await (await openStore(notes, meaningOf(notes), { path: schema.url })).close();
  client = await schema.connect();
  for (let at = 0; at < 2; at += 1)
    both.push(new SharedTables(addressOf(schema.url), new DatabaseClock(() => {}), "0"));
});
after(async () => {
  for (const tables of both) await tables.close();
  await schema.drop();
});

async function numberOf(from: string): Promise<number> {
  const { rows } = await client.query(`SELECT count(*)::int AS n FROM ${from}`);
  return rows[0].n;
}

/** Waits until an instance has sent its next renewal. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50);
}

test("the release of a key that couldn't be sent is sent with the next heartbeat, and dead instances are removed", async () => {
  const [tables, other] = both as [SharedTables, SharedTables];
  assert.equal(await tables.keys.begin("k", "POST /a"), null);
  await client.query("INSERT INTO ninefold_instances (id, until) VALUES ('1-gone', 1)");
  await client.query("ALTER TABLE ninefold_keys_under_way RENAME TO away");
  await tables.keys.end("k");
  await client.query("ALTER TABLE away RENAME TO ninefold_keys_under_way");
  assert.equal(await other.keys.begin("k", "POST /b"), "POST /a");
  await until(async () => (await numberOf("ninefold_keys_under_way")) === 0);
  assert.equal(await other.keys.begin("k", "POST /b"), null);
  await other.keys.end("k");
  await until(async () => (await numberOf("ninefold_instances WHERE id = '1-gone'")) === 0);
});

test("after a server crash, which empties the tables, instances register their slots and keys again under a new name", async () => {
  const [tables, other] = both as [SharedTables, SharedTables];
  assert.equal(await tables.keys.begin("held", "POST /a"), null);
  assert.equal(await tables.places.take("chair", 1), true);
  await client.query("TRUNCATE ninefold_instances, ninefold_keys_under_way, ninefold_places");
  await until(async () => (await numberOf("ninefold_keys_under_way")) === 1);
  await until(async () => (await numberOf("ninefold_places WHERE taken <> '{}'")) === 1);
  assert.equal(await other.keys.begin("held", "POST /b"), "POST /a");
  assert.equal(await other.places.take("chair", 1), false);
  await tables.keys.end("held");
  await tables.places.leave("chair");
  assert.equal(await other.keys.begin("held", "POST /b"), null);
  assert.equal(await other.places.take("chair", 1), true);
});

test("delayed releases are retried one attempt at a time", async (t) => {
  const side = new SideConnection(addressOf(schema.url));
  const lease = new InstanceLease(side);
  t.after(async () => {
    await lease.close();
    await side.close();
  });
  const reporting = Promise.withResolvers<void>();
  let times = 0;
  lease.add({
    renamed: async () => {},
    renewed() {
      times += 1;
      return reporting.promise;
    },
  });
  await lease.id();
  await until(async () => times === 1);
  // Longer than the renewal interval.
  await pause(1.5 * sharedLimits.renewEveryMs);
  assert.equal(times, 1);
  reporting.resolve();
  await until(async () => times === 2);
});

test("an expired lease is not renewed: its instance gets another name, and keeps that while it lives", async (t) => {
  const side = new SideConnection(addressOf(schema.url));
  const lease = new InstanceLease(side);
  t.after(async () => {
    await lease.close();
    await side.close();
  });
  const names: (readonly string[])[] = [];
  let times = 0;
  lease.add({
    async renamed(former, id) {
      names.push([former, id]);
    },
    async renewed() {
      times += 1;
    },
  });
  const first = await lease.id();
  await until(async () => times === 1);
  assert.deepEqual(names, []);
  // Its row still exists, as after a process that was suspended.
  await client.query(`UPDATE ninefold_instances SET until = ${clockMs} - 1 WHERE id = $1`, [first]);
  await until(async () => names.length === 1);
  const second = await lease.id();
  assert.deepEqual(names, [[first, second]]);
  assert.notEqual(second, first);
  assert.equal(await numberOf(`ninefold_instances WHERE id = '${first}' AND until > ${clockMs}`), 0);
  const before = times;
  await until(async () => times > before + 1);
  assert.equal(names.length, 1);
});
