/**
 * Visible changes: which changes of a record emit an event. Changes of visible fields do, also if
 * only a computed field returns them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Card

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | |
| secret | string | internal |
| typed | string | write-only |
| parts | integer | internal |
| isWhole | boolean | \`= this.parts == 2\` |

### Entry

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| kind | string | on create \`event.type\` |`;

const endpoints = `### POST /cards

- Does: create Card
- Body: title
- Returns: 201 Card

### PATCH /cards/{id}

- Does: update Card
- Body: title?, typed?
- Set: \`secret = body.secret when has(body.secret); parts = body.parts when has(body.parts)\`
- Returns: 200 Card

| Input | In | Type |
|---|---|---|
| secret | body | string |
| parts | body | integer |

### GET /entries

- Does: list Entry
- Pagination: none
- Returns: 200 list of Entry`;

const events = `- Webhooks: none
- Notifications: none
- Log: kept 30 days, as Entry

| Event | When | Payload |
|---|---|---|
| card.changed | Card updated | Card |`;

test("a change of hidden fields alone emits no event", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints, events }));
  t.after(() => served.close());
  const reported = async (changes: unknown) => {
    const { status } = await served.send("PATCH", "/cards/1", { body: changes });
    assert.equal(status, 200);
    return (await served.send("GET", "/entries")).json.length;
  };
  await served.send("POST", "/cards", { body: { title: "a" } });
  assert.equal(await reported({ title: "b" }), 1);
  assert.equal(await reported({ secret: "s" }), 1);
  assert.equal(await reported({ typed: "t" }), 1);
  assert.equal(await reported({ parts: 2 }), 2);
  assert.equal(await reported({ parts: 2, title: "b" }), 2);
});
