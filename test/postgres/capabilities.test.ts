/** Missing capabilities: each one is disabled by a proxy between store and server. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { StoreInUse, StoreRefused } from "../../src/store/errors.ts";
import { openStore } from "../../src/store/index.ts";
import { lockHolders } from "../../src/store/postgres/connection/session-locks.ts";
import { openSource } from "../../src/store/postgres/move-ends.ts";
import type { Commit, Store } from "../../src/store/store.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { documentOf, open as openDocument, resource as resourceOf } from "../changes/desk.ts";
import { change } from "../changes/support.ts";
import { cutBefore, hangUp } from "./cut-off.ts";
import { lowersIsolation, PostgresProxy, without } from "./proxy.ts";
import { freshSchema, postgresUrl } from "./server.ts";

const notes = model([resource("Note", [field("text", "string")])]);

async function behind(t: TestContext, replaces: Readonly<Record<string, string>>) {
  const schema = await freshSchema();
  const proxy = await PostgresProxy.start(schema.url);
  Object.assign(proxy, { replaces });
  const ends: (() => Promise<void>)[] = [() => proxy.close()];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
    await schema.drop();
  });
  const warnings: string[] = [];
  const open = async (): Promise<Store> => {
    const onWarning = (message: string) => void warnings.push(message);
    const store = await openStore(notes, meaningOf(notes), { path: proxy.url, onWarning });
    ends.push(() => store.close());
    return store;
  };
  const start = (document: string): Promise<Store> => openDocument(document, proxy.url);
  return { open, start, schema, warnings, url: proxy.url };
}

const withoutEffect: readonly (readonly [what: string, replaces: Readonly<Record<string, string>>])[] = [
  ["LOCK TABLE", { "; LOCK TABLE ninefold_turn": "; SELECT 1--" }],
  ["SERIALIZABLE", lowersIsolation],
  ["LOCK TABLE, SERIALIZABLE", { "; LOCK TABLE ninefold_turn": "; SELECT 1--", ...lowersIsolation }],
];

for (const [what, replaces] of withoutEffect) {
  test(`a server that accepts statements without effect is rejected: ${what}`, async (t) => {
    const { open } = await behind(t, replaces);
    await assert.rejects(open, (error: unknown) => {
      assert.ok(error instanceof StoreRefused);
      assert.match(error.message, new RegExp(`accepts statements without effect: ${what}\\.`));
      assert.match(error.hint, /scaling\.md/);
      return true;
    });
  });
}

test("without LISTEN, instances see each other's changes within a second", async (t) => {
  const { open, warnings } = await behind(t, without("LISTEN"));
  const [store, other] = [await open(), await open()];
  assert.ok(warnings.some((message) => /has no LISTEN/.test(message)));
  const heard = new Promise<Commit>((resolve) => other.onCommit(resolve));
  await store.write((transaction) => transaction.insert("Note", { id: "a", text: "" }), { repeatable: true });
  const commit = await heard;
  assert.deepEqual([commit.hasEvents, [...commit.changed]], [true, [["Note", null]]]);
});

const keepsTables = without("DDL in transactions");
const parcels = documentOf(resourceOf("Parcel", "place | string |"));
const renamed = documentOf(
  resourceOf("Parcel", "town | string |"),
  change("town", "Renamed: Parcel.place to Parcel.town"),
);

test("without DDL in transactions, an interrupted change is refused at every later start", async (t) => {
  const { start, schema } = await behind(t, keepsTables);
  await (await start(parcels)).close();
  const client = await schema.connect();
  const marks = async () =>
    (await client.query("SELECT 1 FROM ninefold_meta WHERE name = 'changing'")).rowCount;
  let interrupted = 0;
  for (let number = 1; (await marks()) === 0; number += 1) {
    const cut = cutBefore(number, hangUp);
    const failure = await start(renamed)
      .then(
        () => undefined,
        (error: unknown) => error,
      )
      .finally(() => cut.restore());
    assert.ok(cut.isCut, `${number} ${String(failure)}`);
    interrupted += 1;
  }
  assert.ok(interrupted > 3);
  for (const document of [renamed, parcels])
    await assert.rejects(start(document), (error: unknown) => {
      assert.ok(error instanceof StoreRefused);
      assert.match(error.message, /was interrupted, and the server doesn't undo it/);
      assert.match(error.hint, /backup/);
      return true;
    });
});

test("without DDL in transactions, a finished change leaves no mark", async (t) => {
  const { start } = await behind(t, keepsTables);
  await (await start(parcels)).close();
  await (await start(renamed)).close();
  await (await start(renamed)).close();
});

test("without DDL in transactions, an interrupted creation of a store is refused", async (t) => {
  const { start, schema } = await behind(t, {});
  const client = await schema.connect();
  await client.query("CREATE TABLE ninefold_deliveries (number bigint)");
  await assert.rejects(start(parcels), /creation of the store .* was interrupted/);
});

for (const lacking of ["advisory locks", "advisory functions"]) {
  test(`without ${lacking}, table locks keep instances, changes and copies apart`, async (t) => {
    const replaces = without(lacking, "LISTEN", "DDL in transactions");
    const { start, schema, url } = await behind(t, replaces);
    const [store, other] = await Promise.all([start(parcels), start(parcels)]);
    t.after(() => Promise.all([store.close(), other.close()]));
    const client = await schema.connect();
    const holders = async () => (await client.query(lockHolders(schema.name, "serving"))).rows;
    assert.equal((await holders()).length, 2);
    await assert.rejects(openSource(url), StoreInUse);
    // A lock ends with its session, and the instance takes it again.
    const [holder] = await holders();
    await client.query("SELECT pg_terminate_backend($1, 5000)", [holder.pid]);
    while ((await holders()).length < 2) await pause(20);
    assert.equal(store.status().servingState, "serving");
    // The change waits until both have stopped.
    const changed = await start(renamed);
    t.after(() => changed.close());
    for (const former of [store, other])
      while (former.status().servingState !== "superseded") await pause(20);
    assert.equal((await holders()).length, 1);
  });
}

test("a role without the privilege for advisory locks uses table locks", async (t) => {
  const server = new URL(await postgresUrl());
  const name = `test_${process.pid}_${randomBytes(4).toString("hex")}`;
  const admin = new pg.Client({ connectionString: server.href });
  await admin.connect();
  const ends: (() => Promise<void>)[] = [
    () => admin.end(),
    async () => void (await admin.query(`DROP ROLE IF EXISTS ${name}, ${name}_other`)),
    async () => void (await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  ];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  // The functions belong to a database, so others keep them.
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.query(
    `CREATE ROLE ${name} LOGIN PASSWORD '${name}'; GRANT CREATE ON DATABASE ${name} TO ${name}`,
  );
  server.pathname = name;
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  ends.push(() => client.end());
  const { rows } = await client.query(
    "SELECT oid::regprocedure AS called FROM pg_proc WHERE proname ~ '^pg_(try_)?advisory_'",
  );
  assert.ok(rows.length > 10);
  for (const { called } of rows) await client.query(`REVOKE EXECUTE ON FUNCTION ${called} FROM PUBLIC`);
  server.username = name;
  server.password = name;
  server.searchParams.set("schema", "desk");
  for (let instances = 0; instances < 2; instances += 1) {
    const store = await openDocument(parcels, server.href);
    ends.push(() => store.close());
  }
  assert.equal((await client.query(lockHolders("desk", "serving"))).rowCount, 2);
  await assert.rejects(openSource(server.href), StoreInUse);
  await admin.query(`CREATE ROLE ${name}_other LOGIN PASSWORD '${name}'`);
  server.username = `${name}_other`;
  await assert.rejects(openDocument(parcels, server.href), (error: unknown) => {
    assert.ok(error instanceof StoreRefused);
    assert.match(error.message, /may not use the schema desk\.$/);
    return true;
  });
});
