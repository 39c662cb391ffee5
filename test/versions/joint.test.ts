/**
 * References with several identifying fields: older callers send and receive them with the field
 * names of their version.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument, standing, twoVersions } from "../contracts/serve-document.ts";

const resources = `### Shelf

- Identifier: hall and number

| Field | Type | Rules |
|---|---|---|
| hall | string | required |
| number | integer | required |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |
| shelf | Shelf | |
| shelves | list of Shelf | |`;
const endpoints = `### POST /shelves

- Does: create Shelf
- Body: hall, number
- Returns: 201 Shelf

${standing.endpoints.replace("Body: text, size?", "Body: shelf?, shelves?").replace("- Query: size?\n", "")}`;
const versioning = twoVersions("- Renamed: Shelf.room to Shelf.hall");

test("a reference has the names of its version, after its creation and from the store", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints, versioning }));
  t.after(() => served.close());
  const { send } = served;
  assert.equal((await send("POST", "/v2/shelves", { body: { hall: "a", number: 1 } })).status, 201);
  assert.equal((await send("POST", "/v1/shelves", { body: { room: "b", number: 2 } })).status, 201);
  const [was, is] = [
    { room: "a", number: 1 },
    { hall: "a", number: 1 },
  ];
  const body = { shelf: was, shelves: [{ room: "b", number: 2 }, was] };
  const shown = { id: 1, text: null, ...body };
  assert.deepEqual((await send("POST", "/v1/notes", { body })).json, shown);
  assert.deepEqual((await send("GET", "/v1/notes/1")).json, shown);
  assert.deepEqual((await send("GET", "/v1/notes")).json, [shown]);
  const now = { id: 1, text: null, shelf: is, shelves: [{ hall: "b", number: 2 }, is] };
  assert.deepEqual((await send("GET", "/v2/notes/1")).json, now);
});
