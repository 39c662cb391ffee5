/**
 * Proposals about operations in small documents. Each is a renamed case of a real description that
 * had a wrong proposal or none.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, answerByHand } from "../accept.ts";
import { workListOf } from "../worklist.ts";

const withTitle = `
### Note

- Identifier: none

| Field      | Type                | Rules    |
| ---------- | ------------------- | -------- |
| number     | integer             | required |
| title      | string              | required |
| state      | one of open, closed |          |
| created_at | timestamp           | required |
`;

function kindsOf(endpoints: string, resources = ""): readonly string[] {
  const { proposals } = workListOf("books.md", documentWith(endpoints, resources));
  return proposals.map(({ kind, subject }) => `${kind} ${subject}`);
}

function documentWith(endpoints: string, resources: string): string {
  return `# Interface Specification: Books

## What the service does

- Purpose: keeps books
- Domain: none
- Behaviour: none

## Resources and their fields

### Book

- Identifier: id, made by not shown

| Field | Type   | Rules                          |
| ----- | ------ | ------------------------------ |
| id    | string | pattern \`^BK[0-9a-f]{16}$\`     |
| genre | string |                                |
| owner | string |                                |
${resources}
## States and transitions

- States: none
- Transitions: none

## Endpoints

- Base path: /

### GET /books/{id}

- Does: read Book
- Returns: 200 Book

${endpoints}
## Authentication

- Scheme: none
- Credentials: none
- Placement: none

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Error codes: none
- Status codes: none
- Payload shape: none

## Limits

- Rate limits: none
- Size limits: none
- Time-outs: none
- Pagination bounds: not shown

## Versioning

- Version scheme: none
- Compatibility rules: none
`;
}

const list = (path: string, rows = "") => `### GET ${path}

- Does: not shown
- Returns: 200 list of Book

${rows === "" ? "" : `| Input | In | Type | Rules | Where |\n|---|---|---|---|---|\n${rows}\n`}
`;

test("a list at the collection may be of all records", () => {
  assert.ok(kindsOf(list("/books")).includes("list GET /books"));
});

test("a list whose default chooses among the records is not of all of them", () => {
  const chosen = list("/books", '| genre | query | string | default `"novel"` | not shown |');
  assert.ok(!kindsOf(chosen).includes("list GET /books"));
  const known = list("/books", "| genre | query | string | | not shown |");
  assert.ok(kindsOf(known).includes("list GET /books"));
  const paged = list("/books", "| limit | query | integer | default `20` | not shown |");
  assert.ok(kindsOf(paged).includes("list GET /books"));
});

test("a list beneath a path of its own is not of all records", () => {
  assert.ok(kindsOf(list("/owners/{owner}/books")).includes("list-beneath GET /owners/{owner}/books"));
  const late = kindsOf(list("/owners/{owner}/overdue-books"));
  assert.ok(!late.some((proposal) => proposal.includes("overdue")), late.join());
});

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
const notes = `### GET /repos/{owner}/{repo}/notes

- Does: not shown
- Returns: 200 list of Note

| Input | In    | Type                     | Rules            | Where     |
| ----- | ----- | ------------------------ | ---------------- | --------- |
| state | query | one of open, closed, all | default \`"open"\` | not shown |

### POST /repos/{owner}/{repo}/notes

- Does: not shown
- Returns: 201 Note

| Input | In   | Type                | Rules    | Where     |
| ----- | ---- | ------------------- | -------- | --------- |
| title | body | string              | required | not shown |
| state | body | one of open, closed |          | not shown |

### GET /repos/{owner}/{repo}/notes/{note_number}

- Does: not shown
- Returns: 200 Note

### PATCH /repos/{owner}/{repo}/notes/{note_number}

- Does: not shown
- Returns: 200 Note

| Input | In   | Type                | Rules | Where     |
| ----- | ---- | ------------------- | ----- | --------- |
| title | body | string              |       | not shown |
| state | body | one of open, closed |       | not shown |

### DELETE /repos/{owner}/{repo}/notes/{note_number}

- Does: not shown
- Returns: 204 nothing
`;

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

test("a value that means all records doesn't filter", () => {
  const { text } = accept("notes.md", documentWith(notes, withTitle), ["likely", "possible"]);
  assert.match(text, /`query\.state == "all" \\\|\\\| this\.state == query\.state`/);
});

test("pages with a Link header have the addresses of the others in it", () => {
  const paged = `${list(
    "/books",
    "| page | query | integer | default `1` | not shown |\n| limit | query | integer | default `20` | not shown |",
  ).replace("list of Book", "list of Book\n- Header: Link: not shown")}`;
  const { text } = accept("books.md", documentWith(paged, ""), ["list", "pagination"]);
  assert.match(text, /- Pagination: page \(page: page, size: limit\), with Link/);
  assert.doesNotMatch(text, /- Header: Link/);
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
const queue = `### GET /books

Lists books.

<!-- openapi #/paths/~1books/get: 200 has a list of Book in "books" with page, page_size, total -->

- Does: not shown
- Returns: 200 json

| Input    | In    | Type    | Rules  | Where     |
| -------- | ----- | ------- | ------ | --------- |
| Page     | query | integer | 0..    | not shown |
| PageSize | query | integer | 1..100 | not shown |

### POST /books/{id}

- Does: not shown
- Returns: 200 Book

| Input     | In   | Type   | Rules | Where     |
| --------- | ---- | ------ | ----- | --------- |
| ShelfMark | body | string |       | not shown |
| Notify    | body | string |       | not shown |
`;

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

test("a list in an envelope is recognized by the comment of the import", () => {
  const { text } = accept("books.md", documentWith(queue, ""), ["list-in-envelope"]);
  assert.match(text, /- Does: list Book\n/);
  assert.match(
    text,
    /"books": page\.items\.map\(r, Book\(r\)\), "page": page\.number, "page_size": page\.size/,
  );
});

test("an input sets the field whose name differs by case and separators", () => {
  const resources = "| shelf_mark | string | not shown |\n";
  const { text } = accept("books.md", documentWith(queue, resources), ["post-updates", "inputs-alike"]);
  assert.match(text, /^\| ShelfMark \| body \| +\| +\| shelf_mark \|$/m);
  assert.match(text, /^\| Notify +\| body \| string \| +\| not shown +\|$/m);
  assert.match(text, /^\| shelf_mark \| string \| nullable +\|$/m);
});

test("objects of an envelope are filled member by member, and optional members are omitted", () => {
  const values = `
### BookList

- Identifier: none

| Field | Type         | Rules    |
| ----- | ------------ | -------- |
| books | list of Book |          |
| links | json         |          |
| meta  | Meta         | required |

### Meta

- Identifier: none

| Field | Type    | Rules    |
| ----- | ------- | -------- |
| total | integer | required |
`;
  const enveloped = list("/books")
    .replace("200 list of Book", "200 BookList")
    .replace(
      "- Does",
      '<!-- openapi #/paths/~1books/get: 200 has a list of Book in "books" with links, meta -->\n\n- Does',
    );
  const { text } = accept("books.md", documentWith(enveloped, values), ["list-in-envelope"]);
  assert.match(text, /`\{"books": page\.items\.map\(r, Book\(r\)\), "meta": \{"total": page\.total\}\}`/);
  const required = values.replace("| json         |          |", "| json         | required |");
  assert.ok(!kindsOf(enveloped, required).includes("list-in-envelope GET /books"));
});

test("an enumeration in another order filters, too", () => {
  const rows = '| kind | query | one of novel, poem | default `"poem"` | not shown |';
  const resources = "| kind  | one of poem, novel |                  |\n";
  const { text } = accept("books.md", documentWith(list("/books", rows), resources), ["list"]);
  assert.match(text, /- Does: list Book/);
  assert.match(text, /`this\.kind == query\.kind`/);
});

test("a list is in the order that its inputs choose, if each has a default and names fields", () => {
  const list = (sort: string, direction: string) => `### GET /books

- Does: list Book
- Order: not shown
- Returns: 200 list of Book

| Input     | In    | Type            | Rules        | Where     |
| --------- | ----- | --------------- | ------------ | --------- |
| sort      | query | ${sort} | not shown |
| direction | query | one of asc, desc | ${direction} | not shown |`;
  const byGenre = list('one of genre, owner | default `"owner"`', 'default `"desc"`');
  const isProposed = (text: string) => kindsOf(text).includes("order GET /books");
  assert.ok(isProposed(byGenre));
  assert.ok(!isProposed(list('one of genre, completeness | default `"genre"`', 'default `"desc"`')));
  assert.ok(!isProposed(list('one of genre, owner | default `"owner"`', "")));
  assert.ok(!isProposed(byGenre.replace("Order: not shown", "Order: owner")));
  const { text } = accept("books.md", documentWith(byGenre, ""), ["order"]);
  assert.match(
    text,
    /- Order: genre by query\.direction, else descending when `query\.sort == "genre"`\n- Order: owner by query\.direction, else descending when `query\.sort == "owner"`/,
  );
  assert.doesNotMatch(text, /Order: not shown/);
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
