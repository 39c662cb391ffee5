/**
 * `, if any`: a path parameter of another type finds nothing, as a value without a record does. The
 * records of shorter paths must still exist.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const none = "- Returns: 204 nothing when `this == null`";

/** Each operation on one record, by the identifier of the path and by an input of the table. */
const operations = {
  "GET /read/{id}": "- Does: read Note, if any",
  "PATCH /update/{id}": "- Does: update Note, if any\n- Body: size?",
  "PUT /replace/{id}": "- Does: replace Note, if any\n- Body: text, size?",
  "DELETE /delete/{id}": "- Does: delete Note, if any",
  "POST /close/{id}": "- Does: close Note, if any",
};

const byInput = `### GET /of-size/{size}

- Does: read Note, if any
- Where: \`this.size != path.size\`
${none}
- Returns: 200 Note

| Input | In | Type |
|---|---|---|
| size | path | integer |

### GET /first/{size}

- Does: read Note, if any
- Where: \`this.size == 7\`
- Returns: 200 \`{"found": this != null, "size": path.size}\`

| Input | In | Type |
|---|---|---|
| size | path | integer |

### DELETE /required/{id}

- Does: delete Note
- Returns: 204 nothing

### PUT /upsert/{id}

- Does: upsert Mark
- Body: text?
- Returns: 200 Mark

### /boards/{board}

- Is: Board

### DELETE /boards/{board}/notes/{id}

- Does: delete Note, if any
${none}
- Returns: 200 Note

### POST /notes

- Does: create Note
- Body: text, size?, board?
- Returns: 201 Note

### POST /boards

- Does: create Board
- Returns: 201 Board`;

const document = smallDocument({
  resources: `### Board

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | |

### Mark

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| text | string | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| size | integer | |
| board | Board | |
| status | state | |`,
  states: `### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | closed | call |`,
  endpoints: `${Object.entries(operations)
    .map(([endpoint, items]) => `### ${endpoint}\n\n${items}\n${none}\n- Returns: 200 Note`)
    .join("\n\n")}\n\n${byInput}`,
});

test("`, if any` covers a path parameter of another type", async () => {
  const { send, close } = await serveDocument(document);
  const statusOf = async (method: string, path: string, body?: unknown) =>
    (await send(method, path, body === undefined ? {} : { body })).status;
  try {
    assert.equal(await statusOf("POST", "/notes", { text: "a", size: 7 }), 201);
    assert.equal(await statusOf("POST", "/boards", {}), 201);
    for (const endpoint of Object.keys(operations)) {
      const [method = "", path = ""] = endpoint.split(" ");
      const body = method === "PUT" ? { text: "b" } : method === "PATCH" ? { size: 1 } : undefined;
      for (const id of ["99", "abc", "1.5"])
        assert.equal(await statusOf(method, path.replace("{id}", id), body), 204, `${endpoint} ${id}`);
    }
    assert.equal(await statusOf("GET", "/of-size/8"), 200);
    assert.equal(await statusOf("GET", "/of-size/7"), 204);
    assert.equal(await statusOf("GET", "/of-size/abc"), 204);
    assert.deepEqual((await send("GET", "/first/1")).json, { found: true, size: 1 });
    assert.deepEqual((await send("GET", "/first/abc")).json, { found: false, size: null });
    assert.equal(await statusOf("DELETE", "/required/abc"), 404);
    assert.equal(await statusOf("PUT", "/upsert/abc", { text: "a" }), 404);
    assert.equal(await statusOf("DELETE", "/boards/1/notes/abc"), 204);
    assert.equal(await statusOf("DELETE", "/boards/2/notes/1"), 404);
    assert.equal(await statusOf("DELETE", "/boards/abc/notes/abc"), 404);
  } finally {
    await close();
  }
});
