/** Migration planner: unit tests. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import type { Frame, Value } from "../expressions/value.ts";
import type { Field, Model, Resource } from "../model/model.ts";
import { StoreMismatch } from "./errors.ts";
import type { Store, Transaction } from "./store.ts";
import { statementOf, openTestStore, storePath } from "./test-files.ts";
import { expression, field, literalNode, model, resource, versionRenaming } from "./test-model.ts";

const frame = {} as Frame;

type Records = readonly [string, Record<string, Value>][];

/** A store of the first model with some records, opened again with the second one. */
async function reopened(
  t: TestContext,
  before: Model,
  records: Records,
  after: Model,
  losesData = false,
): Promise<Store> {
  const path = storePath(t);
  const first = await openTestStore(t, before, path);
  await first.write(async (transaction: Transaction) => {
    for (const [name, fields] of records) await transaction.insert(name, fields);
  });
  await first.close();
  return openTestStore(t, after, path, { losesData });
}

async function value(store: Store, sql: string): Promise<Value> {
  return store.session.value(statementOf(sql), frame);
}

const note = (fields: readonly Field[], changes: Partial<Resource> = {}): Model =>
  model([resource("Note", fields, changes)]);
const text = field("text", "string");
const oneNote: Records = [["Note", { id: "n1", text: "a" }]];

async function mismatch(
  t: TestContext,
  before: Model,
  records: Records,
  after: Model,
): Promise<StoreMismatch> {
  const path = storePath(t);
  const first = await openTestStore(t, before, path);
  await first.write(async (transaction) => {
    for (const [name, fields] of records) await transaction.insert(name, fields);
  });
  await first.close();
  let found: unknown;
  await openTestStore(t, after, path).catch((error: unknown) => {
    found = error;
  });
  assert.ok(found instanceof StoreMismatch, String(found));
  // Nothing was changed: the document that made the store still opens it, with all its records.
  const again = await openTestStore(t, before, path);
  assert.equal(
    await value(again, `SELECT count(*) FROM "Note"`),
    records.filter(([name]) => name === "Note").length,
  );
  return found;
}

test("new resources, fields and indexes are created; a literal default applies to existing records", async (t) => {
  const after = model([
    resource("Note", [
      text,
      field("kind", "string", {
        rules: [{ rule: "required" }, { rule: "default", value: expression(literalNode("plain")) }],
      }),
      field("tag", { kind: "reference", resource: "Tag" }),
      field("pinned", "boolean", { rules: [{ rule: "default", value: expression(literalNode(true)) }] }),
    ]),
    resource("Tag", []),
  ]);
  const store = await reopened(t, note([text]), oneNote, after);
  assert.equal(await value(store, `SELECT kind || pinned FROM "Note"`), "plain1");
  await store.write(async (transaction) => transaction.insert("Tag", { id: "t" }));
  await store.write(async (transaction) =>
    transaction.insert("Note", { id: "n2", text: "b", kind: "k", tag: "t" }),
  );
  await assert.rejects(
    store.write(async (transaction) => transaction.insert("Note", { id: "n3", tag: "nothing" })),
  );
});

test("a removed field with values needs a confirmation", async (t) => {
  const error = await mismatch(t, note([text]), oneNote, note([]));
  assert.deepEqual(error.losses, ['Note.text: its value in 1 Note: "a" (n1)']);
  assert.match(
    error.message,
    /^The data in .* doesn't fit this document\. Nothing was changed\.\nWould be lost:\n {2}- Note\.text/,
  );
  const store = await reopened(t, note([text]), oneNote, note([]), true);
  const { path } = JSON.parse(
    String(await value(store, `SELECT json_object('path', file) FROM pragma_database_list`)),
  );
  const copy = readdirSync(dirname(path)).find((name) => name.startsWith("store.db.before-"));
  const kept = new DatabaseSync(join(dirname(path), String(copy)));
  assert.equal(kept.prepare(`SELECT text FROM "Note"`).get()?.["text"], "a");
  kept.close();
  assert.equal(await value(store, `SELECT count(*) FROM pragma_table_info('Note') WHERE name = 'text'`), 0);
  assert.equal(await value(store, `SELECT count(*) FROM "Note"`), 1);
});

