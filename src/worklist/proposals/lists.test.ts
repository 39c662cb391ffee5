/** Proposals about lists: which records, filters, pages, order and envelopes. Each is a renamed case of a real description. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { accept } from "../accept.ts";
import { documentWith, kindsOf, list, notes, queue, withTitle } from "./test-documents.ts";

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

test("a list in an envelope is recognized by the comment of the import", () => {
  const { text } = accept("books.md", documentWith(queue, ""), ["list-in-envelope"]);
  assert.match(text, /- Does: list Book\n/);
  assert.match(
    text,
    /"books": page\.items\.map\(r, Book\(r\)\), "page": page\.number, "page_size": page\.size/,
  );
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
