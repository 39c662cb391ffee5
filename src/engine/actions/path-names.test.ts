/**
 * Names of path records: if a path leads through one record to another of the same resource, the
 * small name denotes the first, and only `this` the other.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Sheet

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |
| note | string | |
| copy | string | default this.note |
| above | Sheet | |`.replace("default this.note", "default `this.note`");

// The document's state section also calls its record `sheet`.
const states = `### Sheet

- State field: state
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| \`close\` | open | closed | call | \`sheet.above != null\` | \`copy = sheet.note\` |
| \`open\` | closed | open | call | \`sheet.above != null\` | |`;

const shown =
  '`{"this": this.name, "sheet": sheet.name, "note": this.note, "copy": this.copy, "state": this.state}`';

const endpoints = `### /sheets/{name}

- Is: Sheet

### PUT /sheets/{name}

- Does: upsert Sheet
- Body: note?
- Returns: 200 Sheet

### POST /sheets

- Does: create Sheet
- Body: name, note
- Returns: 201 ${shown}

### POST /sheets/{name}/beneath

- Does: create Sheet
- Set: \`name = path.name + "/x"; note = sheet.note + "1" when sheet.note != "m"\`
- Fails: of_m when \`sheet.note == "m"\`
- Returns: 201 ${shown}

### PUT /sheets/{name}/beneath

- Does: upsert Sheet
- Set: \`name = path.name + "-y"; note = sheet.note + body.more\`
- Returns: 200 ${shown}

| Input | In | Type |
|---|---|---|
| more | body | string |

### GET /sheets/{name}/beneath/{other}

- Does: read Sheet
- Returns: 200 ${shown}

### PATCH /sheets/{name}/beneath/{other}

- Does: update Sheet
- Set: \`note = sheet.note + "4"\`
- Returns: 200 ${shown}

### POST /sheets/{name}/beneath/{other}/close

- Does: close Sheet
- Set: \`note = sheet.note + "5"\`
- Then: open when \`sheet.note == "n" && body.opens == true\`
- Effect: \`copy = sheet.note + "6"\`
- Returns: 200 ${shown}

| Input | In | Type |
|---|---|---|
| opens | body | boolean |`;

const errors = `- Payload shape: problem details

| Code | Status | When | Meaning |
|---|---|---|---|
| of_m | 409 | | |`;

test("the path's record keeps its name during operations on another record of its resource", async (t) => {
  const served = await serveDocument(smallDocument({ resources, states, endpoints, errors }));
  t.after(() => served.close());
  const request = async (method: string, path: string, body: unknown = {}) => {
    const { json } = await served.send(method, path, method === "GET" ? {} : { body });
    return [json.this, json.sheet, json.note, json.copy, json.state];
  };
  await request("PUT", "/sheets/a", { note: "n" });
  await request("PUT", "/sheets/b", { note: "m" });
  assert.deepEqual(await request("POST", "/sheets", { name: "c", note: "q" }), ["c", "c", "q", "q", "open"]);
  assert.deepEqual(await request("POST", "/sheets/a/beneath"), ["a/x", "a", "n1", "n1", "open"]);
  assert.equal((await served.send("POST", "/sheets/b/beneath")).status, 409);
  const put = (more: string) => request("PUT", "/sheets/a/beneath", { more });
  assert.deepEqual(await put("2"), ["a-y", "a", "n2", "n2", "open"]);
  assert.deepEqual(await put("3"), ["a-y", "a", "n3", "n2", "open"]);
  const sheetPath = "/sheets/a/beneath/a-y";
  assert.deepEqual(await request("GET", sheetPath), ["a-y", "a", "n3", "n2", "open"]);
  assert.deepEqual(await request("PATCH", sheetPath), ["a-y", "a", "n4", "n2", "open"]);
  assert.deepEqual(await request("POST", `${sheetPath}/close`, { opens: true }), [
    "a-y",
    "a",
    "n5",
    "n6",
    "open",
  ]);
  assert.deepEqual(await request("POST", `${sheetPath}/close`), ["a-y", "a", "n5", "n6", "closed"]);
});
