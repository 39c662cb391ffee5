/** Quotas: which changes a quota rejects, and which ones it does not affect. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Box

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |

### Item

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| box | Box | nullable |
| live | boolean | default true |
| note | string | |`;

const endpoints = `### POST /boxes

- Does: create Box
- Body: name
- Returns: 201 Box

### POST /items

- Does: create Item
- Body: box, live?
- Returns: 201 Item

### PATCH /items/{id}

- Does: update Item
- Body: box?, live?, note?
- Returns: 200 Item

### DELETE /items/{id}

- Does: delete Item
- Returns: 204 nothing`;

const errors = `- Payload shape:

\`\`\`cel
error.message
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| full | 409 | quota exceeded | {error.limit} of {error.resource}: {error.problem} |`;

const limits = `| Limit | Bound | Applies to |
|---|---|---|
| stored | 2 Item per Box where \`this.live\` | |
| stored all | 7 Item | |
| stored boxes | 2 Box | |
| stored none | 0 Item per Box where \`this.note == "never"\` | |`;

test("a quota counts the matching records of one owner, and is checked when a record starts to match", async (t) => {
  const served = await serveDocument(
    smallDocument({ resources, endpoints, errors, limits: `${limits}\n\n- Time-outs: none` }),
  );
  t.after(() => served.close());
  const request = async (method: string, path: string, body?: unknown) => {
    const { status, body: reported } = await served.send(method, path, body === undefined ? {} : { body });
    return status === 409 ? JSON.parse(reported) : status;
  };
  const item = (box: string | null, live?: boolean) => request("POST", "/items", { box, live });
  const change = (id: number, changes: unknown) => request("PATCH", `/items/${id}`, changes);
  const ofBox = "2 of item: may not exceed 2 Item for each box";
  for (const name of ["a", "b"]) assert.equal(await request("POST", "/boxes", { name }), 201);
  assert.equal(await request("POST", "/boxes", { name: "c" }), "2 of box: may not exceed 2 Box");
  assert.deepEqual([await item("a"), await item("a"), await item("a")], [201, 201, ofBox]);
  // The quota does not reject records that don't match, belong to another owner, or have none.
  assert.deepEqual(
    [await item("a", false), await item("b"), await item(null), await item(null)],
    [201, 201, 201, 201],
  );
  assert.equal(await change(3, { note: "still none that counts" }), 200);
  assert.equal(await change(3, { live: true }), ofBox);
  assert.equal(await change(4, { box: "a" }), ofBox);
  assert.equal(await change(4, { note: "its own place" }), 200);
  assert.equal(await change(1, { note: "one of two" }), 200);
  assert.equal(await change(1, { box: "b" }), 200);
  assert.equal(await change(3, { live: true }), 200);
  assert.equal(await change(1, { box: "a" }), ofBox);
  assert.equal(await change(1, { box: null }), 200);
  assert.deepEqual([await item(null), await item(null)], [201, "7 of item: may not exceed 7 Item"]);
  assert.equal(await change(1, { note: "counted all along" }), 200);
  // A quota per box that allows no record does not affect records without a box.
  assert.equal(await change(2, { note: "never" }), "0 of item: may not exceed 0 Item for each box");
  assert.equal(await change(5, { note: "never" }), 200);
  assert.equal(await request("DELETE", "/items/1"), 204);
  assert.equal(await item(null), 201);
});
