/**
 * Unreachable identifiers (part 2, `given`): a text that no path can contain identifies no record,
 * because the record could never be reached.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

test("`.`, `..` and the empty text are not identifiers, alone or as a part", async (t) => {
  const served = await serveDocument(
    smallDocument({
      resources: `### Note

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |

### File

- Identifier: note and name

| Field | Type | Rules |
|---|---|---|
| note | Note | required |
| name | string | required |`,
      endpoints: `### POST /notes

- Does: create Note
- Body: name
- Returns: 201 Note

### PUT /notes/{name}

- Does: upsert Note
- Returns: 200 Note

### POST /files

- Does: create File
- Body: note, name
- Returns: 201 \`{"name": this.name}\``,
    }),
  );
  t.after(() => served.close());
  const make = async (name: string) => {
    const { status, body } = await served.send("POST", "/notes", { body: { name } });
    return status === 201 || /name identifies the record, and must not be/.test(body) ? status : body;
  };
  for (const name of [".", "..", ""]) assert.equal(await make(name), 422, name);
  for (const name of ["...", ".a", "a/..", "a"]) assert.equal(await make(name), 201, name);
  const parts = async (name: string) =>
    (await served.send("POST", "/files", { body: { note: "a", name } })).status;
  assert.deepEqual([await parts(".."), await parts("."), await parts("x")], [422, 422, 201]);
});
