/**
 * Lists: the orders, filters and shapes that a request selects, and in which lists each cursor is
 * valid.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Item

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| rank | integer | |`;

const endpoints = `### POST /items

- Does: create Item
- Body: name, rank
- Returns: 201 Item

### GET /items

- Does: list Item
- Query: rank? range, name?
- Order: rank by query.direction, else descending, name when \`query.by == "rank"\`
- Order: name descending when \`query.by == "name"\`
- Pagination: cursor (size: limit, after: after)
- Header: X-Next: \`page.next\`
- Returns: 200 list of Card when \`query.card == true\`
- Returns: 200 list of Item

| Input | In | Type | Where |
|---|---|---|---|
| by | query | string | |
| direction | query | string | |
| card | query | boolean | |
| short | query | boolean | \`this.name.size() < 2\` |

### Shape: Card of Item

\`\`\`cel
{"card": this.name}
\`\`\``;

const errors = `- Payload shape:

\`\`\`cel
{"fields": error.problems.map(p, p.field)}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| invalid | 422 | invalid field | |`;

async function items(t: TestContext) {
  const served = await serveDocument(smallDocument({ resources, endpoints, errors }));
  t.after(() => served.close());
  for (const [name, rank] of [
    ["b", 1],
    ["a", 2],
    ["d", 2],
    ["cc", 3],
  ] as const)
    await served.send("POST", "/items", { body: { name, rank } });
  return async (query: string) => {
    const { status, json, headers } = await served.send("GET", `/items?${query}`);
    const next = headers.find(([name]) => name === "X-Next")?.[1];
    if (status !== 200) return { reported: json.fields as string[], next: "" };
    const shown = (row: Record<string, string>) => row["name"] ?? `card ${row["card"]}`;
    return { reported: json.map(shown).join(" "), next };
  };
}

test("a request selects an order and its directions", async (t) => {
  const request = await items(t);
  for (const [query, reported] of [
    ["", "b a d cc"],
    ["by=name", "d cc b a"],
    ["by=rank", "cc a d b"],
    ["by=rank&direction=", "cc a d b"],
    ["by=rank&direction=asc", "b a d cc"],
    ["by=rank&direction=DESC", "cc a d b"],
    ["by=other&direction=desc", "b a d cc"],
  ] as const)
    assert.equal((await request(query)).reported, reported, query);
});

test("an invalid direction is rejected", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints, errors }));
  t.after(() => served.close());
  for (const word of ["b", "down", "1", "-"]) {
    const { status } = await served.send("GET", `/items?by=rank&direction=${word}`);
    assert.equal(status, 422, word);
  }
});

test("each filter that is sent applies, alone and with others", async (t) => {
  const request = await items(t);
  for (const [query, reported] of [
    ["rank=2", "a d"],
    ["rank[gt]=2", "cc"],
    ["rank[gte]=2", "a d cc"],
    ["rank[lt]=2", "b"],
    ["rank[lte]=2", "b a d"],
    ["rank[gt]=1&rank[lt]=3", "a d"],
    ["rank[gt]=1&name=d", "d"],
    ["short=true&rank[gte]=2", "a d"],
    ["short=false", "b a d"],
    ["rank=2&rank[gt]=2", ""],
  ] as const)
    assert.equal((await request(query)).reported, reported, query);
});

test("a list caches each of its shapes separately", async (t) => {
  const request = await items(t);
  const shapes = async () => {
    const { reported: card } = await request("card=true&limit=1");
    return [card, (await request("limit=1")).reported];
  };
  assert.deepEqual(
    [await shapes(), await shapes()],
    [
      ["card b", "b"],
      ["card b", "b"],
    ],
  );
});

test("a cursor is valid for its own order only, and is reported with other invalid inputs only if it is malformed", async (t) => {
  const request = await items(t);
  const queries = ["", "by=name&", "by=rank&", "by=rank&direction=asc&"];
  for (const query of queries) {
    const { next } = await request(`${query}limit=2`);
    for (const other of queries) {
      const { reported } = await request(`${other}limit=2&after=${next}`);
      assert.equal(Array.isArray(reported), other !== query, `${query} in ${other}: ${reported}`);
    }
    assert.deepEqual((await request(`${query}limit=x&after=${next}`)).reported, ["limit"]);
    assert.deepEqual((await request(`${query}card=x&after=${next}`)).reported, ["card"]);
  }
  // Without a valid filter, the expected records of the cursor are unknown.
  const { next } = await request("short=true&limit=1");
  assert.deepEqual((await request(`short=x&after=${next}`)).reported, ["short"]);
  assert.deepEqual((await request("limit=x&after=none")).reported, ["limit", "after"]);
});
