/** Record invariants: no request stores a record that violates an `Always`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Item

- Identifier: id, made by \`sequence()\`
- Always: \`this.size < 10\`
- Always: \`this.size > this.least\`

| Field | Type | Rules |
|---|---|---|
| size | integer | required |
| least | integer | default 0 |`;

const endpoints = `### POST /items

- Does: create Item
- Body: size
- Returns: 201 Item

### PATCH /items/{id}

- Does: update Item
- Body: size?, least?
- Returns: 200 Item

### DELETE /items/{id}

- Does: delete Item
- Returns: 204 nothing

### GET /items

- Does: list Item
- Returns: 200 list of Item`;

test("a request that would violate an invariant is an internal error, and nothing is stored", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  const request = async (method: string, path: string, body?: unknown) =>
    (await served.send(method, path, body === undefined ? {} : { body })).status;
  assert.deepEqual(
    [
      await request("POST", "/items", { size: 3 }),
      await request("POST", "/items", { size: 10 }),
      await request("POST", "/items", { size: 0 }),
      await request("PATCH", "/items/1", { least: 3 }),
      await request("PATCH", "/items/1", { size: 9, least: 8 }),
      await request("PATCH", "/items/1", { size: 10 }),
    ],
    [201, 500, 500, 500, 200, 500],
  );
  const { json } = await served.send("GET", "/items");
  assert.deepEqual(json, [{ id: 1, size: 9, least: 8 }]);
  assert.equal(await request("DELETE", "/items/1"), 204);
});
