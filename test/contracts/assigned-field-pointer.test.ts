/**
 * Problem details: a pointer leads into what the client sent, so a field that `Set` assigns has
 * none.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const document = smallDocument({
  resources: `### Note

- Identifier: id, made by \`random(8)\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..5 |
| parent | Note | |`,
  endpoints: `### POST /notes/{id}/replies

- Does: create Note
- Body: text
- Set: \`parent = path.id\`
- Returns: 201 Note`,
  errors: "- Payload shape: problem details\n- Error codes: none",
});

test("an error in a field that `Set` assigns has no pointer", async (t) => {
  const served = await serveDocument(document);
  t.after(() => served.close());
  const unknown = await served.send("POST", "/notes/7/replies", { body: { text: "a" } });
  assert.equal(unknown.status, 422);
  const problem = unknown.json;
  assert.match(problem.detail, /parent/);
  assert.equal(problem.errors, undefined);
  const long = await served.send("POST", "/notes/7/replies", { body: { text: "too long" } });
  assert.deepEqual(
    long.json.errors.map((error: { pointer: string }) => error.pointer),
    ["#/text"],
  );
});
