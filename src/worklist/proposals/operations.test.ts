/**
 * Proposals about operations in small documents. Each is a renamed case of a real description that
 * had a wrong proposal or none.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, answerByHand } from "../accept.ts";
import { documentWith, kindsOf, notes, queue, withTitle } from "./test-documents.ts";

const put = (status: number, prose = "", rules = "required") => `### PUT /books/{id}

${prose}

- Does: not shown
- Returns: ${status} Book

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| genre | body | string | ${rules} | not shown |
`;

test("a PUT with only 201 creates a record, and updates none", () => {
  assert.ok(kindsOf(put(200)).includes("put-updates PUT /books/{id}"));
  assert.ok(!kindsOf(put(201)).some((proposal) => proposal.startsWith("put-")));
});

test("a PUT or PATCH at an item without a body in its response updates", () => {
  const empty = put(204, "Updates a book.").replace("204 Book", "204 nothing");
  assert.ok(kindsOf(empty).includes("put-updates PUT /books/{id}"));
  assert.ok(kindsOf(empty.replace("### PUT", "### PATCH")).includes("update PATCH /books/{id}"));
  assert.ok(!kindsOf(empty.replace("| genre |", "| other |")).some((proposal) => proposal.includes("PUT")));
});

test("a PUT updates or replaces by its words, by a PATCH at its path, or without optional inputs", () => {
  const kindOf = (endpoints: string) =>
    kindsOf(endpoints)
      .find((proposal) => /PUT/.test(proposal))
      ?.split(" ")[0];
  assert.equal(kindOf(put(200, "Replaces a book.")), "put-replaces");
  assert.equal(kindOf(put(200, "Updates a book.", "")), "put-updates");
  assert.equal(kindOf(put(200, "Sends a book.", "")), undefined);
  const patch = put(200, "Changes some fields.", "").replace("### PUT", "### PATCH");
  assert.equal(kindOf(`${put(200, "Updates a book.", "")}\n${patch}`), "put-replaces");
  assert.equal(kindOf(`${put(200, "Partially updates a book.", "")}\n${patch}`), "put-updates");
  const { text } = accept("books.md", documentWith(put(200, "Replaces a book."), ""), ["put-replaces"]);
  assert.match(text, /- Does: replace Book\n/);
});

test("an identifier with the name of another resource is created with it", () => {
  const loan = `
### Loan

- Identifier: book_id, made by not shown

| Field   | Type   | Rules                      |
| ------- | ------ | -------------------------- |
| book_id | string | pattern \`^BK[0-9a-f]{16}$\` |
`;
  const kinds = kindsOf("", loan);
  assert.ok(kinds.includes("identifier-patterns Book"));
  assert.ok(!kinds.includes("identifier-patterns Loan"));
});

/** Endpoints of notes beneath two parameters that no field of a note names. */