test("a field without values and a resource without records are removed without confirmation", async (t) => {
  const before = model([resource("Note", [text, field("empty", "string")]), resource("Tag", [])]);
  const store = await reopened(t, before, oneNote, note([text]));
  assert.equal(await value(store, `SELECT count(*) FROM sqlite_schema WHERE name = 'Tag'`), 0);
});

test("a removed resource with records needs a confirmation", async (t) => {
  const before = model([resource("Note", [text]), resource("Tag", [])]);
  const records: Records = [...oneNote, ["Tag", { id: "t1" }], ["Tag", { id: "t2" }]];
  assert.deepEqual((await mismatch(t, before, records, note([text]))).losses, [
    "Tag: the resource with 2 records of Tag",
  ]);
  await reopened(t, before, records, note([text]), true);
});

test("a renamed field keeps its values, its uniqueness and its references", async (t) => {
  const versioning = { versions: [], storedChanges: [versionRenaming("Note", "text", "words")] };
  const unique = { rules: [{ rule: "unique" as const }] };
  const after = { ...note([field("words", "string", unique)]), versioning };
  const store = await reopened(t, note([field("text", "string", unique)]), oneNote, after);
  assert.equal(await value(store, `SELECT words FROM "Note"`), "a");
  await assert.rejects(
    store.write(async (transaction) => transaction.insert("Note", { id: "n2", words: "a" })),
    /duplicate of Note: words/,
  );
});

test("all obstacles are reported at once, with counts", async (t) => {
  const before = note([text, field("kind", "string"), field("level", "string")]);
  const records: Records = [
    ["Note", { id: "n1", text: "a", kind: "x", level: "1" }],
    ["Note", { id: "n2", text: "a", kind: "y" }],
  ];
  const after = note([
    field("text", "string", { rules: [{ rule: "unique" }] }),
    field("kind", { kind: "enum", values: ["x"] }),
    field("level", "integer"),
    field("owner", "string", { rules: [{ rule: "required" }] }),
  ]);
  assert.deepEqual((await mismatch(t, before, records, after)).obstacles, [
    'Note.kind must now be one of x, and 1 Note has another value: "y" (n2)',
    'Note.level was string and is now integer, and 1 Note has a value: "1" (n1)',
    "Note.owner is new and required without a constant default, and 2 records of Note exist",
    'Note: text must now be unique, and 1 value repeats in 2 records: "a" (n1, n2)',
  ]);
});

test("a field that becomes required needs a value in every record", async (t) => {
  const required = note([field("text", "string", { rules: [{ rule: "required" }] })]);
  assert.equal((await mismatch(t, note([text]), [["Note", { id: "n1" }]], required)).obstacles.length, 1);
  await reopened(t, note([text]), oneNote, required);
});

test("looser rules and wider types convert existing values", async (t) => {
  const before = note([
    field("text", { kind: "enum", values: ["a"] }, { rules: [{ rule: "required" }, { rule: "unique" }] }),
    field("weight", "integer"),
  ]);
  const records: Records = [["Note", { id: "n1", text: "a", weight: 3 }]];
  const store = await reopened(t, before, records, note([text, field("weight", "number")]));
  assert.equal(await value(store, `SELECT typeof(weight) FROM "Note"`), "real");
  await store.write(async (transaction) => transaction.insert("Note", { id: "n2", text: "a", weight: 0.5 }));
});

