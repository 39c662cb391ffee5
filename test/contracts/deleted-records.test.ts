/**
 * Marked records after their deletion: `this.deleted` is true in everything that is evaluated after
 * the change.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const document = smallDocument({
  resources: `### Note

- Identifier: id, made by \`sequence()\`
- Deleted: marked

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| gone | boolean | = \`this.deleted\` |

### Leaf

- Identifier: id, made by \`sequence()\`
- Deleted: marked

| Field | Type | Rules |
|---|---|---|
| note | Note | required, on delete cascade |

### Kept

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| type | string | on create \`event.type\` |
| payload | json | on create \`event.payload\` |`,
  endpoints: `### POST /notes

- Does: create Note
- Body: text
- Effect: \`create Leaf with note = this\`
- Returns: 201 Note

### DELETE /notes/{id}

- Does: delete Note
- Header: X-Deleted: \`string(this.deleted)\`
- Returns: 200 \`{"note": this, "shape": Note(this), "deleted": this.deleted, "old": old.deleted, "text": this.text}\`

### POST /notes/{id}/clear

- Does: read Note
- Effect: \`delete Note where this == note\`
- Returns: 200 \`{"note": Note(note), "deleted": note.deleted, "this": this.deleted}\`

### GET /notes/{id}

- Does: read Note
- Finds: deleted records too
- Returns: 200 Note

### GET /kept

- Does: list Kept
- Returns: 200 list of Kept`,
  events: `- Log: kept 30 days, as Kept

| Event | When | Payload |
|---|---|---|
| note.deleted | Note deleted | Summary |
| leaf.deleted | Leaf deleted | NoteOfLeaf |

### Shape: Summary of Note

\`\`\`cel
{"deleted": this.deleted, "gone": this.gone}
\`\`\`

### Shape: NoteOfLeaf of Leaf

\`\`\`cel
{"deleted": this.deleted, "note": this.note.deleted}
\`\`\``,
});

test("a record is marked as deleted in all that is evaluated after its deletion", async () => {
  const { send, close } = await serveDocument(document);
  try {
    for (const text of ["a", "b"])
      assert.equal((await send("POST", "/notes", { body: { text } })).status, 201);
    assert.equal((await send("GET", "/notes/1")).json.gone, false);
    const deleted = await send("DELETE", "/notes/1");
    const note = { id: 1, text: "a", gone: true };
    assert.deepEqual(deleted.json, { note: 1, shape: note, deleted: true, old: false, text: "a" });
    assert.equal(new Map(deleted.headers).get("X-Deleted"), "true");
    assert.deepEqual((await send("GET", "/notes/1")).json, note);
    assert.deepEqual((await send("POST", "/notes/2/clear")).json, {
      note: { id: 2, text: "b", gone: true },
      deleted: true,
      this: true,
    });
    const kept = (await send("GET", "/kept")).json as readonly { type: string; payload: unknown }[];
    for (const { type, payload } of kept)
      assert.deepEqual(
        payload,
        type === "note.deleted" ? { deleted: true, gone: true } : { deleted: true, note: true },
      );
    assert.equal(kept.length, 4);
  } finally {
    await close();
  }
});

const jobsOf = (deleted: string) =>
  smallDocument({
    resources: `### Job

- Identifier: id, given
${deleted}

| Field | Type | Rules |
|---|---|---|
| id | string | |
| status | state | |`,
    states: `### Job

- State field: status
- Initial state: new

| Transition | From | To | Trigger |
|---|---|---|---|
| finish | new | done | call |`,
    endpoints: `### POST /jobs

- Does: create Job
- Body: id
- Effect: \`delete Job where true\`
- Then: finish
- Returns: 201 Job`,
  });

for (const [deleted, status] of [
  ["", "new"],
  ["- Deleted: marked", "done"],
] as const)
  test(`\`Then\` after an effect that has deleted the record: ${status}`, async () => {
    const { send, close } = await serveDocument(jobsOf(deleted));
    try {
      const created = await send("POST", "/jobs", { body: { id: "a" } });
      assert.deepEqual([created.status, created.json], [201, { id: "a", status }]);
    } finally {
      await close();
    }
  });
