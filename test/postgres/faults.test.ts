/**
 * Faults between a store and its PostgreSQL: reported as what they are, with a bounded wait, and
 * recovered from without a restart.
 */
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Frame } from "../../src/expressions/value.ts";
import { StoreRefused, StoreUnavailable } from "../../src/store/errors.ts";
import { openPostgresStore, type PostgresOptions } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { ownRole } from "./own-role.ts";
import { type CommitFault, PostgresProxy } from "./proxy.ts";
import { freshSchema, type Schema } from "./server.ts";

const frame = {} as Frame;
const notes = model([resource("Note", [field("text", "string")])]);
const again = { repeatable: true };

let schema: Schema;
before(async () => {
  schema = await freshSchema();
});
after(() => schema.drop());

async function openStore(test: TestContext, options: Partial<PostgresOptions> = {}): Promise<Store> {
  const store = await openPostgresStore(notes, meaningOf(notes), { path: schema.url, ...options });
  test.after(() => store.close());
  return store;
}

async function openBehindProxy(test: TestContext, options: Partial<PostgresOptions> = {}) {
  const proxy = await PostgresProxy.start(schema.url);
  test.after(() => proxy.close());
  return { proxy, store: await openStore(test, { path: proxy.url, ...options }) };
}

const insert = (store: Store, id: string, options = again) =>
  store.write(async (transaction) => transaction.insert("Note", { id, text: id }), options);

async function stored(store: Store): Promise<readonly unknown[]> {
  const text = await store.session.value(
    statementOf(`SELECT string_agg(id, ',' ORDER BY id) FROM "Note"`),
    frame,
  );
  return String(text).split(",");
}

async function unavailable(write: Promise<unknown>): Promise<StoreUnavailable> {
  const error = await write.then(
    () => assert.fail("it was stored"),
    (refused: unknown) => refused,
  );
  assert.ok(error instanceof StoreUnavailable, String(error));
  assert.ok(error.retryable);
  return error;
}

for (const [fault, isThere] of [
  ["unsent", false],
  ["untold", true],
] as const satisfies readonly (readonly [CommitFault, boolean])[])
  test(`a connection that breaks at COMMIT leaves an unknown outcome, and reports that: ${fault}`, async (test) => {
    const { proxy, store } = await openBehindProxy(test);
    const heard: unknown[] = [];
    store.onCommit((commit) => heard.push(commit.changed.get("Note")));
    proxy.cutAtCommit(fault);
    const error = await unavailable(insert(store, fault));
    assert.equal(error.isKnown, false);
    assert.match(error.message, /it is unknown whether it is stored/);
    // A reader of the record has to query again, because the record may exist.
    assert.equal(heard.length, 1);
    await insert(store, `${fault} after`);
    assert.equal((await stored(store)).includes(fault), isThere);
  });

test("a rejected COMMIT has certainly stored nothing", async (test) => {
  const store = await openStore(test);
  const client = await schema.connect();
  await client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$;
    CREATE CONSTRAINT TRIGGER refused AFTER INSERT ON "Note" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const error = await unavailable(insert(store, "refused"));
  assert.equal(error.isKnown, true);
  assert.match(error.message, /has no space/);
  await client.query(`DROP FUNCTION refuse CASCADE`);
  await insert(store, "let");
});

test("a commit that the server stores with a warning isn't acknowledged: its standby may not have it", async (test) => {
  const store = await openStore(test);
  const client = await schema.connect();
  await client.query(`CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER warned AFTER INSERT ON "Note" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()`);
  assert.equal((await unavailable(insert(store, "warned"))).isKnown, false);
  await client.query(`DROP FUNCTION warn CASCADE`);
});

