/** Former storage formats, and the numbers of events after an upgrade. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailable } from "../../src/store/errors.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { addressOf } from "../../src/store/postgres/connection/address.ts";
import { advisoryLockKey } from "../../src/store/postgres/connection/session-locks.ts";
import { PostgresProxy } from "./proxy.ts";
import { freshSchema } from "./server.ts";

const notes = model([resource("Note", [field("text", "string")])]);
const reported = { type: "made", time: "2026-01-01T00:00:00.000Z", resource: "Note", row: 1, subject: "" };

const append = (store: Store, id: string) =>
  store.write(({ system }) => system.appendEvents([{ ...reported, id, payload: "{}" }]), {
    repeatable: true,
  });

test("a schema of the first format is migrated when no instance serves it, and its log continues", async () => {
  const schema = await freshSchema();
  const open = () => openStore(notes, meaningOf(notes), { path: schema.url });
  const store = await open();
  for (const id of ["a", "b"]) await append(store, id);
  await store.close();
  const client = await schema.connect();
  await client.query(`DROP TABLE ninefold_log; CREATE TABLE ninefold_log (last bigint NOT NULL);
    INSERT INTO ninefold_log VALUES (7); UPDATE ninefold_meta SET value = '1' WHERE name = 'format'`);
  const serving = advisoryLockKey(addressOf(schema.url).schema, "serving");
  await client.query(`SELECT pg_advisory_lock_shared(${serving})`);
  await assert.rejects(open(), /An instance of an earlier Ninefold serves/);
  await client.query(`SELECT pg_advisory_unlock_shared(${serving})`);
  const again = await open();
  assert.deepEqual(await append(again, "c"), [8]);
  assert.equal((await again.session.system.logSpan()).last, 8);
  await again.close();
  await schema.drop();
});

test("a schema whose instances don't send new deliveries is upgraded when none serves, and stops them", async () => {
  const schema = await freshSchema();
  const proxy = await PostgresProxy.start(schema.url);
  const old = await openStore(notes, meaningOf(notes), { path: proxy.url });
  const open = () => openStore(notes, meaningOf(notes), { path: schema.url });
  const client = await schema.connect();
  const meta = async (name: string) =>
    (await client.query("SELECT value FROM ninefold_meta WHERE name = $1", [name])).rows[0]?.value;
  const [format, generation] = [await meta("format"), await meta("generation")];
  await client.query("UPDATE ninefold_meta SET value = '2' WHERE name = 'format'");
  await assert.rejects(open(), /An instance of an earlier Ninefold serves/);
  assert.deepEqual([await meta("format"), await meta("generation")], ["2", generation]);
  // The connections of the old instance are lost for a moment, and so is its lock.
  proxy.leave();
  const opened = (): Promise<Store> =>
    open().catch((error: unknown) => {
      assert.match(String(error), /An instance of an earlier Ninefold serves/);
      return opened();
    });
  const store = await opened();
  assert.equal(await meta("format"), format);
  proxy.comeBack();
  const late = (): Promise<unknown> =>
    append(old, "a").catch((error: unknown) => {
      assert.ok(error instanceof StoreUnavailable);
      return /replace this instance/.test(error.message) ? "stopped" : late();
    });
  assert.equal(await late(), "stopped");
  assert.deepEqual(await append(store, "a"), [1]);
  await Promise.all([old.close(), store.close()]);
  await proxy.close();
  await schema.drop();
});

test("the number of an aborted transaction is assigned again", async () => {
  const schema = await freshSchema();
  const store = await openStore(notes, meaningOf(notes), { path: schema.url });
  await append(store, "a");
  const client = await schema.connect();
  await client.query("BEGIN");
  const { rows } = await client.query(
    "SELECT ninefold_append(NULL, '{b}', '{made}', '{2026}', '{Note}', '{1}', '{}'::text[] || ''::text, '{x}', '{x}') AS last",
  );
  assert.equal(rows[0].last, "2");
  await client.query("ROLLBACK");
  assert.deepEqual(await append(store, "c"), [2]);
  await store.write(({ system }) => system.deliveries.forgetEvents(0, "2027", 100));
  assert.deepEqual(await store.session.system.logSpan(), { first: null, last: 2 });
  assert.deepEqual(await append(store, "d"), [3]);
  await store.close();
  await schema.drop();
});
