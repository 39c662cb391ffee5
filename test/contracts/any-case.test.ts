/** `any case`: lists of values and of references ignore the case of their elements, as `==` does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const document = smallDocument({
  resources: `### Tag

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | any case |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | nullable, any case |
| tag | Tag | nullable |
| tags | list of Tag | nullable, distinct |`,
  endpoints: `### POST /tags

- Does: create Tag
- Body: id
- Returns: 201 Tag

### POST /notes

- Does: create Note
- Body: text?, tag?, tags?
- Returns: 201 Note

### GET /all

- Does: answer
- Returns: 200 \`{"texts": Note.map(n, n.text).distinct(), "sorted": Note.map(n, n.text).sort(), "tags": Note.map(n, n.tag).distinct()}\``,
});

test("a list of values with `any case` has each of them once, in any spelling", async () => {
  const { send, close } = await serveDocument(document);
  try {
    for (const id of ["R", "G"]) assert.equal((await send("POST", "/tags", { body: { id } })).status, 201);
    const create = async (body: object) => (await send("POST", "/notes", { body })).status;
    assert.equal(await create({ text: "b", tag: "R", tags: ["r", "g"] }), 201);
    assert.equal(await create({ text: "A", tag: "r" }), 201);
    assert.equal(await create({ text: "B", tag: "G" }), 201);
    assert.equal(await create({ tags: ["r", "R"] }), 422);
    assert.deepEqual((await send("GET", "/all")).json, {
      texts: ["b", "A"],
      sorted: ["A", "b", "B"],
      tags: ["R", "G"],
    });
  } finally {
    await close();
  }
});
