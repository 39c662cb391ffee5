/** Slugs of equal titles: each gets the first free suffix. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Post

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| slug | string | unique, on create \`slug(this.title)\`, on update \`slug(this.title)\` |
| short | string | unique, on create \`slug(this.title)\` |`;

const endpoints = `### POST /posts

- Does: create Post
- Body: title
- Returns: 201 \`[this.slug, this.short]\`

### PATCH /posts/{id}

- Does: update Post
- Body: title
- Returns: 200 \`[this.slug, this.short]\`

### DELETE /posts/{id}

- Does: delete Post
- Returns: 204 nothing`;

test("equal titles get consecutive suffixes for each field, and a freed suffix is reused", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  const made = async (title: string) => (await served.send("POST", "/posts", { body: { title } })).json;
  const changed = async (id: number, title: string) =>
    (await served.send("PATCH", `/posts/${id}`, { body: { title } })).json;
  assert.deepEqual(await made("A title"), ["a-title", "a-title"]);
  for (let number = 2; number <= 24; number += 1)
    assert.deepEqual(await made("A title"), [`a-title-${number}`, `a-title-${number}`]);
  assert.deepEqual(await made("Another"), ["another", "another"]);
  // A record's own slug counts as free for it.
  assert.deepEqual(await changed(3, "A  title"), ["a-title-3", "a-title-3"]);
  assert.deepEqual(await changed(3, "Another"), ["another-2", "a-title-3"]);
  await served.send("DELETE", "/posts/2");
  assert.deepEqual(await made("A title"), ["a-title-2", "a-title-2"]);
});
