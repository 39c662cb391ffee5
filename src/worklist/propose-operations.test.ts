/**
 * Proposals that the hand check of real descriptions found wrong. Each small document is one of them
 * with its names changed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { workListOf } from "./worklist.ts";

function kindsOf(endpoints: string, resources = ""): readonly string[] {
  const text = `# Interface Specification: Books

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
- Pagination bounds: none

## Versioning

- Version scheme: none
- Compatibility rules: none
`;
  return workListOf("books.md", text).proposals.map(({ kind, subject }) => `${kind} ${subject}`);
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
  const paged = list("/books", "| limit | query | integer | default `20` | not shown |");
  assert.ok(kindsOf(paged).includes("list GET /books"));
});

test("a list beneath a path of its own is not of all records", () => {
  assert.ok(kindsOf(list("/owners/{owner}/books")).includes("list-beneath GET /owners/{owner}/books"));
  const late = kindsOf(list("/owners/{owner}/overdue-books"));
  assert.ok(!late.some((proposal) => proposal.includes("overdue")), late.join());
});

test("a PUT that answers 201 alone makes a record, and updates none", () => {
  const put = (status: number) => `### PUT /books/{id}

- Does: not shown
- Returns: ${status} Book

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| genre | body | string | | not shown |
`;
  assert.ok(kindsOf(put(200)).includes("put-updates PUT /books/{id}"));
  assert.ok(!kindsOf(put(201)).includes("put-updates PUT /books/{id}"));
});

test("an identifier that is called after another resource is made with that one", () => {
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
