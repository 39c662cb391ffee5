/**
 * Names of page parameters: a page's parameters may be written like any input, `page.offset` as
 * `page[offset]`. Each occurs once in the URL of the next page.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

test("a dotted page parameter is read in brackets, in a query and in a body", async (t) => {
  const served = await serveDocument(
    smallDocument({
      endpoints: `- Unknown fields: rejected

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note

### GET /notes

- Does: list Note
- Pagination: offset (offset: page.offset, size: page.limit)
- Returns: 200 \`{"ids": page.items.map(n, n.id), "next": page.next_uri}\`

### POST /search

- Does: list Note
- Pagination: offset (offset: page.offset, size: page.limit)
- Accepts: application/json, application/x-www-form-urlencoded
- Returns: 200 \`{"ids": page.items.map(n, n.id)}\``,
    }),
  );
  t.after(() => served.close());
  for (const text of ["a", "b", "c", "d", "e"]) await served.send("POST", "/notes", { body: { text } });
  const list = async (query: string) => {
    const answer = await served.send("GET", `/notes?${query}`);
    return answer.status === 200 ? answer.json : answer.status;
  };
  for (const query of [
    "page[offset]=1&page[limit]=2",
    "page.offset=1&page.limit=2",
    "page[offset]=1&page.limit=2",
  ])
    assert.deepEqual(await list(query), { ids: [2, 3], next: nextOf(query) }, query);
  assert.equal(await list("page[offset]=x"), 422);
  assert.equal(await list("page[other]=1"), 422);
  const search = async (body: unknown, type = "application/json") => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return (await served.send("POST", "/search", { body: text, headers: { "Content-Type": type } })).json.ids;
  };
  assert.deepEqual(await search({ page: { offset: 3, limit: 1 } }), [4]);
  const form = "application/x-www-form-urlencoded";
  assert.deepEqual(await search("page[offset]=3&page.limit=1", form), [4]);
});

/** Returns the next page's query. Parameters other than the page's stay unchanged. */
function nextOf(query: string): string {
  const kept = query.split("&").filter((pair) => !pair.includes("offset"));
  return `/notes?${[...kept, "page.offset=3"].join("&")}`;
}

test("an input's name may start like a page parameter", async (t) => {
  const served = await serveDocument(
    smallDocument({
      endpoints: `- Unknown fields: rejected

### GET /notes

- Does: list Note
- Pagination: offset (offset: page.offset, size: page.limit)
- Returns: 200 \`[query.page.sort]\`

| Input | In | Type |
|---|---|---|
| page.sort | query | string |`,
    }),
  );
  t.after(() => served.close());
  const list = async (query: string) => {
    const answer = await served.send("GET", `/notes?${query}`);
    return answer.status === 200 ? answer.json : answer.status;
  };
  for (const query of ["page[sort]=a&page[limit]=2", "page.sort=a&page.limit=2", "page[sort]=a&page.limit=2"])
    assert.deepEqual(await list(query), ["a"], query);
  assert.deepEqual(await list("page[limit]=2"), [null]);
  assert.equal(await list("page[sort]=a&page[other]=1"), 422);
  assert.equal(await list("page[sort]=a&page[limit]=x"), 422);
});
