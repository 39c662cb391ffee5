/** Examples of a description are kept with their endpoint, in a comment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../formats.ts";

const pet = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "string", readOnly: true, example: "p1" },
    name: { type: "string", example: "Rex" },
    age: { type: "integer" },
  },
};
const json = (media: object) => ({ content: { "application/json": media } });

function exampleOf(operation: object, schemas: object = { Pet: pet }): object | undefined {
  const { text } = importFile("openapi", {
    name: "pets.json",
    text: JSON.stringify({ openapi: "3.1.0", paths: { "/pets": operation }, components: { schemas } }),
    readRelative: () => undefined,
    only: [],
  });
  return exampleIn(text);
}

function exampleIn(text: string): { readonly response?: object } | undefined {
  const [, example] = /^<!-- openapi example: (.*) -->$/m.exec(text) ?? [];
  return example === undefined ? undefined : JSON.parse(example);
}

const ref = { $ref: "#/components/schemas/Pet" };

test("a request and its response of the same name are an example", () => {
  const named = (values: object) => ({
    schema: ref,
    examples: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])),
  });
  const post = {
    requestBody: json(named({ cat: { name: "Tom" }, dog: { name: "Rex" } })),
    responses: { 201: json(named({ dog: { id: "d", name: "Rex" } })) },
  };
  assert.deepEqual(exampleOf({ post }), {
    parameters: {},
    body: { name: "Rex" },
    status: 201,
    response: { id: "d", name: "Rex" },
  });
});

test("examples of properties make a request of the required ones, and a response", () => {
  const post = { requestBody: json({ schema: ref }), responses: { 201: json({ schema: ref }) } };
  assert.deepEqual(exampleOf({ post }), {
    parameters: {},
    body: { name: "Rex" },
    status: 201,
    response: { id: "p1", name: "Rex" },
  });
});

test("an operation without a value for a required input or for its response has no example", () => {
  const response = { 200: json({ schema: ref }) };
  const parameters = [{ name: "kind", in: "query", required: true, schema: { type: "string" } }];
  assert.equal(exampleOf({ get: { parameters, responses: response } }), undefined);
  assert.equal(exampleOf({ get: { responses: response } }, { Pet: { ...pet, properties: {} } }), undefined);
  const get = { parameters: [{ ...parameters[0], example: "dog" }], responses: response };
  assert.deepEqual(exampleOf({ get }), {
    parameters: { query: { kind: "dog" } },
    status: 200,
    response: { id: "p1", name: "Rex" },
  });
});

test("a list keeps one record, and a text that would end the comment is escaped", () => {
  const example = [{ id: "p1", name: "a --> `b` <!-- c" }, { id: "p2" }];
  const get = { responses: { 200: json({ schema: { type: "array", items: ref }, example }) } };
  const item = { responses: { 200: json({ schema: ref }) } };
  const { text } = importFile("openapi", {
    name: "pets.json",
    text: JSON.stringify({
      openapi: "3.1.0",
      paths: { "/pets": { get }, "/pets/{id}": { get: item } },
      components: { schemas: { Pet: pet } },
    }),
    readRelative: () => undefined,
    only: [],
  });
  assert.deepEqual(exampleIn(text)?.response, [example[0]]);
});

test("a long example is counted, and not kept", () => {
  const get = { responses: { 200: json({ schema: ref, example: { id: "p1", name: "x".repeat(3000) } }) } };
  assert.equal(exampleOf({ get }), undefined);
});