test("a rewritten table keeps rows, revisions, references and used numbers", async (t) => {
  const before = model([
    resource("Note", [text]),
    resource("Tag", [field("note", { kind: "reference", resource: "Note" })]),
  ]);
  const path = storePath(t);
  const first = await openTestStore(t, before, path);
  await first.write(async (transaction) => {
    const n1 = await transaction.insert("Note", { id: "n1", text: "a" });
    await transaction.update("Note", n1, { text: "b" });
    await transaction.insert("Tag", { id: "t1", note: "n1" });
    await transaction.delete("Note", await transaction.insert("Note", { id: "n2", text: "c" }));
  });
  await first.close();
  const after = model([
    resource("Note", [field("text", "string", { rules: [{ rule: "any case" }, { rule: "unique" }] })], {
      deleted: "marked",
    }),
    resource("Tag", [field("note", { kind: "reference", resource: "Note" })]),
  ]);
  const store = await openTestStore(t, after, path);
  assert.equal(
    await value(store, `SELECT "#row" || ' ' || "#revision" || ' ' || "#deleted" || text FROM "Note"`),
    "1 2 0b",
  );
  assert.equal(
    (await store.write(async (transaction) => transaction.insert("Note", { id: "n3", text: "d" })))["#row"],
    3,
  );
  await assert.rejects(
    store.write(async (transaction) => transaction.insert("Note", { id: "n4", text: "B" })),
    /duplicate/,
  );
  await assert.rejects(
    store.write(async (transaction) => transaction.insert("Tag", { id: "t2", note: "x" })),
    /unknown reference/,
  );
});

test("a text that becomes a reference must be the key of a record", async (t) => {
  const before = model([resource("Note", [text]), resource("Tag", [])]);
  const after = model([
    resource("Note", [field("text", { kind: "reference", resource: "Tag" })]),
    resource("Tag", []),
  ]);
  assert.match(
    (await mismatch(t, before, oneNote, after)).message,
    /Note\.text is now a reference to Tag, and 1 Note has another value: "a" \(n1\)/,
  );
  await reopened(t, before, [["Tag", { id: "a" }], ...oneNote], after);
});

test("records marked as deleted don't reappear", async (t) => {
  const path = storePath(t);
  const first = await openTestStore(t, note([text], { deleted: "marked" }), path);
  await first.write(async (transaction) =>
    transaction.delete("Note", await transaction.insert("Note", { id: "n1" })),
  );
  await first.close();
  await assert.rejects(
    openTestStore(t, note([text]), path),
    /no longer keeps deleted records, and 1 Note would reappear/,
  );
});

test("objects get their current parts; removed parts need a confirmation, and parts never change their kind", async (t) => {
  const part = (name: string, kind: "string" | "integer") => ({ name, type: { kind }, rules: [] });
  const address = (...parts: ReturnType<typeof part>[]): Model =>
    note([field("address", { kind: "object", parts })]);
  const before = address(part("line", "string"), part("city", "string"));
  const records: Records = [["Note", { id: "n1", address: { city: "Oslo", line: "1" } }]];
  const wider = address(part("city", "string"), part("zip", "string"), part("line", "string"));
  const store = await reopened(t, before, records, wider);
  assert.equal(await value(store, `SELECT address FROM "Note"`), `{"city":"Oslo","zip":null,"line":"1"}`);
  const narrower = address(part("city", "string"));
  assert.deepEqual((await mismatch(t, before, records, narrower)).losses, [
    "Note.address: parts of it in 1 Note",
  ]);
  const confirmed = await reopened(t, before, records, narrower, true);
  assert.equal(await value(confirmed, `SELECT address FROM "Note"`), `{"city":"Oslo"}`);
  const partMismatch = await mismatch(
    t,
    before,
    records,
    address(part("city", "integer"), part("line", "string")),
  );
  assert.equal(partMismatch.obstacles.length, 1);
});

test("the element type of a list may widen", async (t) => {
  const tags = (...values: string[]): Model =>
    note([field("tags", { kind: "list", of: { kind: "enum", values } })]);
  const store = await reopened(t, tags("a"), [["Note", { id: "n1", tags: ["a"] }]], tags("a", "b"));
  assert.equal(await value(store, `SELECT tags FROM "Note"`), `["a"]`);
});
