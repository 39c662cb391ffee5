/** Swagger 2.0 and OpenAPI 3.2: what they state in their own form arrives in the document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../formats.ts";

const imported = (description: object, furtherFiles: Readonly<Record<string, string>> = {}): string =>
  importFile("openapi", {
    name: "api.json",
    text: JSON.stringify(description),
    readRelative: (path) => furtherFiles[path],
    only: [],
  }).text;

const pet = { type: "object", required: ["name"], properties: { name: { type: "string", maxLength: 9 } } };

function swagger(operation: object, more: object = {}): string {
  return imported({ swagger: "2.0", paths: { "/pets": { post: operation } }, ...more });
}

test("Swagger 2.0: a body, an answer, definitions and the base path", () => {
  const text = swagger(
    {
      parameters: [{ in: "body", name: "pet", schema: { $ref: "#/definitions/Pet" } }],
      responses: { "200": { description: "made", schema: { $ref: "#/definitions/Pet" } } },
    },
    { basePath: "/v2/", definitions: { Pet: pet } },
  );
  assert.match(text, /- Base path: \/v2\n/);
  assert.match(text, /- Returns: 200 Pet\n/);
  assert.match(text, /\| name +\| body +\| string +\| required, length \.\.9 +\| not shown \|/);
});

test("Swagger 2.0: an operation that consumes a form and JSON accepts both", () => {
  const form = [
    { in: "formData", name: "text", type: "string", required: true },
    { in: "formData", name: "count", type: "integer", minimum: 1 },
  ];
  const both = ["application/x-www-form-urlencoded", "application/json"];
  const responses = { "204": { description: "" } };
  assert.match(
    swagger({ consumes: both, parameters: form, responses }),
    /- Accepts: application\/x-www-form-urlencoded, application\/json\n/,
  );
  const text = swagger({ parameters: form, responses }, { consumes: ["multipart/form-data"] });
  assert.match(text, /- Accepts: multipart\/form-data\n/);
  assert.match(text, /\| text +\| body \| string +\| required +\|/);
  assert.match(text, /\| count +\| body \| integer \| 1\.\. +\|/);
  const file = [{ in: "formData", name: "picture", type: "file" }];
  assert.match(swagger({ parameters: file, responses }), /\| picture \| body \| file \|/);
});

test("Swagger 2.0: parameters of the path, of the file and of other files", () => {
  const text = imported(
    {
      swagger: "2.0",
      paths: { "/pets": { $ref: "pets.yaml" } },
      parameters: { Limit: { in: "query", name: "limit", type: "integer", maximum: 50 } },
    },
    {
      "pets.yaml": `parameters: [{in: header, name: X-Trace, type: string}, {$ref: "api.json#/parameters/Limit"}]
get:
  produces: [text/csv]
  parameters: [{in: query, name: tags, type: array, items: {type: string}, collectionFormat: pipes}]
  responses: {"200": {description: all, schema: {type: string}}}`,
    },
  );
  assert.match(text, /\| X-Trace \| header \| string +\|/);
  assert.match(text, /\| limit +\| query +\| integer +\| \.\.50 +\|/);
  assert.match(text, /\| tags +\| query +\| list of string \| separated by "\\\|" \|/);
  assert.match(text, /get: an answer of text\/csv/);
});

test("Swagger 2.0: schemes", () => {
  const text = swagger(
    { security: [{ key: [] }], responses: {} },
    {
      securityDefinitions: {
        key: { type: "apiKey", in: "header", name: "X-Key" },
        users: { type: "basic" },
        login: { type: "oauth2", flow: "implicit", scopes: { "pets:read": "read" } },
      },
    },
  );
  assert.match(text, /### Scheme: key\n\n- Placement: header X-Key\n/);
  assert.match(text, /### Scheme: users\n\n- Placement: basic user and password\n/);
  assert.match(
    text,
    /### Scheme: login\n\n<!-- openapi #\/securityDefinitions\/login: type oauth2; scope pets:read -->\n\n- Placement: not shown\n/,
  );
  assert.match(text, /- Scheme: key\n/);
});

test("OpenAPI 3.2: QUERY is an endpoint, other methods, streams and tags are comments", () => {
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const text = imported({
    openapi: "3.2.0",
    $self: "https://example.com/api",
    tags: [{ name: "logs" }, { name: "old", parent: "logs", kind: "nav" }],
    paths: {
      "/logs": {
        query: { requestBody: json(pet), responses: { "200": { description: "ok", ...json(pet) } } },
        get: {
          responses: {
            "200": { description: "lines", content: { "application/jsonl": { itemSchema: pet } } },
          },
        },
        additionalOperations: { PURGE: {} },
      },
      "/pet": {
        get: {
          responses: {
            "200": {
              description: "one",
              content: { "application/json": { $ref: "#/components/mediaTypes/Pet" } },
            },
          },
        },
      },
    },
    components: {
      mediaTypes: { Pet: { schema: { $ref: "https://example.com/api#/components/schemas/Pet" } } },
      schemas: { Pet: pet },
    },
  });
  assert.match(text, /### QUERY \/logs\n/);
  assert.match(text, /\| name +\| body \| string \| required, length \.\.9 \| not shown \|/);
  assert.match(text, /#\/paths\/~1logs\/additionalOperations\/PURGE: method PURGE/);
  assert.match(text, /an answer of application\/jsonl, whose items are value of name/);
  assert.match(text, /#\/tags\/1: tag old: parent logs, kind nav/);
  assert.match(text, /### GET \/pet\n\n- Does: not shown\n- Returns: 200 Pet\n/);
});
