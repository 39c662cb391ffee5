/**
 * Databases that can't hold a store, each reported in one line with what to do about it; and one
 * that stops and returns during use.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { StoreRefused } from "../../src/store/errors.ts";
import type { PostgresConnection } from "../../src/store/postgres/connection/connection.ts";
import { addressOf } from "../../src/store/postgres/connection/address.ts";
import { reportedSettings } from "../../src/store/postgres/connection/settings.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { instanceHere } from "../histories/instances.ts";
import { PostgresProxy } from "./proxy.ts";
import { freshSchema, type Schema } from "./server.ts";

const notes = model([resource("Note", [field("text", "string")])]);

let schema: Schema;
/** A user without privileges, and a database whose encoding can't represent every text. */
let name: string;
before(async () => {
  schema = await freshSchema();
  name = schema.name.replace("test", "refused");
  const client = await schema.connect();
  await client.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
  await client.query(
    `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
  );
});
after(async () => {
  const client = await schema.connect();
  await client.query(`DROP DATABASE ${name}`);
  await client.query(`DROP ROLE ${name}`);
  await schema.drop();
});

/** The server's address with changes. */
function at(changes: { user?: string; database?: string; schema?: string; host?: string }): string {
  const url = new URL(schema.url);
  if (changes.user !== undefined) [url.username, url.password] = [changes.user, changes.user];
  if (changes.database !== undefined) url.pathname = `/${changes.database}`;
  if (changes.host !== undefined) url.host = changes.host;
  url.searchParams.set("schema", changes.schema ?? schema.name);
  return url.href;
}

const refused: readonly (readonly [what: string, path: () => string, reported: RegExp, hint: RegExp])[] = [
  ["no server", () => at({ host: "127.0.0.1:1" }), /No PostgreSQL answers .*ECONNREFUSED/, /Start it/],
  ["no such database", () => at({ database: `no_${name}` }), /no such database/, /createdb/],
  [
    "a user who may make no schema",
    () => at({ user: name, schema: `${name}_own` }),
    /lacks a privilege/,
    /GRANT CREATE/,
  ],
  [
    "a schema of somebody else's",
    () => at({ user: name }),
    /lacks privileges: USAGE, CREATE on the schema\./,
    /the owner of the schema/,
  ],
  [
    "an encoding that can't hold every text",
    () => at({ database: name }),
    /encoding LATIN1/,
    /ENCODING 'UTF8'/,
  ],
  ["no address", () => "postgres://[", /Cannot read the address/, /postgres:\/\/user@host/],
];

for (const [what, path, reported, hint] of refused)
  test(`rejected in one line: ${what}`, async () => {
    await assert.rejects(openPostgresStore(notes, meaningOf(notes), { path: path() }), (error) => {
      assert.ok(error instanceof StoreRefused, String(error));
      assert.match(error.message, reported);
      assert.match(error.hint, hint);
      assert.ok(!error.message.includes("\n"), error.message);
      assert.ok(!error.message.includes(`:${name}@`), "a password is shown");
      return true;
    });
  });

test("rejected in one line: a server that is too old", async () => {
  const old = { go: async () => [[13, "UTF8", "on", "on", "on"]] } as unknown as PostgresConnection;
  await assert.rejects(
    reportedSettings(old, addressOf("postgres://db/desk")),
    (error) => error instanceof StoreRefused && /runs PostgreSQL 13; 14 or newer/.test(error.message),
  );
});

test("during a database outage requests get 503, and the service recovers afterwards", async () => {
  const own = await freshSchema();
  const proxy = await PostgresProxy.start(own.url);
  const instance = await instanceHere(proxy.url);
  const read = () => instance.request({ method: "GET", path: "/cells/c1", key: "read" });
  const write = (key: string) =>
    instance.request({ method: "POST", path: "/cells/c1/append", key, body: { item: 1, op: key } });
  assert.equal((await write("before"))?.status, 200);
  proxy.leave();
  assert.deepEqual([(await write("away"))?.status, (await read())?.status], [503, 503]);
  proxy.comeBack();
  assert.equal((await write("away"))?.status, 200);
  assert.deepEqual((await read())?.body, { id: "c1", value: 0, items: [1, 1], op: "away" });
  await instance.close();
  await proxy.close();
  await own.drop();
});

test("a change that violates a rule gets the document's error, also if it was pipelined", async () => {
  const own = await freshSchema();
  const instance = await instanceHere(own.url);
  const make = (op: string) =>
    instance.request({ method: "POST", path: "/tickets", key: op, body: { name: "red", op } });
  assert.deepEqual([(await make("one"))?.status, (await make("two"))?.status], [201, 409]);
  await instance.close();
  await own.drop();
});
