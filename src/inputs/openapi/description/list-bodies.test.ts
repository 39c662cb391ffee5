/** A body that is one object or a list of such objects, in and out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../../compile.ts";
import { withoutExtensions } from "../../../outputs/openapi/extensions.ts";
import { openapiDocument } from "../../../outputs/openapi/openapi.ts";
import { wireOf } from "../../../outputs/wire/build-wire.ts";
import { importFile } from "../../formats.ts";
import { isPlain, member } from "./values.ts";

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ "application/json": { schema } });
const either = (schema: object, more: object = {}) => ({
  anyOf: [schema, { type: "array", items: schema, ...more }],
});
const pet = { name: { type: "string", maxLength: 40 }, kind: { type: "string" } };

/** Pets that are read, and created with this body and this answer. */
function description(sent: object, answer: object): object {
  const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
  return {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    components: {
      schemas: {
        Pet: { type: "object", required: ["id", "name"], properties: { id: { type: "string" }, ...pet } },
        NewPet: { type: "object", required: ["name"], properties: pet },
      },
    },
    paths: {
      "/pets": {
        post: {
          requestBody: { required: true, content: json(sent) },
          responses: { 201: { description: "The pets", content: json(answer) } },
        },
      },
      "/pets/{id}": {
        get: { parameters, responses: { 200: { description: "The pet", content: json(to("Pet")) } } },
      },
    },
  };
}

function imported(file: unknown): string {
  const { text } = importFile("openapi", {
    name: "api.json",
    text: JSON.stringify(file),
    readRelative: () => undefined,
    only: [],
  });
  return text;
}

const newPet = to("NewPet");

test("one object or a list of such objects is created, with the bounds of the list", () => {
  const text = imported(description(either(newPet, { minItems: 1, maxItems: 100 }), either(to("Pet"))));
  assert.match(text, /- Does: create Pet or list of Pet, items 1\.\.100\n/);
  assert.match(text, /- Body: name, kind\?\n/);
  assert.match(text, /- Returns: 201 Pet or list of Pet\n/);
  const always = imported(
    description({ oneOf: [{ type: "array", items: newPet }, newPet] }, { type: "array", items: to("Pet") }),
  );
  assert.match(always, /- Does: create Pet or list of Pet\n[\s\S]*- Returns: 201 list of Pet\n/);
});

test("the export has the same body and response again", () => {
  const file = description(either(newPet, { maxItems: 3 }), either(to("Pet")));
  const { model, diagnostics } = compile(imported(file), { file: "api.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.ok(model);
  const again = withoutExtensions(openapiDocument(wireOf(model), "3.1", []));
  assert.match(
    imported(again),
    /- Does: create Pet or list of Pet, items \.\.3\n[\s\S]*- Returns: 201 Pet or list of Pet\n/,
  );
  const post = member(member(member(again, "paths"), "/pets"), "post");
  const schema = member(member(member(member(post, "requestBody"), "content"), "application/json"), "schema");
  const alternatives = member(schema, "anyOf");
  assert.ok(Array.isArray(alternatives) && alternatives.length === 2);
  const list = alternatives.find((alternative) => member(alternative, "type") === "array");
  assert.ok(isPlain(list));
  assert.equal(list["maxItems"], 3);
  assert.deepEqual(
    list["items"],
    alternatives.find((alternative) => alternative !== list),
  );
});

test("where the response is one object, or the record is none, the body is a comment", () => {
  for (const file of [
    description(either(newPet), to("Pet")),
    description(newPet, either(to("Pet"))),
    description(either(newPet), { type: "object", properties: { made: { type: "integer" } } }),
  ]) {
    const text = imported(file);
    assert.match(text, /### POST \/pets\n[\s\S]*?- Does: not shown\n/);
    assert.doesNotMatch(text, /or list of/);
  }
  const text = imported(description(either(newPet), to("Pet")));
  assert.match(text, /a body of application\/json: an object, or a list of such objects/);
  assert.doesNotMatch(text, /\| name +\| body/);
});

test("lists of another schema, and further alternatives, are no such body", () => {
  const others = [
    { anyOf: [newPet, { type: "array", items: to("Pet") }] },
    { anyOf: [newPet, { type: "array", items: newPet }, { type: "string" }] },
    { anyOf: [newPet, { type: "array" }] },
    { anyOf: [{ $ref: "#/nowhere" }, { type: "array", items: { $ref: "#/nowhere" } }] },
  ];
  for (const sent of others)
    assert.doesNotMatch(imported(description(sent, either(to("Pet")))), /or list of/);
});
