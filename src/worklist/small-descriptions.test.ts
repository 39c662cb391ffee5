/**
 * Proposals for general forms of real descriptions, each renamed: several schemes with scopes and
 * cursors in an object (GitBook), and a PUT that creates or updates (Rebilly).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../inputs/formats.ts";
import { accept } from "./accept.ts";
import { workListOf } from "./worklist.ts";

const text = { type: "string" };
const book = { $ref: "#/components/schemas/Book" };
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const answer = (schema: object) => ({ description: "ok", ...json(schema) });
const sent = json({ type: "object", required: ["title"], properties: { title: text } });
const inQuery = (name: string, schema: object) => ({ name, in: "query", schema });
const scheme = { type: "oauth2", flows: { implicit: { scopes: { read: "", write: "" } } } };

const page = {
  type: "object",
  required: ["items"],
  properties: {
    next: { type: "object", required: ["page"], properties: { page: text } },
    items: { type: "array", items: book },
  },
};

const description = {
  openapi: "3.1.0",
  info: { title: "Books", version: "1" },
  security: [{ user: ["read"] }, { machine: ["write"] }],
  paths: {
    "/books": {
      get: {
        parameters: [inQuery("limit", { type: "number", minimum: 0, maximum: 100 }), inQuery("page", text)],
        responses: { 200: answer(page) },
      },
      post: { requestBody: sent, responses: { 201: answer(book) } },
    },
    "/books/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: text }],
      get: { responses: { 200: answer(book) } },
      put: { requestBody: sent, responses: { 200: answer(book), 201: answer(book) } },
    },
  },
  components: {
    securitySchemes: { user: scheme, machine: scheme },
    schemas: { Book: { type: "object", properties: { id: text, title: text } } },
  },
};

const options = { name: "books.json", readRelative: () => undefined, only: [] };
const imported = importFile("openapi", { ...options, text: JSON.stringify(description) }).text;

test("scopes of several schemes, which exclude each other, exclude no other proposal", () => {
  const kinds = workListOf("books.md", imported).proposals.map(({ kind }) => kind);
  assert.deepEqual(kinds.filter((kind) => kind === "scopes").length, 2);
  assert.ok(kinds.includes("list-in-envelope") && kinds.includes("put-upserts"), kinds.join());
  const { text: accepted, counts } = accept("books.md", imported, ["scopes"]);
  assert.equal(counts.get("scopes"), 1);
  assert.match(accepted, /- Allowed: /);
});

test("a cursor called page, in an object that is left out on the last page", () => {
  const { text: accepted } = accept("books.md", imported, ["list-in-envelope"]);
  assert.match(accepted, /- Pagination: cursor \(size: limit, at: page\)/);
  assert.match(accepted, /"next\?": page\.next == null \? null : \{"page": page\.next\}/);
});

test("a PUT that returns the record with 200 or 201 creates or updates it", () => {
  const { text: accepted } = accept("books.md", imported, ["put-upserts"]);
  assert.match(
    accepted,
    /### PUT \/books\/\{id\}\n\n<!-- .* -->\n\n- Does: upsert Book\n- Fails: not shown\n- Body: title\n- Returns: 201 Book when created\n- Returns: 200 Book\n/,
  );
});

test("what a PUT alone may send is in its Body", () => {
  const password = { type: "string", writeOnly: true };
  const withPassword = JSON.stringify(description).replaceAll(
    '"title":{"type":"string"}',
    `"title":{"type":"string"},"password":${JSON.stringify(password)}`,
  );
  const { text: written } = importFile("openapi", { ...options, text: withPassword });
  assert.match(
    accept("books.md", written, ["put-upserts"]).text,
    /- Body: title\??, password\??\n- Returns: 201 Book when/,
  );
});

test("the time of an edit is not proposed as that of each change", () => {
  const edited = JSON.stringify(description).replace(
    '"Book":{"type":"object","properties":{',
    '"Book":{"type":"object","properties":{"editedAt":{"type":"string","format":"date-time"},"updatedAt":{"type":"string","format":"date-time"},',
  );
  const { text: written } = importFile("openapi", { ...options, text: edited });
  const { proposals } = workListOf("books.md", written);
  assert.deepEqual(
    proposals.filter(({ kind }) => kind.endsWith("updated-times")).map(({ subject }) => subject),
    ["Book.updatedAt"],
  );
});
