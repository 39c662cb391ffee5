/**
 * Error bodies and their headers (part 7), for services that need more than a code and a message.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { serveDocument, type Served, smallDocument } from "./serve-document.ts";

describe("an error", () => {
  let served: Served;
  before(async () => {
    served = await serveDocument(
      smallDocument({
        resources: `### Shelf

- Called: book_shelf
- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| room | string | required |

### Book

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| shelf | Shelf | |
| lost | boolean | default \`false\`, read-only |`,
        endpoints: `- Header: X-Call: \`request.method\`
- Header: X-Trace: \`headers["x-trace"]\`

### POST /books

- Does: create Book
- Body: title, shelf?
- Returns: 201 Book

### GET /books

- Does: list Book
- Pagination: identifier (size: limit, after: after)
- Returns: 200 list of Book

### GET /books/{book}

- Does: read Book
- Returns: 200 Book

### POST /books/{book}/lose

- Does: update Book
- Fails: is_lost when \`old.lost\`
- Set: \`lost = true\`
- Fails: too_late on title when \`this.title == "Late"\`
- Returns: 200 Book`,
        errors: `- Payload shape:

\`\`\`cel
{"code": error.code, "message": error.message, "resource": error.resource, "reference?": error.reference}
\`\`\`

| Code | Status | When | Message | Payload |
|---|---|---|---|---|
| gone | 404 | not found, unknown path | No {error.resource} {error.value}. | Lost |
| nowhere | 422 | unknown reference | No {error.reference} {error.value}. | |
| is_lost | 409 | | {error.field} Lost. | Lost |
| too_late | 409 | | Late. | |

### Shape: Lost of Book

\`\`\`cel
{"message": error.message, "book": Book(this), "room": this.shelf.room}
\`\`\``,
      }),
    );
  });
  after(() => served.close());

  const header = (answer: { headers: readonly (readonly [string, string])[] }, name: string) =>
    answer.headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1];

  test("has the name by which a record was requested, whether it has the right type or not", async () => {
    assert.equal((await served.send("GET", "/books/77")).json.message, "No book 77.");
    assert.equal((await served.send("GET", "/books/none")).json.message, "No book none.");
    assert.equal((await served.send("POST", "/books/77/lose")).json.message, "No book 77.");
  });

  test("names the target of a wrong reference, in addition to the resource with the reference", async () => {
    const body = { title: "A", shelf: 9 };
    assert.deepEqual((await served.send("POST", "/books", { body })).json, {
      code: "nowhere",
      message: "No book_shelf 9.",
      resource: "book",
      reference: "book_shelf",
    });
    assert.equal((await served.send("GET", "/books?after=9")).json.reference, "book");
  });

  test("has the part's headers if their values are known", async () => {
    for (const target of ["/books/77", "/nothing", "/books?limit=0"]) {
      const answer = await served.send("GET", target);
      assert.equal(header(answer, "x-call"), "GET", target);
      assert.equal(header(answer, "x-trace"), undefined, target);
    }
    const answer = await served.send("GET", "/books/77", { headers: { "X-Trace": "abc" } });
    assert.equal(header(answer, "x-trace"), "abc");
  });

  test("has a record in its body, if the error is about a record of the shape's resource", async () => {
    const made = await served.send("POST", "/books", { body: { title: "B" } });
    const { id } = made.json;
    assert.equal((await served.send("POST", `/books/${id}/lose`)).status, 200);
    const answer = await served.send("POST", `/books/${id}/lose`);
    assert.equal(answer.status, 409);
    assert.deepEqual(answer.json, {
      message: "Lost.",
      book: { id, title: "B", shelf: null, lost: true },
      room: null,
    });
    assert.equal((await served.send("GET", "/nothing")).json.code, "gone");
  });
});
