/**
 * Mangled descriptions: wherever a value has a wrong type or the text is broken, the import gives a
 * document without an error, or refuses the file with its line. It never crashes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { ImportRefused } from "./description/files.ts";
import { type FormatName, importFile } from "../formats.ts";
import { fc, seed, times } from "../../../test/fixed-seed.ts";

const pet = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "string", format: "uuid", readOnly: true },
    name: { type: "string", minLength: 1, pattern: "^a" },
    state: { type: "string", enum: ["open", "closed"], default: "open" },
    tags: { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
    owner: { allOf: [{ $ref: "#/components/schemas/Owner" }], description: "owner" },
  },
};
const owner = { type: "object", properties: { email: { type: "string" } }, additionalProperties: false };
const ofPet = { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } };
const openapi = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1", description: "All pets." },
  servers: [{ url: "https://{host}/v1", variables: { host: { default: "a" } } }],
  tags: [{ name: "pets", parent: "all" }],
  security: [{ key: ["read"] }],
  paths: {
    "/pets": {
      parameters: [{ name: "trace", in: "header", schema: { type: "string" } }],
      get: {
        tags: ["pets"],
        parameters: [{ name: "limit", in: "query", style: "form", schema: { type: "integer", maximum: 9 } }],
        responses: {
          "200": {
            description: "all",
            headers: { Link: { schema: { type: "string" } } },
            content: {
              "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/Pet" } } },
            },
          },
        },
      },
      post: {
        operationId: "make",
        requestBody: { required: true, content: ofPet },
        responses: { "201": { description: "made", content: ofPet }, "429": { description: "slow down" } },
      },
    },
    "/pets/{petId}": {
      get: {
        parameters: [{ name: "petId", in: "path", required: true, schema: { type: "string" } }],
        responses: { "200": { description: "one", content: ofPet }, "404": { description: "not found" } },
      },
    },
  },
  webhooks: { made: { post: { requestBody: { content: ofPet } } } },
  components: {
    schemas: { Pet: pet, Owner: owner },
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
  },
};
const swagger = {
  swagger: "2.0",
  basePath: "/v1",
  consumes: ["application/json"],
  paths: {
    "/pets": {
      post: {
        consumes: ["multipart/form-data"],
        parameters: [{ name: "name", in: "formData", type: "string", required: true }],
        responses: { "201": { description: "made", schema: { $ref: "#/definitions/Pet" } } },
      },
      put: {
        parameters: [
          { name: "pet", in: "body", schema: { $ref: "#/definitions/Pet" } },
          { name: "a", in: "query", type: "array", items: { type: "string" }, collectionFormat: "csv" },
        ],
        responses: { default: { description: "any" } },
      },
    },
  },
  definitions: { Pet: owner },
  securityDefinitions: { login: { type: "oauth2", flow: "implicit", scopes: { read: "to read" } } },
};

const har = {
  log: {
    entries: [
      {
        request: {
          method: "POST",
          url: "https://api.example.com/pets/42?limit=1",
          headers: [{ name: "X-Trace", value: "1" }],
          postData: { mimeType: "application/json", text: '{"name": "a"}' },
        },
        response: {
          status: 201,
          content: { mimeType: "application/json", size: 9, text: '{"id": "42"}' },
        },
      },
    ],
  },
};
const postman = {
  info: { name: "Pets", description: { content: "All pets." } },
  auth: { type: "apikey", apikey: [{ key: "key", value: "X-Key" }] },
  item: [
    {
      name: "Pets",
      item: [
        {
          name: "Make",
          request: {
            method: "POST",
            url: { raw: "{{baseUrl}}/pets/:id", query: [{ key: "limit", value: "1" }] },
            header: [{ key: "X-Trace", value: "1" }],
            body: { mode: "raw", raw: '{"name": "a"}', options: { raw: { language: "json" } } },
          },
          response: [{ code: 200, body: "{}", header: [{ key: "Content-Type", value: "a/b" }] }],
        },
      ],
    },
  ],
};
const asyncapi = {
  asyncapi: "3.0.0",
  info: { title: "Pets" },
  channels: { pets: { messages: { made: { name: "pet.made", payload: owner } } } },
  operations: {
    send: { action: "send", channel: { $ref: "#/channels/pets" } },
    take: { action: "receive", messages: [{ $ref: "#/channels/pets/messages/made" }] },
  },
};

const odd: readonly unknown[] = [
  null,
  7,
  -1e300,
  true,
  "",
  "none",
  "a | `b`\n## Events",
  [],
  {},
  [null],
  [[{}]],
  { $ref: "#" },
  { $ref: 1 },
  { $ref: "#/components/schemas/Pet" },
  { type: ["object", "array", "null"], enum: [{}], properties: [1] },
  { __proto__x: {}, constructor: {}, toString: [] },
];

type Path = readonly string[];

function places(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

function withValue(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put;
  const changed = (inner: unknown) => withValue(inner, rest, put);
  if (Array.isArray(value))
    return value.map((inner, index) => (String(index) === key ? changed(inner) : inner));
  return Object.fromEntries(
    Object.entries(value as object).map(([own, inner]) => [own, own === key ? changed(inner) : inner]),
  );
}

/** The import of a text: a document without an error, or the message of the refusal. */
function outcome(text: string, format: FormatName = "openapi"): string | undefined {
  try {
    const made = importFile(format, { name: "api.yaml", text, readRelative: () => undefined, only: [] });
    const errors = compile(made.text, { file: "api.md" }).diagnostics.filter(
      ({ severity }) => severity === "error",
    );
    assert.deepEqual(errors, []);
    return undefined;
  } catch (error) {
    if (error instanceof ImportRefused) return error.message;
    throw error;
  }
}

const described: readonly (readonly [name: string, format: FormatName, description: object])[] = [
  ["openapi", "openapi", openapi],
  ["swagger", "openapi", swagger],
  ["har", "har", har],
  ["postman", "postman", postman],
  ["asyncapi", "asyncapi", asyncapi],
];

const signs = ["openapi", "swagger", "asyncapi", "log", "log/entries", "item", "info"];

for (const [name, format, description] of described)
  test(`${name}: a wrong type at each place`, () => {
    assert.equal(outcome(JSON.stringify(description), format), undefined);
    for (const path of places(description).slice(1)) {
      const place = path.join("/");
      const sampling = { numRuns: times(1), seed: seed + place.length };
      for (const put of fc.sample(fc.constantFrom(...odd), sampling)) {
        const refused = outcome(JSON.stringify(withValue(description, path, put)), format);
        const at = `${place} ${JSON.stringify(put)}`;
        // Without its sign, a file has no known format.
        if (!signs.includes(place) || !/this is not an? /.test(refused ?? ""))
          assert.equal(refused, undefined, at);
      }
    }
  });

test("a text that is broken anywhere is rejected with its line, or read", () => {
  const text = JSON.stringify(openapi, undefined, 1);
  const breaks = fc.tuple(
    fc.nat(text.length - 2),
    fc.constantFrom("", "{", "]", ":", '"', "\t", "&a ", "*a ", "\u0000", "- "),
    fc.nat(20),
  );
  for (const [at, put, cut] of fc.sample(breaks, { numRuns: times(60), seed })) {
    const refused = outcome(text.slice(0, at + 1) + put + text.slice(at + 1 + cut));
    if (refused !== undefined)
      assert.match(refused, /^api\.yaml:\d+: |not an OpenAPI description/, `${at} ${put}`);
  }
});
