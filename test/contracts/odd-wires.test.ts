/**
 * Unusual bodies that some services use: JSON within a form's texts, pages requested in a body,
 * errors answered with 200.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { serveDocument, type Served, smallDocument } from "./serve-document.ts";

const form = { "Content-Type": "application/x-www-form-urlencoded" };

describe("a service with unusual bodies", () => {
  let served: Served;
  before(async () => {
    served = await serveDocument(
      smallDocument({
        resources: `### Point

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| x | integer | required |
| y | integer | 0.. |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..50 |
| blocks | json | nullable |
| points | list of Point | default \`[]\` |`,
        endpoints: `- Accepts: application/json, application/x-www-form-urlencoded, text/plain
- Empty inputs: null

### POST /notes.make

- Does: create Note
- Body: text
- Returns: 200 Note

| Input | In | Rules | Field |
|---|---|---|---|
| blocks | body | as JSON | blocks |
| points | body | as JSON, items ..3 | points |

### POST /notes.list

- Does: list Note
- Pagination: cursor (size: page[limit], at: cursor)
- Returns: 200 Page of Note

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| where | query | map of string | as JSON | \`this.text == query.where.text\` |

### POST /notes.count

- Does: list Note
- Pagination: page (page: page, size: size)
- Returns: 200 Page of Note

### QUERY /notes

- Does: list Note
- Where: \`this.text == string(request.body)\`
- Returns: 200 Page of Note

### Shape: Page

\`\`\`cel
{"ids": page.items, "next": page.next}
\`\`\``,
        errors: `- Payload shape:

\`\`\`cel
{"ok": false, "error": error.code, "field": error.field, "problem": error.problem}
\`\`\`

| Code | Status | When |
|---|---|---|
| wrong | 200 | invalid field |
| unheard_of | 200 | unknown path |`,
      }),
    );
    for (const text of ["a", "b", "c"]) await served.send("POST", "/notes.make", { body: { text } });
  });
  after(() => served.close());

  const sendForm = (path: string, fields: Record<string, string>) =>
    served.send("POST", path, { headers: form, body: String(new URLSearchParams(fields)) });
  const ids = (answer: { json: { ids: { id: number }[] } }) => answer.json.ids.map((record) => record.id);

  test("reads JSON in a form's text as in a JSON body", async () => {
    const blocks = [{ type: "text", "a&b": "ü" }, 1.5, null];
    const points = [{ x: 1, y: 2 }];
    const inForm = await sendForm("/notes.make", {
      text: "f",
      blocks: JSON.stringify(blocks),
      points: JSON.stringify(points),
    });
    assert.deepEqual(inForm.json.blocks, blocks);
    assert.deepEqual(inForm.json.points, points);
    const inJson = await served.send("POST", "/notes.make", { body: { text: "j", blocks, points } });
    assert.deepEqual(inJson.json.blocks, blocks);
    assert.deepEqual((await sendForm("/notes.make", { text: "e", blocks: "" })).json.blocks, null);
  });

  test("rejects text that is not JSON, and JSON that breaks the input's rules", async () => {
    const problemOf = async (fields: Record<string, string>) => {
      const answer = await sendForm("/notes.make", { text: "x", ...fields });
      assert.equal(answer.status, 200);
      assert.equal(answer.json.ok, false);
      return [answer.json.field, answer.json.problem];
    };
    assert.deepEqual(await problemOf({ blocks: "[{" }), ["blocks", "must be JSON"]);
    assert.deepEqual(await problemOf({ blocks: '{"a":1,"a":2}' }), [
      "blocks",
      'must be JSON, but the name "a" occurs twice in one object at line 1, column 8',
    ]);
    assert.deepEqual(await problemOf({ blocks: "[".repeat(33) + "]".repeat(33) }), [
      "blocks",
      "must be JSON, but it is nested deeper than 32 levels at line 1, column 33",
    ]);
    assert.match(
      (await problemOf({ blocks: `[${"0,".repeat(10_000)}0]` }))[1] as string,
      /there are more than 10000 values/,
    );
    assert.deepEqual(await problemOf({ points: '[{"x":1},{"x":2,"y":-1}]' }), [
      "points[1].y",
      "must be at least 0",
    ]);
    assert.deepEqual((await problemOf({ points: '{"x":1}' }))[0], "points");
    assert.deepEqual((await problemOf({ blocks: "9007199254740993" }))[0], "blocks");
  });

  test("reads JSON in a query", async () => {
    const found = await served.send("POST", `/notes.list?where=${encodeURIComponent('{"text":"b"}')}`);
    assert.deepEqual(ids(found), [2]);
  });

  test("reads its page from a body: a form or JSON, or else from the query", async () => {
    const first = await sendForm("/notes.list", { "page[limit]": "2" });
    assert.deepEqual(ids(first), [1, 2]);
    const cursor = first.json.next as string;
    assert.equal(ids(await sendForm("/notes.list", { cursor, "page[limit]": "1" }))[0], 3);
    const inJson = await served.send("POST", "/notes.list", { body: { cursor, page: { limit: 1 } } });
    assert.deepEqual(ids(inJson), [3]);
    const empty = await served.send("POST", "/notes.list", { body: { cursor: null, page: { limit: 1 } } });
    assert.deepEqual(ids(empty), [1]);
    assert.deepEqual(ids(await served.send("POST", "/notes.list?page[limit]=1")), [1]);
    const counted = await served.send("POST", "/notes.count", { body: { page: 2, size: 1 } });
    assert.deepEqual(ids(counted), [2]);
  });

  test("rejects an invalid page in a body, and unknown inputs", async () => {
    const wrong = async (body: object) => (await served.send("POST", "/notes.list", { body })).json;
    assert.deepEqual(await wrong({ cursor: 7 }), {
      ok: false,
      error: "wrong",
      field: "cursor",
      problem: "is not a cursor of this list",
    });
    assert.equal((await wrong({ cursor: ["a"] })).field, "cursor");
    assert.equal((await wrong({ page: { limit: 0 } })).field, "page[limit]");
    assert.equal((await wrong({ page: { limit: "x" } })).problem, "must be a whole number");
    assert.equal((await wrong({ colour: "red" })).field, "colour");
  });

  test("accepts a body that is neither JSON nor a form if only request.body reads it", async () => {
    const text = { "Content-Type": "text/plain; charset=utf-8" };
    assert.deepEqual(ids(await served.send("QUERY", "/notes", { headers: text, body: "c" })), [3]);
    const refused = await served.send("POST", "/notes.make", { headers: text, body: "c" });
    assert.equal(refused.status, 415);
    const accepted = refused.headers.find(([name]) => name === "Accept-Post")?.[1];
    assert.equal(accepted, "application/json, application/x-www-form-urlencoded");
  });

  test("answers errors with 200 if the document says so", async () => {
    const answer = await served.send("POST", "/notes.burn");
    assert.equal(answer.status, 200);
    assert.equal(answer.json.error, "unheard_of");
  });
});
