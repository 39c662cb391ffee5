/**
 * Lists over HTTP on PostgreSQL equal those of SQLite: whole without pages, and by pages also when
 * a condition needs a post-filter.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { engineDefaults } from "../../src/engine/defaults.ts";
import { createLocalTarget, type LocalTarget } from "../../src/scenarios/local-target.ts";
import { quiet } from "../contracts/serve-document.ts";
import { libraryModel } from "../documents/library.ts";
import { freshSchema, type Schema } from "./server.ts";

/** More records than a default page and a slice of the post-filter. */
const recordsThere = 1_100;

const model = libraryModel({
  resources: `### Book

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |`,
  endpoints: `### GET /books

- Does: list Book
- Allowed: anyone
- Pagination: none
- Returns: 200 list of Book

### GET /books/ids

- Does: list Book
- Allowed: anyone
- Pagination: cursor (size: size, after: after)
- Returns: 200 \`{"ids": page.items.map(b, b.id), "next": page.next}\`

### GET /books/slugs

- Does: list Book
- Allowed: anyone
- Where: \`slug(this.title).split("-")[1] == "ax"\`
- Order: title, id
- Pagination: cursor (size: size, after: after)
- Returns: 200 \`{"books": page.items, "total": page.total, "next": page.next}\``,
  states: "- States: none\n- Transitions: none",
  authentication: "- Scheme: none",
});

let schema: Schema;
let both: readonly LocalTarget[];

before(async () => {
  schema = await freshSchema();
  both = await Promise.all([
    createLocalTarget(model, quiet),
    createLocalTarget(model, quiet, undefined, { path: schema.url }),
  ]);
  for (const { service } of both)
    await service.internals.context.store.write(
      async (transaction) => {
        for (let id = 1; id <= recordsThere; id += 1)
          await transaction.insert("Book", { id, title: `Book ${"áßç"[id % 3]}x no ${id % 7}` });
      },
      { repeatable: true },
    );
});

after(async () => {
  await Promise.all(both.map((target) => target.close()));
  await schema.drop();
});

async function request(target: LocalTarget, path: string) {
  const answer = await target.send({ method: "GET", target: path, headers: [] });
  assert.equal(answer.status, 200, answer.body);
  return JSON.parse(answer.body);
}

test("a list without pages is complete", async () => {
  for (const target of both) assert.equal((await request(target, "/books")).length, recordsThere);
});

test("the longest allowed page is complete, and links to the next one", async () => {
  const { pageSizeMax } = engineDefaults;
  for (const target of both) {
    const { ids, next } = await request(target, `/books/ids?size=${pageSizeMax}`);
    const more = await request(target, `/books/ids?size=${pageSizeMax}&after=${encodeURIComponent(next)}`);
    assert.equal(new Set([...ids, ...more.ids]).size, 2 * pageSizeMax);
    assert.notEqual(more.next, null);
  }
});

test("pages with a post-filter on PostgreSQL have their records, their total and the link to the next", async () => {
  const [inSqlite, inPostgres] = both.map((target) => async () => {
    const pages = [];
    for (let next = "/books/slugs?size=100"; ; ) {
      const { books, total, next: cursor } = await request(target, next);
      pages.push({ books, total });
      if (cursor === null) return pages;
      next = `/books/slugs?size=100&after=${encodeURIComponent(cursor)}`;
    }
  }) as [() => Promise<unknown[]>, () => Promise<unknown[]>];
  const expected = await inSqlite();
  assert.ok(expected.length > 3);
  assert.deepEqual(await inPostgres(), expected);
});
