/**
 * Unusable stores: missing privileges, texts in another order, and settings of a user, a database
 * or a server.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import type { Frame } from "../../src/expressions/value.ts";
import { StoreRefused } from "../../src/store/errors.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { ownRole } from "./own-role.ts";

const notes = model([resource("Note", [field("text", "string")])]);
const frame = {} as Frame;

const document = join(import.meta.dirname, "../../examples/parcel-desk.md");

let numbered = 0;

/** Opens, writes and reads. */
async function used(path: string): Promise<void> {
  const store = await openPostgresStore(notes, meaningOf(notes), { path });
  try {
    numbered += 1;
    const id = `note ${numbered}`;
    await store.write(async (transaction) => transaction.insert("Note", { id, text: "\\n" }), {
      repeatable: true,
    });
    const text = await store.session.value(statementOf(`SELECT text FROM "Note" WHERE id = '${id}'`), frame);
    assert.equal(text, "\\n");
  } finally {
    await store.close();
  }
}

async function refused(path: string, reported: RegExp, hint: RegExp): Promise<void> {
  await assert.rejects(openPostgresStore(notes, meaningOf(notes), { path }), (error) => {
    assert.ok(error instanceof StoreRefused, String(error));
    assert.match(error.message, reported);
    assert.match(error.hint, hint);
    assert.ok(!error.message.includes("\n"), error.message);
    return true;
  });
}

test("a user who owns the schema needs no privilege to create others", async (t) => {
  const { client, name, path } = await ownRole(t);
  await client.query(`REVOKE CREATE ON DATABASE ${client.database} FROM ${name}`);
  await used(path);
  await used(path);
});

test("a user without access to the database gets an error that says so", async (t) => {
  const { client, name, path } = await ownRole(t);
  const database = `${name}_closed`;
  await client.query(`CREATE DATABASE ${database} TEMPLATE template0`);
  try {
    await client.query(`REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`);
    const closed = new URL(path);
    closed.pathname = `/${database}`;
    await refused(closed.href, /lacks a privilege/, /GRANT CONNECT/);
  } finally {
    await client.query(`DROP DATABASE ${database}`);
  }
});

const all = "SELECT, INSERT, UPDATE, DELETE";
/** For each privilege: how it is revoked, how it is granted again, and the error of a start in between. */
const taken: readonly (readonly [take: string, giveBack: string, reported: string])[] = [
  [
    "REVOKE CREATE ON SCHEMA {schema} FROM {user}",
    "GRANT CREATE ON SCHEMA {schema} TO {user}",
    "CREATE on the schema",
  ],
  [
    'REVOKE INSERT ON {schema}."Note" FROM {user}',
    'GRANT INSERT ON {schema}."Note" TO {user}',
    "INSERT on Note",
  ],
  [
    "REVOKE SELECT ON {schema}.ninefold_meta FROM {user}",
    "GRANT SELECT ON {schema}.ninefold_meta TO {user}",
    "SELECT on ninefold_meta",
  ],
  [
    "REVOKE ALL ON {schema}.ninefold_turn FROM {user}",
    "GRANT ALL ON {schema}.ninefold_turn TO {user}",
    `${all} on ninefold_turn`,
  ],
  [
    'REVOKE ALL ON SEQUENCE {schema}."Note_#row_seq" FROM {user}',
    'GRANT ALL ON SEQUENCE {schema}."Note_#row_seq" TO {user}',
    "USAGE, UPDATE on Note_#row_seq",
  ],
  [
    "ALTER FUNCTION {schema}.ninefold_lower(text) OWNER TO CURRENT_USER",
    "ALTER FUNCTION {schema}.ninefold_lower(text) OWNER TO {user}",
    "ownership of the function ninefold_lower",
  ],
  [
    'ALTER TABLE {schema}."Note" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
    'ALTER TABLE {schema}."Note" DISABLE ROW LEVEL SECURITY',
    "sight of all rows of Note, which row security hides",
  ],
];

test("a start reports which privilege its user lacks", async (t) => {
  const { client, name, schema, path } = await ownRole(t);
  await used(path);
  const done = (statement: string) =>
    client.query(statement.replace("{schema}", schema).replace("{user}", name));
  for (const [take, giveBack, reported] of taken) {
    await done(take);
    await refused(path, new RegExp(`lacks privileges: ${reported}\\.$`), /owner of the schema/);
    await done(giveBack);
  }
  await used(path);
});

test("some of many missing privileges are listed, and the command ends with exit code 3", async (t) => {
  const { client, name, schema, path } = await ownRole(t);
  await used(path);
  await client.query(`REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${name}`);
  await refused(path, /lacks privileges: [^;]+; [^;]+; [^;]+; and \d+ more\.$/, /owner of the schema/);
  const { code, complaints } = await runCommand("serve", document, "--store", path, "--port", "0");
  assert.equal(code, 3, complaints);
  assert.match(complaints, /lacks privileges: .* Make it the owner/);
});

test("tables of others in the schema are left alone", async (t) => {
  const { client, schema, path } = await ownRole(t);
  await used(path);
  await client.query(
    `CREATE TABLE ${schema}.report (text text); ALTER TABLE ${schema}."Note" ADD COLUMN mine text`,
  );
  await used(path);
});

test("a column with another collation is reported at the start", async (t) => {
  const { client, schema, path } = await ownRole(t);
  await used(path);
  for (const [table, column] of [
    ["Note", "text"],
    ["Note", "id"],
    ["ninefold_events", "id"],
  ]) {
    const ordered = (collation: string) =>
      client.query(
        `ALTER TABLE ${schema}."${table}" ALTER COLUMN ${column} TYPE text COLLATE "${collation}"`,
      );
    await ordered("default");
    const reported = new RegExp(`texts differently: ${table}\\.${column} \\("default"\\)\\.`);
    await refused(path, reported, /TYPE text COLLATE "C"/);
    await ordered("C");
  }
  await used(path);
});

test("settings of a user, a database or a server have no effect", async (t) => {
  const { client, name, path } = await ownRole(t);
  for (const [setting, value] of [
    ["standard_conforming_strings", "off"],
    ["backslash_quote", "off"],
    ["transform_null_equals", "on"],
    ["default_transaction_isolation", "serializable"],
    ["default_transaction_deferrable", "on"],
    ["DateStyle", "German"],
    ["IntervalStyle", "iso_8601"],
    ["TimeZone", "Asia/Kathmandu"],
    ["extra_float_digits", "-15"],
    ["bytea_output", "escape"],
    ["search_path", "pg_catalog"],
    ["quote_all_identifiers", "on"],
    ["client_min_messages", "debug5"],
  ] as const)
    await client.query(`ALTER ROLE ${name} SET ${setting} TO '${value}'`);
  await used(path);
  await used(path);
});

test("the text of a document is stored in the schema, for comparison with the next one", async (t) => {
  const { client, path } = await ownRole(t);
  const text = readFileSync(document, "utf8");
  const { model: parcels } = compile(text, { file: "parcel-desk.md" });
  assert.ok(parcels);
  await (await openPostgresStore(parcels, meaningOf(parcels), { path })).close();
  const same = await runCommand("check", document, "--from", path);
  assert.match(same.out, /notice no change\.\n$/, same.complaints);
  assert.ok(!same.out.includes(`:${new URL(path).password}@`), same.out);
  await client.query(
    `DELETE FROM ${new URL(path).searchParams.get("schema") ?? ""}.ninefold_meta WHERE name = 'text'`,
  );
  const none = await runCommand("check", document, "--from", path);
  assert.equal(none.code, 3);
  assert.match(none.complaints, /does not have the text of its document yet/);
});
