/** Removed endpoints: an older version keeps them if the document describes their responses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument, standing, twoVersions } from "../contracts/serve-document.ts";

const endpoints = `${standing.endpoints}

### GET /texts/{id}.txt

- Does: read Note
- Returns: 200 \`{"text": this.text}\``;
const versioning = twoVersions(`- Endpoint removed: GET /texts/{id}.txt
- Endpoint removed: GET /pages/{id}.txt`);

test("a described endpoint is served, and a removed one answers 501 as not shown", async (t) => {
  const served = await serveDocument(smallDocument({ endpoints, versioning }));
  t.after(() => served.close());
  assert.equal((await served.send("POST", "/v1/notes", { body: { text: "a" } })).status, 201);
  const statusOf = async (path: string) => (await served.send("GET", path)).status;
  assert.equal(await statusOf("/v1/texts/1.txt"), 200);
  assert.equal(await statusOf("/v2/texts/1.txt"), 404);
  assert.equal(await statusOf("/v1/pages/1.txt"), 501);
  assert.equal(await statusOf("/v2/pages/1.txt"), 404);
  // No such record ever existed.
  assert.equal(await statusOf("/v1/texts/1"), 404);
});
