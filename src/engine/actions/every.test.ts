/** Bulk actions on records that affect each other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument, bareErrors } from "../../../test/contracts/serve-document.ts";

const resources = `### Node

- Identifier: id, made by \`sequence()\`
- Fails: too_much when \`this.size > 9\`

| Field | Type | Rules |
|---|---|---|
| above | Node | nullable, on delete cascade |
| size | integer | required |
| before | integer | |`;

const endpoints = `### POST /nodes

- Does: create Node
- Body: above?, size
- Returns: 201 Node

### GET /nodes

- Does: list Node
- Returns: 200 list of Node

### PATCH /nodes

- Does: update every Node
- Query: size? range, above?
- Let: more = \`body.by * 2\`
- Set: \`size = this.size + more; before = old.size when body.keep == true\`
- Fails: small when \`this.size < 0\`
- Fails: none_given when \`body.by == 0\`
- Returns: 204 nothing

| Input | In | Type | Rules |
|---|---|---|---|
| by | body | integer | required |
| keep | body | boolean | |

### DELETE /nodes

- Does: delete every Node
- Query: size? range
- Returns: 204 nothing`;

const events = `| Event | When | Payload |
|---|---|---|
| node.gone | Node deleted | \`{"id": this.id}\` |

- Webhooks: none
- Notifications: none`;

const errors = bareErrors(`| too_much | 422 | | |
| small | 409 | | |
| none_given | 400 | | |`);

test("each record is changed in its current state, and either all change or none", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints, events, errors }));
  t.after(() => served.close());
  const request = async (method: string, path: string, body?: unknown) => {
    const { status, body: reported } = await served.send(method, path, body === undefined ? {} : { body });
    return status < 300 ? status : JSON.parse(reported);
  };
  const kept = async () =>
    (await served.send("GET", "/nodes")).json.map((item: { size: number; before: number }) => [
      item.size,
      item.before,
    ]);
  for (const [above, size] of [
    [null, 1],
    [1, 2],
    [2, 3],
  ] as const)
    await request("POST", "/nodes", { above, size });
  assert.equal(await request("PATCH", "/nodes", { by: 1, keep: true }), 204);
  assert.deepEqual(await kept(), [
    [3, 1],
    [4, 2],
    [5, 3],
  ]);
  assert.equal(await request("PATCH", "/nodes?size[gt]=3", { by: 1 }), 204);
  assert.equal(await request("PATCH", "/nodes?size[gt]=3&above=2", { by: 1 }), 204);
  assert.deepEqual(await kept(), [
    [3, 1],
    [6, 2],
    [9, 3],
  ]);
  // If the change of one record is rejected, no record changes.
  assert.equal(await request("PATCH", "/nodes", { by: 2 }), "too_much");
  assert.equal(await request("PATCH", "/nodes", { by: -2 }), "small");
  assert.deepEqual(await kept(), [
    [3, 1],
    [6, 2],
    [9, 3],
  ]);
  // Input checks run even when no record matches.
  assert.equal(await request("PATCH", "/nodes?size=77", { by: 0 }), "none_given");
  assert.equal(await request("PATCH", "/nodes?size=77", { by: -9 }), 204);
});

test("records that another deletion has deleted are deleted once", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints, events, errors }));
  t.after(() => served.close());
  const add = (above: number | null, size: number) =>
    served.send("POST", "/nodes", { body: { above, size } });
  for (const [above, size] of [
    [null, 1],
    [1, 1],
    [2, 1],
    [null, 5],
    [4, 1],
  ] as const)
    await add(above, size);
  assert.equal((await served.send("DELETE", "/nodes?size[lt]=5")).status, 204);
  const { json } = await served.send("GET", "/nodes");
  assert.deepEqual(
    json.map((item: { id: number }) => item.id),
    [4],
  );
  const reported = await served.target.events?.();
  assert.deepEqual(reported?.map(({ payload }) => (payload as { id: number }).id).toSorted(), [1, 2, 3, 5]);
});