test("path parameters without a field are stored in internal fields", () => {
  const { text, counts } = accept("notes.md", documentWith(notes, withTitle), ["likely", "possible"]);
  assert.deepEqual([...counts.keys()].filter((kind) => /within|state|resources/.test(kind)).toSorted(), [
    "create-within",
    "delete-within",
    "list-within",
    "read-within",
    "resources",
    "update-state",
  ]);
  assert.match(text, /^\| owner +\| string +\| internal +\|$/m);
  assert.match(text, /^\| repo +\| string +\| internal +\|$/m);
  assert.match(text, /- Does: create Note\n- Set: `owner = path.owner`\n- Set: `repo = path.repo`\n/);
  assert.match(text, /- Does: delete Note\n- Where: `this.owner == path.owner`\n- Where: `this.repo == /);
  assert.doesNotMatch(text, /- Does: not shown/);
});

test("a value that becomes a resource has fields that the service fills", () => {
  const { text } = accept("notes.md", documentWith(notes, withTitle), ["resources", "created-times"]);
  assert.match(text, /^\| created_at +\| timestamp +\| required, on create `now` +\|$/m);
  assert.match(text, /^\| title +\| string +\| required +\|$/m);
});

test("the rules of a proposed identifier are no open question", () => {
  const open = withTitle.replace(
    "| number     | integer             | required |",
    "| number | integer | not shown |",
  );
  const { text } = accept("notes.md", documentWith(notes, open), ["resources"]);
  assert.match(text, /^- Identifier: number, made by not shown$/m);
  assert.match(text, /^\| number +\| integer +\| +\|$/m);
});

test("a parameter may have the last words of the record's name", () => {
  const value = `
### PaymentLink

- Identifier: none

| Field     | Type   | Rules    |
| --------- | ------ | -------- |
| id        | string |          |
| reference | string | required |
`;
  const endpoints = (parameter: string) => `### POST /paymentLinks

- Does: not shown
- Returns: 201 PaymentLink

| Input     | In   | Type   | Rules    | Where     |
| --------- | ---- | ------ | -------- | --------- |
| reference | body | string | required | not shown |

### GET /paymentLinks/{${parameter}}

- Does: not shown
- Returns: 200 PaymentLink

`;
  const resources = (parameter: string) =>
    kindsOf(endpoints(parameter), value).filter((kind) => kind.startsWith("resources "));
  for (const parameter of ["linkId", "paymentLinkId", "id"]) {
    assert.deepEqual(resources(parameter), ["resources PaymentLink"], parameter);
    const { text } = accept("links.md", documentWith(endpoints(parameter), value), ["resources"]);
    const { counts } = accept("links.md", text, ["likely", "possible"]);
    assert.deepEqual([counts.get("read"), counts.get("create")], [1, 1], parameter);
  }
  for (const parameter of ["inkId", "paymentId", "Id2"])
    assert.deepEqual(resources(parameter), [], parameter);
});

const domain = `
### Domain

- Identifier: none

| Field  | Type   | Rules |
| ------ | ------ | ----- |
| id     | string |       |
| name   | string |       |
| status | string |       |

### NewDomain

- Identifier: none

| Field | Type   | Rules        |
| ----- | ------ | ------------ |
| kind  | string | = "domain"   |
| id    | string |              |

### GoneDomain

- Identifier: none

| Field   | Type    | Rules |
| ------- | ------- | ----- |
| id      | string  |       |
| deleted | boolean |       |

### CheckedDomain

- Identifier: none

| Field  | Type    | Rules |
| ------ | ------- | ----- |
| id     | string  |       |
| passed | boolean |       |
`;

const domains = `### POST /domains

- Does: not shown
- Returns: 201 NewDomain

| Input | In   | Type   | Rules    | Where     |
| ----- | ---- | ------ | -------- | --------- |
| name  | body | string | required | not shown |

### GET /domains/{domain_id}

- Does: not shown
- Returns: 200 Domain

### PATCH /domains/{domain_id}

- Does: not shown
- Returns: 200 CheckedDomain

| Input | In   | Type   | Rules | Where     |
| ----- | ---- | ------ | ----- | --------- |
| name  | body | string |       | not shown |

### DELETE /domains/{domain_id}

- Does: not shown
- Returns: 200 GoneDomain

`;

test("a value that only its item returns is a resource if the path is named after it", () => {
  const kinds = (endpoints: string) =>
    kindsOf(endpoints, domain).filter((kind) => kind.startsWith("resources"));
  assert.deepEqual(kinds(domains), ["resources-by-name Domain"]);
  assert.deepEqual(kinds(domains.replaceAll("/domains", "/sites").replaceAll("domain_id", "id")), []);
  // Without a request that creates or changes it, it may be a view of something else.
  assert.deepEqual(kinds(`### GET ${domains.split("### GET ")[1]?.split("###")[0] ?? ""}`), []);
  const { text } = accept("mail.md", documentWith(domains, domain), ["resources-by-name"]);
  assert.match(text, /^\| status +\| string +\| on create not shown +\|$/m);
  assert.match(text, /^\| name +\| string +\| +\|$/m);
});

test("a response of its own has the fields of the record, and nothing else is made up for it", () => {
  const { text } = accept("mail.md", documentWith(domains, domain), ["resources-by-name"]);
  const { text: made, counts } = accept("mail.md", text, ["in-own-shape"]);
  assert.equal(counts.get("in-own-shape"), 2);
  assert.match(made, /- Does: create Domain\n[^#]*- Returns: 201 `\{"kind": "domain", "id": this\.id\}`/);
  assert.match(made, /- Does: delete Domain\n[^#]*- Returns: 200 `\{"id": this\.id, "deleted": true\}`/);
  assert.match(made, /### PATCH [^#]*- Does: not shown\n/);
});

test("an input sets a field of another value with the same fields", () => {
  const parts = ["Cover", "NewCover"].map(
    (name) => `
### ${name}

- Identifier: none

| Field | Type | Rules |
| ----- | ---- | ----- |
| url   | uri  |       |
`,
  );
  const resources = `| cover | Cover  |                                |\n${parts.join("")}`;
  const put = `### PATCH /books/{id}

- Does: not shown
- Returns: 200 Book

| Input | In   | Type     | Rules | Where     |
| ----- | ---- | -------- | ----- | --------- |
| cover | body | NewCover |       | not shown |
`;
  const { text } = accept("books.md", documentWith(put, resources), ["update"]);
  assert.match(text, /- Does: update Book\n- Fails: not shown\n- Body: cover\?/);
});

/** As an import writes it: prose, and a comment with content for which the notation has no item. */

test("a time of the last change that may be null is a kind of its own", () => {
  const times = (rules: string) =>
    kindsOf("", `| updated_at | timestamp | ${rules} |\n`).filter((kind) => kind.includes("times"));
  assert.deepEqual(times("required, on create not shown"), ["updated-times Book.updated_at"]);
  assert.deepEqual(times("on create not shown"), ["null-or-updated-times Book.updated_at"]);
});

test("headers with a usual name are keys of idempotency and preconditions", () => {
  const endpoints = `### PATCH /books/{id}

- Does: update Book
- Body: genre?
- Returns: 200 Book

| Input           | In     | Type   | Rules    | Where     |
| --------------- | ------ | ------ | -------- | --------- |
| Idempotency-Key | header | string |          | not shown |
| If-Match        | header | string | required | not shown |
| X-Trace         | header | string |          | not shown |
`;
  const { text } = accept("books.md", documentWith(endpoints, ""), ["idempotency", "preconditions"]);
  assert.match(text, /^- Idempotency: header Idempotency-Key$/m);
  assert.match(text, /^- Preconditions: If-Match required$/m);
  assert.match(text, /^\| X-Trace +\|.*not shown \|$/m);
  assert.doesNotMatch(text, /^\| (Idempotency-Key|If-Match)/m);
});

test("a record in an envelope is recognized by the comment of the import", () => {
  const enveloped = `### POST /books

<!-- openapi #/paths/~1books/post: 200 has Book in "data" -->

- Does: not shown
- Returns: 200 json

| Input | In   | Type   | Rules | Where     |
| ----- | ---- | ------ | ----- | --------- |
| genre | body | string |       | not shown |
`;
  const { text } = accept("books.md", documentWith(enveloped, ""), ["create"]);
  assert.match(text, /- Does: create Book\n/);
  assert.match(text, /- Returns: 200 `\{"data": Book\(this\)\}`\n/);
});

test("`none` for an input that nothing reads says that it has no effect", () => {
  const list = `### GET /books

- Does: list Book
- Order: genre by query.direction, else ascending
- Returns: 200 list of Book

| Input     | In    | Type               | Rules | Where     |
| --------- | ----- | ------------------ | ----- | --------- |
| direction | query | one of asc, desc   |       | not shown |
| backlink  | query | boolean            |       | not shown |
`;
  const answers = ["GET /books backlink", "GET /books direction"];
  const text = answers.reduce(
    (document, id) => answerByHand("books.md", document, id, "none").text,
    documentWith(list, ""),
  );
  assert.match(text, /^\| direction \|.*\| +\|$/m);
  assert.match(text, /^\| backlink +\|.*\| none +\|$/m);
});

test("an input sets the field whose name differs by case and separators", () => {
  const resources = "| shelf_mark | string | not shown |\n";
  const { text } = accept("books.md", documentWith(queue, resources), ["post-updates", "inputs-alike"]);
  assert.match(text, /^\| ShelfMark \| body \| +\| +\| shelf_mark \|$/m);
  assert.match(text, /^\| Notify +\| body \| string \| +\| not shown +\|$/m);
  assert.match(text, /^\| shelf_mark \| string \| nullable +\|$/m);
});

test("an input sets a field by `Body` only if both have one name in requests", () => {
  const create = (rules: string) => `### POST /books

- Does: create Book
- Returns: 201 Book

| Input | In   | Type   | Rules | Where     |
| ----- | ---- | ------ | ----- | --------- |
| genre | body | string | ${rules} | not shown |`;
  assert.ok(kindsOf(create("")).includes("inputs POST /books"));
  assert.ok(!kindsOf(create('sent as "genre[]"')).includes("inputs POST /books"));
});
