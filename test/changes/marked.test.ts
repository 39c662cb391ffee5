/** Stored changes of resources whose deleted records stay in the store (`Deleted: marked`). */
import assert from "node:assert/strict";
import { StoreMismatch } from "../../src/store/index.ts";
import { documentOf, made, open, resource } from "./desk.ts";
import { change, kept, refused, rowsOf, type Stored, testOnEach } from "./support.ts";

/** The resource with `Deleted: marked`. */
function marked(text: string): string {
  return text.replace("\n\n| Field", "\n- Deleted: marked\n\n| Field");
}

/** Creates a store with these records, and deletes that of the identifier; returns its path. */
async function keptDeleted(document: string, stored: Stored, deleted: string): Promise<string> {
  const path = await kept(document, []);
  const store = await open(document, path);
  await store.write(async (transaction) => {
    for (const [name, fields] of stored) {
      const record = await transaction.insert(name, fields);
      if (fields["id"] === deleted) await transaction.delete(name, record);
    }
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
  const stored: Stored = [["Cat", { id: first, name: "light", seen: null }], ...visits];
  const path = await keptDeleted(before, stored, first);
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
  const stored: Stored = [
    ["Cat", { id: first, name: "dark", seen: null }],
    ["Cat", { id: second, name: "light", seen: 1 }],
    ...visits,
  ];
  const path = await keptDeleted(before, stored, first);
  await (await open(upserting("name = old.cat, seen = 5"), path)).close();
  assert.deepEqual(await rowsOf(path, "SELECT name, seen FROM Cat ORDER BY id"), [
    ["dark", null],
    ["light", 5],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT cat FROM Visit"), [[second]]);
});

const users = marked(resource("User", "email | string |"));
const posts: Stored = [
  ["User", { id: "u1", email: "x" }],
  ["User", { id: "u2", email: "y" }],
  ["Post", { id: "p1", author: "u1" }],
  ["Post", { id: "p2", author: "u2" }],
];
const deletes = 'For each User: `delete User where this == old when old.email == "x"`';

function postsOf(rule: string, post = (text: string) => text): string {
  return documentOf(users + post(resource("Post", `author | User | ${rule}`)));
}

for (const rule of ["restrict", "cascade", "clear"])
  testOnEach(`a step can't mark a record to which \`on delete ${rule}\` refers`, async () => {
    const document = postsOf(`nullable, on delete ${rule}`);
    const of = new RegExp(
      `Post p1: author refers to a User that the step deletes \\("u1"\\), and has .on delete ${rule}.$`,
      "m",
    );
    const { message, path } = await refused(document, posts, document + change("gone", deletes));
    assert.match(message, of);
    assert.doesNotMatch(message, /p2/);
    assert.deepEqual(await rowsOf(path, `SELECT id FROM User WHERE "#deleted" = TRUE`), []);
    const clears = 'For each Post: `author = null when old.author.email == "x"`';
    await (await open(document + change("gone", deletes, clears), path)).close();
    assert.deepEqual(await rowsOf(path, `SELECT id FROM User WHERE "#deleted" = TRUE`), [["u1"]]);
    // Part 2 states the rule for the references that the step meets.
    const unstated = await refused(
      postsOf("nullable"),
      posts,
      postsOf(`nullable, on delete ${rule}`) + change("gone", deletes),
    );
    assert.match(unstated.message, of);
  });

testOnEach("a step can't mark a record to which a list refers with `on delete`", async () => {
  const inside = resource("Post", "authors | list of User | on delete clear");
  const document = documentOf(users + inside);
  const stored: Stored = [...posts.slice(0, 2), ["Post", { id: "p1", authors: ["u2", "u1"] }]];
  const { message } = await refused(document, stored, document + change("gone", deletes));
  assert.match(message, /Post p1: authors refers to a User that the step deletes \("u1"\)/);
});

testOnEach("references without a rule, and those of deleted records, stay", async () => {
  const document = postsOf("");
  const path = await kept(document, posts);
  await (await open(document + change("gone", deletes), path)).close();
  assert.deepEqual(await rowsOf(path, "SELECT id, author FROM Post ORDER BY id"), [
    ["p1", "u1"],
    ["p2", "u2"],
  ]);
  const both = postsOf("on delete restrict", marked);
  const chain = await kept(both, posts);
  const deletesPosts = 'For each Post: `delete Post where this == old when old.author.email == "x"`';
  await (await open(both + change("gone", deletes, deletesPosts), chain)).close();
  assert.deepEqual(await rowsOf(chain, `SELECT id FROM Post WHERE "#deleted" = TRUE`), [["p1"]]);
  const cascade = postsOf("on delete cascade", marked);
  const already = await keptDeleted(cascade, posts, "p1");
  await (await open(cascade + change("gone", deletes), already)).close();
  assert.deepEqual(await rowsOf(already, `SELECT id FROM User WHERE "#deleted" = TRUE`), [["u1"]]);
});

testOnEach("a step can't delete a record while a cascade would mark another", async () => {
  const document = documentOf(
    resource("User", "email | string |") + marked(resource("Post", "author | User | on delete cascade")),
  );
  const { message } = await refused(document, posts, document + change("gone", deletes));
  assert.match(message, /Post p1: author would refer to a User that doesn't exist \("u1"\)/);
  const path = await keptDeleted(document, posts, "p1");
  await (await open(document + change("gone", deletes), path)).close();
  assert.deepEqual(await rowsOf(path, "SELECT id, author FROM Post ORDER BY id"), [
    ["p1", "u1"],
    ["p2", "u2"],
  ]);
});
