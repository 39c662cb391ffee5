/** Stored changes of resources whose deleted records stay in the store (`Deleted: marked`). */
import assert from "node:assert/strict";
import { StoreMismatch } from "../../src/store/index.ts";
import { documentOf, made, open, resource } from "./desk.ts";
import { change, kept, refused, rowsOf, type Stored, testOnEach } from "./support.ts";

/** The resource with `Deleted: marked`. */
function marked(text: string): string {
  return text.replace("\n\n| Field", "\n- Deleted: marked\n\n| Field");
}

/** Creates a store in which the first of the records are deleted; returns its path. */
async function keptDeleted(document: string, deleted: Stored, stored: Stored): Promise<string> {
  const path = await kept(document, []);
  const store = await open(document, path);
  await store.write(async (transaction) => {
    for (const [name, fields] of deleted)
      await transaction.delete(name, await transaction.insert(name, fields));
    for (const [name, fields] of stored) await transaction.insert(name, fields);
  });
  await store.close();
  return path;
}

async function refusedAt(path: string, document: string): Promise<string> {
  const error: unknown = await open(document, path).then(
    (store) => store.close(),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StoreMismatch, String(error));
  return error.message;
}

const cats = marked(made("Cat", "name | string | unique", "seen | integer |"));
const before = documentOf(cats + resource("Visit", "cat | string |"));
const visits: Stored = [["Visit", { id: "v", cat: "light" }]];
const first = "11111111-1111-4111-8111-111111111111";
const second = "22222222-2222-4222-8222-222222222222";

function upserting(given: string, ...items: readonly string[]): string {
  return documentOf(
    cats + resource("Visit", "cat | Cat |"),
    change("cats", `For each Visit: \`upsert Cat with ${given} as c; cat = c\``, ...items),
  );
}

testOnEach("an upsert doesn't find a record that is marked as deleted", async () => {
  const gone: Stored = [["Cat", { id: first, name: "light", seen: null }]];
  const path = await keptDeleted(before, gone, visits);
  assert.match(
    await refusedAt(path, upserting("name = old.cat, seen = 5")),
    /Cat: name must be unique, and 1 value would repeat in 2 records: "light" \(1[-1-8]+ \(deleted\), [-0-9a-f]+\)/,
  );
  assert.match(
    await refusedAt(path, upserting(`id = "${first}", name = "other", seen = 5`)),
    /Cat: id must be unique, and 1 value would repeat in 2 records: "1[-1-8]+" \(1[-1-8]+ \(deleted\), 1[-1-8]+\)/,
  );
  assert.deepEqual(await rowsOf(path, "SELECT name, seen FROM Cat"), [["light", null]]);
});

testOnEach("an upsert doesn't find a record that the same step deletes", async () => {
  const stored: Stored = [["Cat", { id: first, name: "light", seen: null }], ...visits];
  const then = upserting("name = old.cat, seen = 5", "For each Cat: `delete Cat where this == old`");
  const { message } = await refused(before, stored, then);
  assert.match(message, /Cat: name must be unique, and .* "light" \(1[-1-8]+ \(deleted\), [-0-9a-f]+\)/);
});

testOnEach("an upsert finds the record that isn't deleted among others", async () => {
  const gone: Stored = [["Cat", { id: first, name: "dark", seen: null }]];
  const path = await keptDeleted(before, gone, [["Cat", { id: second, name: "light", seen: 1 }], ...visits]);
  await (await open(upserting("name = old.cat, seen = 5"), path)).close();
  assert.deepEqual(await rowsOf(path, "SELECT name, seen FROM Cat ORDER BY id"), [
    ["dark", null],
    ["light", 5],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT cat FROM Visit"), [[second]]);
});
