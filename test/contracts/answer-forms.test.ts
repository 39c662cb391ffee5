/**
 * Response formats that published clients read: the ends of a page, a body with a computed content
 * type, headers in wire format.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { serveDocument, type Served, smallDocument } from "./serve-document.ts";

const documentText = smallDocument({
  resources: `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..50 |
| kind | string | default \`"text/plain"\` |
| parent | Note | |
| due | timestamp | |
| takes | duration | |
| tags | list of string | default \`[]\` |`,
  endpoints: `- Timestamps: unix seconds
- Header: X-Left: \`limits.core.remaining\`
- Header: X-Reset: \`limits.core.reset\`
- Header: X-Other: \`limits.other.remaining\`

### POST /notes

- Does: create Note
- Body: text, kind?, parent?, due?, takes?, tags?
- Header: X-Due: \`this.due\`
- Header: X-Takes: \`this.takes\`
- Returns: 201 Note

### GET /notes

- Does: list Note
- Order: id descending
- Pagination: identifier (size: limit, after: after_id, before: before_id)
- Returns: 200 Page of Note

### GET /bare

- Does: list Note
- Returns: 200 Wrapped of Note

### GET /notes/{id}/content

- Does: read Note
- Header: Content-Type: \`this.kind\`
- Returns: 200 \`this.text\`

### POST /echo

- Does: answer
- Header: Content-Type: \`body.stream ? "text/event-stream" : "application/json"\`
- Returns: 200 \`"event: said\\ndata: {}\\n\\n"\` when \`body.stream\`
- Returns: 200 \`{"said": body.text}\`

| Input | In | Type | Rules |
|---|---|---|---|
| text | body | string | required |
| stream | body | boolean | |

### Shape: Page

\`\`\`cel
{"data": page.items, "first_id": page.items.first().id, "last_id": page.items.last().id, "has_more": page.has_more,
 "tagged": page.items.filter(n, n.tags.size() > 0).map(n, n.id), "count": page.items.count()}
\`\`\`

### Shape: Wrapped

\`\`\`cel
merge(Page(), {"newest": page.items.max(n, n.due)})
\`\`\``,
  limits: `| Limit | Bound | Applies to |
|---|---|---|
| rate core | 12 per hour | service |
| rate other | 100 per hour | service |

Size limits, time-outs and pagination bounds: none.`,
});

describe("the format of a response", () => {
  let served: Served;
  const headerOf = (answer: { readonly headers: readonly (readonly [string, string])[] }, name: string) =>
    answer.headers.find(([header]) => header.toLowerCase() === name)?.[1];
  let made: Awaited<ReturnType<Served["send"]>>;
  before(async () => {
    served = await serveDocument(documentText);
    await served.send("POST", "/notes", { body: { text: "a", tags: ["x"] } });
    made = await served.send("POST", "/notes", {
      body: { text: '"b"', parent: 1, due: 1_700_000_000, takes: "90s" },
    });
    await served.send("POST", "/notes", { body: { text: "c", kind: "application/json", tags: ["y"] } });
  });
  after(() => served.close());

  test("the shape of a page reads in its shaped items", async () => {
    const { json } = await served.send("GET", "/notes?limit=2");
    assert.deepEqual([json.first_id, json.last_id, json.has_more, json.count], [3, 2, true, 2]);
    assert.deepEqual(json.tagged, [3]);
    assert.equal(json.data[1].due, 1_700_000_000);
    assert.equal((await served.send("GET", `/notes?after_id=${json.last_id}`)).json.last_id, 1);
    assert.equal((await served.send("GET", "/notes?after_id=1")).json.last_id, null);
  });

  test("a shape within it does so too", async () => {
    const { json } = await served.send("GET", "/bare");
    assert.deepEqual([json.first_id, json.last_id, json.newest], [1, 3, 1_700_000_000]);
  });

  test("a text is sent unchanged if the record states a type that is not JSON", async () => {
    const plain = await served.send("GET", "/notes/2/content");
    assert.deepEqual([headerOf(plain, "content-type"), plain.body], ["text/plain", '"b"']);
    const json = await served.send("GET", "/notes/3/content");
    assert.deepEqual([headerOf(json, "content-type"), json.body], ["application/json", '"c"']);
  });

  test("one endpoint responds with events or JSON, by the request's Accept header", async () => {
    const events = await served.send("POST", "/echo", { body: { text: "hi", stream: true } });
    assert.deepEqual(
      [headerOf(events, "content-type"), events.body],
      ["text/event-stream", "event: said\ndata: {}\n\n"],
    );
    assert.deepEqual((await served.send("POST", "/echo", { body: { text: "hi" } })).json, { said: "hi" });
  });

  test("headers have the wire format: timestamps as `Timestamps` states, and durations", () => {
    assert.equal(headerOf(made, "x-due"), "1700000000");
    assert.equal(headerOf(made, "x-takes"), "1m30s");
    assert.match(headerOf(made, "x-reset") ?? "", /^\d{10}$/);
  });

  test("a rejection by a limit describes all limits in the part's headers", async () => {
    let answer = await served.send("GET", "/notes");
    for (let times = 0; times < 12 && answer.status === 200; times += 1)
      answer = await served.send("GET", "/notes");
    assert.equal(answer.status, 429);
    assert.equal(headerOf(answer, "x-left"), "0");
    assert.match(headerOf(answer, "x-reset") ?? "", /^\d{10}$/);
    assert.equal(headerOf(answer, "x-other"), "88");
  });
});

test("a row of a field applies to an input of another name that refers to a missing record", async () => {
  const served = await serveDocument(
    smallDocument({
      resources: `### Shelf

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| room | string | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| shelf | Shelf | |
| others | list of Shelf | |`,
      endpoints: `### POST /notes

- Does: create Note
- Returns: 201 Note

| Input | In | Field |
|---|---|---|
| shelf_id | body | shelf |
| more.ids | body | others |`,
      errors: `- Payload shape:

\`\`\`cel
{"code": error.code, "field": error.field, "value": error.value}
\`\`\`

| Code | Status | When |
|---|---|---|
| no_shelf | 404 | unknown reference of Note.shelf |
| no_others | 404 | unknown reference of Note.others |
| wrong | 400 | invalid field |`,
    }),
  );
  const refused = async (body: object) => (await served.send("POST", "/notes", { body })).json;
  assert.deepEqual(await refused({ shelf_id: 7 }), { code: "no_shelf", field: "shelf_id", value: 7 });
  assert.equal((await refused({ more: { ids: [7] } })).code, "no_others");
  assert.equal((await refused({ shelf_id: "x" })).code, "wrong");
  await served.close();
});

describe("a content type that the document's headers state", () => {
  const content = (answer: { readonly headers: readonly (readonly [string, string])[] }) =>
    answer.headers.filter(([name]) => name.toLowerCase() === "content-type").map(([, value]) => value);
  const endpoints = `- Header: Content-Type: \`"application/vnd.api+json"\`
- Header: Allow: \`"nothing"\`

### POST /notes

- Does: create Note
- Body: text, kind?
- Returns: 201 Note

### GET /notes/{id}

- Does: read Note
- Header: Content-Type: \`query.plain ? "text/plain" : "application/json"\`
- Returns: 200 \`this.text\` when \`query.plain\`
- Returns: 200 Note

| Input | In | Type |
|---|---|---|
| plain | query | boolean |

### GET /notes/{id}/content

- Does: read Note
- Header: Content-Type: \`this.kind\`
- Returns: 200 \`this.text\``;
  const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| kind | string | default \`"text/plain"\` |`;
  const rows = `
| Code | Status | When |
|---|---|---|
| no | 406 | not acceptable |`;

  test("occurs once in errors too, and an error's own type takes precedence", async () => {
    const payload = `- Payload shape:\n\n\`\`\`cel\n{"code": error.code}\n\`\`\`\n`;
    for (const [errors, type] of [
      ["- Payload shape: problem details\n", "application/problem+json"],
      [payload, "application/vnd.api+json"],
    ] as const) {
      const served = await serveDocument(smallDocument({ resources, endpoints, errors: errors + rows }));
      assert.deepEqual(content(await served.send("POST", "/notes", { body: { text: "a" } })), [
        "application/vnd.api+json",
      ]);
      const wrong = await served.send("POST", "/notes", { body: {} });
      assert.deepEqual(content(wrong), [type]);
      const refused = await served.send("PUT", "/notes", { body: {} });
      assert.equal(refused.status, 405);
      assert.deepEqual(
        refused.headers.filter(([name]) => name.toLowerCase() === "allow").map(([, value]) => value),
        ["POST"],
      );
      await served.close();
    }
  });

  test("is acceptable if one of its choices is, or if the choice is not known yet", async () => {
    const errors = `- Payload shape: problem details\n${rows}`;
    const served = await serveDocument(smallDocument({ resources, endpoints, errors }));
    await served.send("POST", "/notes", { body: { text: "a" } });
    const statusOf = async (path: string, accept: string) =>
      (await served.send("GET", path, { headers: { Accept: accept } })).status;
    assert.equal(await statusOf("/notes/1?plain=true", "text/plain"), 200);
    assert.equal(await statusOf("/notes/1", "application/json"), 200);
    assert.equal(await statusOf("/notes/1", "image/png"), 406);
    assert.equal(await statusOf("/notes/1/content", "application/binary"), 200);
    await served.close();
  });
});
