/**
 * Default values: which fields a new record gets, in which order, and which numbers a sequence
 * skips.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Box

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |

### Records of Box

| name |
|---|
| box |
| bag |
| new |

### Item

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| label | string | on create \`this.kind + " " + this.note\` |
| note | string | default "plain" |
| kind | string | default \`this.base + "s"\` |
| base | string | required |
| box | Box | default \`this.base\` |
| place | integer | on create \`sequence(this.box)\` |

### Records of Item

| id | base | note | place |
|---|---|---|---|
| 7 | box | | 3 |
| 2 | bag | given | |`;

const endpoints = `### POST /items

- Does: create Item
- Body: base, note?
- Set: \`note = this.note + "!" when body.loud == true\`
- Returns: 201 \`[this.id, this.label, this.place]\`

| Input | In | Type |
|---|---|---|
| loud | body | boolean |

### GET /items

- Does: list Item
- Returns: 200 list of Item`;

test("a default is evaluated after the fields that it reads, and sequences skip assigned numbers", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  const { json } = await served.send("GET", "/items");
  assert.deepEqual(
    json.map((item: Record<string, unknown>) => [item["id"], item["label"], item["place"]]),
    [
      [7, "boxs plain", 3],
      [2, "bags given", 1],
    ],
  );
  const made = async (body: unknown) => (await served.send("POST", "/items", { body })).json;
  assert.deepEqual(await made({ base: "box" }), [8, "boxs plain", 4]);
  assert.deepEqual(await made({ base: "box", loud: true }), [9, "boxs plain!", 5]);
  assert.deepEqual(await made({ base: "bag", note: "n", loud: true }), [10, "bags n!", 2]);
  assert.deepEqual(await made({ base: "new", loud: false }), [11, "news plain", 1]);
});
