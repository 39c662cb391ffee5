/**
 * Reserved names: resources whose names collide with tables of the database or of the store are
 * served like any other.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const documentOf = (name: string) =>
  smallDocument({
    resources: `### ${name}

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, unique |
| rate | decimal | unique |
| rowid | integer | |

### ${name}_link

- Identifier: from and to

| Field | Type | Rules |
|---|---|---|
| from | ${name} | required, on delete cascade |
| to | ${name} | required, on delete restrict |`,
    endpoints: `### POST /things

- Does: create ${name}
- Body: text, rate?, rowid?
- Returns: 201 ${name}

### GET /things

- Does: list ${name}
- Query: text?, rowid? range
- Order: text
- Pagination: cursor (size: limit, after: after)
- Returns: 200 list of ${name}

### DELETE /things/{id}

- Does: delete ${name}
- Returns: 204 nothing

### POST /links

- Does: create ${name}_link
- Body: from, to
- Returns: 201 ${name}_link`,
  });

for (const name of ["Sqlite_master", "SQLITE_x", "Ninefold_events", "NINEFOLD_meta", "Ninefold_new"]) {
  test(`a resource may be called ${name}`, async (t) => {
    const served = await serveDocument(documentOf(name));
    t.after(() => served.close());
    const make = (body: object) => served.send("POST", "/things", { body });
    assert.equal((await make({ text: "a", rate: "1.0", rowid: 5 })).status, 201);
    assert.equal((await make({ text: "b" })).status, 201);
    for (const repeated of [{ text: "a" }, { text: "c", rate: "1.00" }]) {
      const { status, json } = await make(repeated);
      assert.equal(status, 409, JSON.stringify(json));
    }
    const link = () => served.send("POST", "/links", { body: { from: 1, to: 2 } });
    assert.equal((await link()).status, 201);
    assert.equal((await link()).status, 409);
    assert.equal((await served.send("DELETE", "/things/2")).status, 409);
    assert.equal((await served.send("DELETE", "/things/1")).status, 204);
    assert.equal((await served.send("GET", "/things?rowid[gt]=1")).json.length, 0);
    assert.equal((await served.send("GET", "/things")).json.length, 1);
  });
}
