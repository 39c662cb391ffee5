/**
 * `Preconditions` (part 4) for clients: entity tags of records, of lists and of deleted records.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument, standing } from "./serve-document.ts";

const endpoints = `${standing.endpoints.replace(
  "- Returns: 200 list of Note",
  "- Preconditions: If-None-Match\n- Returns: 200 list of Note",
)}

### PUT /notes/{id}

- Does: replace Note
- Body: text, size?
- Preconditions: If-Match required
- Returns: 204 nothing

### DELETE /notes/{id}

- Does: delete Note
- Preconditions: If-Match
- Returns: 204 nothing`;

test("a change returns the record's new tag, a deletion none, and a list has its own tag", async (t) => {
  const served = await serveDocument(smallDocument({ endpoints }));
  t.after(() => served.close());
  const tagOf = (answer: { headers: readonly (readonly [string, string])[] }) =>
    answer.headers.find(([name]) => name === "ETag")?.[1];
  await served.send("POST", "/notes", { body: { text: "a" } });
  const put = (tag: string | undefined, text: string) =>
    served.send("PUT", "/notes/1", {
      body: { text },
      headers: tag === undefined ? {} : { "If-Match": tag },
    });

  assert.equal((await put(undefined, "b")).status, 428);
  assert.equal((await put('"7"', "b")).status, 412);
  const changed = await put('"1"', "b");
  assert.deepEqual([changed.status, tagOf(changed)], [204, '"2"']);
  assert.equal((await put('"7", "2"', "c")).status, 204);

  const list = await served.send("GET", "/notes");
  const again = { headers: { "If-None-Match": String(tagOf(list)) } };
  const same = await served.send("GET", "/notes", again);
  assert.deepEqual([same.status, same.body, tagOf(same)], [304, "", tagOf(list)]);
  await put("*", "d");
  assert.equal((await served.send("GET", "/notes", again)).status, 200);

  assert.equal((await served.send("DELETE", "/notes/1", { headers: { "If-Match": 'W/"4"' } })).status, 412);
  const gone = await served.send("DELETE", "/notes/1", { headers: { "If-Match": '"4"' } });
  assert.deepEqual([gone.status, tagOf(gone)], [204, undefined]);
});