test("a suspended instance loses the write lock, and others continue", async (test) => {
  const still = await openStore(test, { bounds: { idleOfWaitingMs: 200 } });
  const other = await openStore(test);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  const standing = unavailable(
    still.write(async (transaction) => {
      await transaction.insert("Note", { id: "still", text: "" });
      begin();
      await end;
      await transaction.insert("Note", { id: "still too", text: "" });
    }),
  );
  await started;
  await insert(other, "other");
  resolve();
  assert.equal((await standing).isKnown, true);
  await insert(still, "still again");
  assert.deepEqual(
    (await stored(still)).filter((id) => String(id).startsWith("still")),
    ["still again"],
  );
});

test("a write that may wait for something else than the database keeps the write lock longer", async (test) => {
  const store = await openStore(test, { bounds: { idleMs: 50, idleOfWaitingMs: 5_000 } });
  await store.write(async (transaction) => {
    await pause(300);
    await transaction.insert("Note", { id: "waited", text: "" });
  });
  assert.ok((await stored(store)).includes("waited"));
});

test("a wait on a silent connection times out, and later statements use a new connection", async (test) => {
  const { proxy, store } = await openBehindProxy(test, {
    statementMs: 2_000,
    bounds: { turnMs: 2_000, statementMs: 2_000, silenceMs: 1_000 },
  });
  await insert(store, "before silence");
  // One read on each read connection.
  await Promise.all([stored(store), stored(store)]);
  proxy.silence();
  const reading = stored(store);
  const writing = unavailable(insert(store, "silenced"));
  await assert.rejects(reading, StoreUnavailable);
  await writing;
  proxy.speak();
  await insert(store, "after silence");
  assert.ok(!(await stored(store)).includes("silenced"));
});

test("a read-only database rejects changes with a message, and accepts them again later", async (test) => {
  const { client, name, path } = await ownRole(test);
  const store = await openStore(test, { path });
  const set = async (words: string) => {
    await client.query(`ALTER ROLE ${name} ${words}`);
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${name}'`);
  };
  await insert(store, "before");
  await set("SET default_transaction_read_only TO on");
  await store.write(async () => {}).catch(() => {});
  assert.match((await unavailable(insert(store, "read only"))).message, /can only be read/);
  assert.ok((await stored(store)).includes("before"));
  const refused = openPostgresStore(notes, meaningOf(notes), { path: `${path}2` });
  await assert.rejects(
    refused,
    (error) => error instanceof StoreRefused && /is read-only/.test(error.message),
  );
  await set("RESET default_transaction_read_only");
  await store.write(async () => {}).catch(() => {});
  await insert(store, "written again");
});

test("a revoked privilege is reported as such, and the service continues when it is granted again", async (test) => {
  const { client, name, path } = await ownRole(test);
  const store = await openStore(test, { path });
  await insert(store, "allowed");
  const tables = `ALL TABLES IN SCHEMA ${new URL(path).searchParams.get("schema")}`;
  await client.query(`ALTER TABLE ${new URL(path).searchParams.get("schema")}."Note" OWNER TO CURRENT_USER`);
  await client.query(`REVOKE ALL ON ${tables} FROM ${name}`);
  assert.match((await unavailable(insert(store, "forbidden"))).message, /rejects .* permission denied/);
  await client.query(`GRANT ALL ON ${tables} TO ${name}`);
  await client.query(`GRANT ALL ON ${tables.replace("TABLES", "SEQUENCES")} TO ${name}`);
  await insert(store, "allowed again");
});

test("a closed store has no connection, whatever it was doing and whatever calls it then", async (test) => {
  const { proxy, store } = await openBehindProxy(test);
  await insert(store, "before-the-end");
  proxy.keepWaiting();
  proxy.cut();
  // The instance searches for its peers again.
  while (proxy.waiting === 0) await pause(20);
  const closed = store.close();
  proxy.letIn();
  await closed;
  await assert.rejects(async () => store.session.system.nextDue(), StoreUnavailable);
  await assert.rejects(stored(store), StoreUnavailable);
  await assert.rejects(insert(store, "behind-the-end"), StoreUnavailable);
  // Waits until data in transit at the close has arrived and was discarded.
  await pause(300);
  while (proxy.ports().length > 0) await pause(20);
});
