/** Migration of keys: new identifiers, references and indexes of an existing store. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import type { Frame, Value } from "../expressions/value.ts";
import type { Field, Model } from "../model/model.ts";
import { StoreMismatch } from "./errors.ts";
import { Conflict, type Store } from "./store.ts";
import { statementOf, openTestStore, storePath } from "./test-files.ts";
import { field, model, resource, versionRenaming } from "./test-model.ts";

const frame = {} as Frame;

const to = (name: string) => ({ kind: "reference", resource: name }) as const;

const repo = resource("Repo", []);
const issue = resource(
  "Issue",
  [field("repo", to("Repo"), { role: "identifier" }), field("number", "integer", { role: "identifier" })],
  { identifier: { kind: "joint", fields: ["repo", "number"] } },
);
const comment = resource(
  "Comment",
  [field("issue", to("Issue"), { role: "identifier" }), field("number", "integer", { role: "identifier" })],
  { identifier: { kind: "joint", fields: ["issue", "number"] } },
);
const before = model([repo, issue]);
const noteWith = (...fields: readonly Field[]): Model =>
  model([repo, issue, comment, resource("Note", fields)]);

async function value(store: Store, sql: string): Promise<Value> {
  return store.session.value(statementOf(sql), frame);
}

async function insert(store: Store, name: string, fields: Readonly<Record<string, Value>>) {
  return store.write(async (transaction) => transaction.insert(name, fields));
}

/** A store with an issue, as it was made before records that several fields identify had keys. */
async function oldStore(t: TestContext, made: Model = before): Promise<string> {
  const path = storePath(t);
  const store = await openTestStore(t, made, path);
  await insert(store, "Repo", { id: "engine" });
  await insert(store, "Issue", { repo: "engine", number: 7 });
  await insert(store, "Issue", { repo: "engine", number: 8 });
  await store.close();
  const file = new DatabaseSync(path);
  file.exec(`DROP INDEX "Issue key"; ALTER TABLE "Issue" DROP COLUMN "#key"`);
  const kept = JSON.parse(
    String(file.prepare("SELECT value FROM ninefold_meta WHERE name = 'tables'").get()?.["value"]),
  );
  for (const table of kept.tables) delete table.key;
  file.prepare("UPDATE ninefold_meta SET value = ? WHERE name = 'tables'").run(JSON.stringify(kept));
  file.close();
  return path;
}

test("records of an older store get their keys, and a new field may refer to them", async (t) => {
  const path = await oldStore(t);
  const after = noteWith(field("issue", to("Issue")), field("also", { kind: "list", of: to("Issue") }));
  const store = await openTestStore(t, after, path);
  assert.equal(
    await value(store, `SELECT group_concat("#key", ' ') FROM "Issue"`),
    '["engine",7] ["engine",8]',
  );
  await insert(store, "Note", { id: "n", issue: '["engine",7]', also: ['["engine",8]'] });
  await assert.rejects(
    insert(store, "Note", { id: "m", issue: '["engine",9]' }),
    (error) => error instanceof Conflict && error.kind === "unknown reference" && error.fields[0] === "issue",
  );
  await insert(store, "Comment", { issue: '["engine",7]', number: 1 });
  assert.equal(await value(store, `SELECT "#key" FROM "Comment"`), '[["engine",7],1]');
});

test("a new field of an existing resource gets its index and its foreign key", async (t) => {
  const path = await oldStore(t, model([repo, issue, resource("Note", [])]));
  const store = await openTestStore(t, noteWith(field("issue", to("Issue"))), path);
  assert.equal(
    await value(store, `SELECT "table" || '.' || "to" FROM pragma_foreign_key_list('Note')`),
    "Issue.#key",
  );
  assert.equal(
    await value(store, `SELECT count(*) FROM pragma_index_list('Note') WHERE name = 'Note by issue'`),
    1,
  );
});

