/**
 * Merged maps: each request to a `merged` map sends part of its new value. The limit on keys
 * applies to the whole stored map.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Served, serveDocument, smallDocument } from "./serve-document.ts";

const resources = `### Note

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | |
| labels | map of string | merged, items 1..3, each length ..5 |`;

const endpoints = `### POST /notes

- Does: create Note
- Body: id, labels
- Returns: 201 Note

### PUT /notes/{id}

- Does: upsert Note
- Body: labels
- Returns: 200 Note

### PATCH /notes/{id}

- Does: update Note
- Returns: 200 Note

| Input | In | Type | Rules | Field |
|---|---|---|---|---|
| tags | body | | | labels |

### PATCH /notes

- Does: update every Note
- Body: labels
- Returns: 200 nothing

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note`;

let served: Served;
before(async () => {
  served = await serveDocument(smallDocument({ resources, endpoints }));
});
after(() => served.close());

let made = 0;
/** Creates a note with two labels. */
async function someNote(): Promise<string> {
  made += 1;
  const id = `n${made}`;
  const { status, body } = await served.send("POST", "/notes", { body: { id, labels: { a: "1", b: "2" } } });
  assert.equal(status, 201, body);
  return `/notes/${id}`;
}

const labelsOf = async (note: string) => (await served.send("GET", note)).json.labels;

test("too many keys with the stored ones are rejected by the name of the input, and nothing changes", async () => {
  const note = await someNote();
  const { status, json } = await served.send("PATCH", note, { body: { tags: { c: "3", d: "4" } } });
  assert.equal(status, 422);
  assert.deepEqual(json.errors, [{ detail: "tags must have at most 3 items.", pointer: "#/tags" }]);
  const put = await served.send("PUT", note, { body: { labels: { c: "3", d: "4" } } });
  assert.deepEqual([put.status, put.json.detail], [422, "labels must have at most 3 items."]);
  const all = await served.send("PATCH", "/notes", { body: { labels: { c: "3", d: "4" } } });
  assert.deepEqual([all.status, all.json.detail], [422, "labels must have at most 3 items."]);
  assert.deepEqual(await labelsOf(note), { a: "1", b: "2" });
});

test("removed keys free capacity, however many are sent", async () => {
  const note = await someNote();
  const tags = { a: null, x: null, y: null, c: "3", d: "4" };
  const { status, body } = await served.send("PATCH", note, { body: { tags } });
  assert.equal(status, 200, body);
  assert.deepEqual(await labelsOf(note), { b: "2", c: "3", d: "4" });
});

test("removing too many keys is rejected, and so is emptying the map", async () => {
  const note = await someNote();
  for (const tags of [{ a: null, b: null }, null]) {
    const { status, json } = await served.send("PATCH", note, { body: { tags } });
    assert.deepEqual([status, json.detail], [422, "tags must have at least 1 item."]);
  }
  assert.deepEqual(await labelsOf(note), { a: "1", b: "2" });
});

test("an empty map changes nothing", async () => {
  const note = await someNote();
  assert.equal((await served.send("PATCH", note, { body: { tags: {} } })).status, 200);
  assert.equal((await served.send("PATCH", note, { body: {} })).status, 200);
  assert.deepEqual(await labelsOf(note), { a: "1", b: "2" });
});

test("a stored map is never larger than a request could send", async () => {
  const notes = await serveDocument(
    smallDocument({ resources: resources.replace(", items 1..3, each length ..5", ""), endpoints }),
  );
  assert.equal((await notes.send("POST", "/notes", { body: { id: "n", labels: {} } })).status, 201);
  const tagged = (key: string) =>
    notes.send("PATCH", "/notes/n", { body: { tags: { [key]: "x".repeat(400_000) } } });
  for (const key of ["a", "b", "a"]) assert.equal((await tagged(key)).status, 200);
  const { status, json } = await tagged("c");
  assert.deepEqual([status, json.detail], [422, "tags must not hold more than 1048576 bytes."]);
  assert.deepEqual(Object.keys((await notes.send("GET", "/notes/n")).json.labels), ["a", "b"]);
  await notes.close();
});

test("the limit applies to the map of a new record, without keys that are sent as null", async () => {
  for (const [labels, detail] of [
    [{ a: "1", b: "2", c: "3", d: "4" }, "labels must have at most 3 items."],
    [{ a: null }, "labels must have at least 1 item."],
    [{}, "labels must have at least 1 item."],
    [{ a: "123456" }, "labels.a must have at most 5 characters."],
  ] as const) {
    const { status, json } = await served.send("POST", "/notes", { body: { id: "new", labels } });
    assert.deepEqual([status, json.detail], [422, detail]);
  }
  const labels = { a: "1", b: "2", c: "3", d: null };
  assert.equal((await served.send("POST", "/notes", { body: { id: "new", labels } })).status, 201);
  assert.deepEqual(await labelsOf("/notes/new"), { a: "1", b: "2", c: "3" });
});
