/** For tests of proposals: small documents of books with one or a few endpoints. */
import { workListOf } from "../worklist.ts";

export const withTitle = `
### Note

- Identifier: none

| Field      | Type                | Rules    |
| ---------- | ------------------- | -------- |
| number     | integer             | required |
| title      | string              | required |
| state      | one of open, closed |          |
| created_at | timestamp           | required |
`;

export function kindsOf(endpoints: string, resources = ""): readonly string[] {
  const { proposals } = workListOf("books.md", documentWith(endpoints, resources));
  return proposals.map(({ kind, subject }) => `${kind} ${subject}`);
}

export function documentWith(endpoints: string, resources: string): string {
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

export const list = (path: string, rows = "") => `### GET ${path}

- Does: not shown
- Returns: 200 list of Book

${rows === "" ? "" : `| Input | In | Type | Rules | Where |\n|---|---|---|---|---|\n${rows}\n`}
`;

export const notes = `### GET /repos/{owner}/{repo}/notes

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

export const queue = `### GET /books

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