test("renaming an identifying field changes no reference", async (t) => {
  const path = storePath(t);
  const fields = field("issue", to("Issue"));
  const first = await openTestStore(t, noteWith(fields), path);
  await insert(first, "Repo", { id: "engine" });
  await insert(first, "Issue", { repo: "engine", number: 7 });
  await insert(first, "Note", { id: "n", issue: '["engine",7]' });
  await first.close();
  const renamed = resource(
    "Issue",
    [field("repo", to("Repo"), { role: "identifier" }), field("no", "integer", { role: "identifier" })],
    { identifier: { kind: "joint", fields: ["repo", "no"] } },
  );
  const after = model([repo, renamed, comment, resource("Note", [fields])], {
    versioning: { versions: [], storedChanges: [versionRenaming("Issue", "number", "no")] },
  });
  const store = await openTestStore(t, after, path);
  assert.equal(await value(store, `SELECT issue FROM "Note"`), '["engine",7]');
  await insert(store, "Issue", { repo: "engine", no: 8 });
  await insert(store, "Note", { id: "m", issue: '["engine",8]' });
});

/** The same, identified by the same fields in another order. */
const turned = resource("Issue", issue.fields, {
  identifier: { kind: "joint", fields: ["number", "repo"] },
});

test("records with other identifying fields get new keys if nothing refers to them", async (t) => {
  const path = storePath(t);
  const note = resource("Note", [field("also", { kind: "list", of: to("Issue") })]);
  const first = await openTestStore(t, model([repo, issue, note]), path);
  await insert(first, "Repo", { id: "engine" });
  await insert(first, "Issue", { repo: "engine", number: 7 });
  await insert(first, "Note", { id: "n", also: [] });
  await first.close();
  const store = await openTestStore(t, model([repo, turned, note]), path);
  assert.equal(await value(store, `SELECT "#key" FROM "Issue"`), '[7,"engine"]');
  await assert.rejects(
    insert(store, "Issue", { repo: "engine", number: 7 }),
    /duplicate of Issue: number, repo/,
  );
});

test("if a field or a list refers to such records, the change is rejected and nothing is changed", async (t) => {
  for (const [fields, given] of [
    [[field("issue", to("Issue"))], { issue: '["engine",7]' }],
    [[field("also", { kind: "list", of: to("Issue") } as const)], { also: ['["engine",7]'] }],
  ] as const) {
    const path = storePath(t);
    const note = resource("Note", fields);
    const first = await openTestStore(t, model([repo, issue, note]), path);
    await insert(first, "Repo", { id: "engine" });
    await insert(first, "Issue", { repo: "engine", number: 7 });
    await insert(first, "Note", { id: "n", ...given });
    await first.close();
    await assert.rejects(openTestStore(t, model([repo, turned, note]), path), (error) => {
      assert.ok(error instanceof StoreMismatch);
      assert.deepEqual(error.obstacles, [
        `Note.${Object.keys(given)[0]} refers to Issue, which now has another identifier, in 1 Note (n)`,
      ]);
      return true;
    });
    const single = resource("Issue", [...issue.fields, field("id", "string")], {
      identifier: { kind: "given", field: "id" },
    });
    await assert.rejects(openTestStore(t, model([repo, single, note]), path), StoreMismatch);
    const again = await openTestStore(t, model([repo, issue, note]), path);
    assert.equal(await value(again, `SELECT count(*) FROM "Note"`), 1);
  }
});

test("a resource that a single field identifies has no joint keys", async (t) => {
  const path = storePath(t);
  const first = await openTestStore(t, before, path);
  await insert(first, "Repo", { id: "engine" });
  await insert(first, "Issue", { repo: "engine", number: 7 });
  await first.close();
  const single = resource("Issue", issue.fields, { identifier: { kind: "given", field: "number" } });
  const store = await openTestStore(t, model([repo, single]), path);
  assert.equal(await value(store, `SELECT count(*) FROM pragma_table_xinfo('Issue') WHERE name = '#key'`), 0);
  await store.close();
  const back = await openTestStore(t, before, path);
  assert.equal(await value(back, `SELECT "#key" FROM "Issue"`), '["engine",7]');
});
