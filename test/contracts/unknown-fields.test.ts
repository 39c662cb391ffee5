/** `Unknown fields` of the part and of an endpoint, apart for query and body. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareDocuments } from "../../src/compare/compare.ts";
import { compile } from "../../src/compile.ts";
import type { JsonSchema } from "../../src/fields/json-schema.ts";
import type { Model } from "../../src/model/model.ts";
import { importFile } from "../../src/inputs/formats.ts";
import { withoutExtensions } from "../../src/outputs/openapi/extensions.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import type { Json } from "../../src/support/json.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| place | Place | |

### Place

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| city | string | required |`;

/** @param part the item of the part; @param own the item of `POST /open` */
function documentWith(part: string, own: string): string {
  const create = (path: string, item: string) => `### POST ${path}

- Does: create Note
${item}
- Body: text, place?
- Returns: 201 Note`;
  return smallDocument({
    resources,
    endpoints: `${part}
- Allowed: anyone

${create("/notes", "")}

${create("/open", own)}

### GET /notes

- Does: list Note
- Query: text?
- Returns: 200 list of Note`,
  });
}

const sound = { text: "a", place: { city: "b" } };
const unknownKey = { ...sound, colour: "red" };
const unknownWithin = { text: "a", place: { city: "b", floor: 1 } };

async function statuses(part: string, own: string): Promise<Record<string, readonly number[]>> {
  const served = await serveDocument(documentWith(part, own));
  const status = async (method: string, path: string, body?: unknown) =>
    (await served.send(method, path, body === undefined ? {} : { body })).status;
  const posts = async (path: string) => [
    await status("POST", path, sound),
    await status("POST", path, unknownKey),
    await status("POST", path, unknownWithin),
    await status("POST", `${path}?colour=red`, sound),
  ];
  const found = {
    notes: await posts("/notes"),
    open: await posts("/open"),
    list: [await status("GET", "/notes"), await status("GET", "/notes?colour=red")],
  };
  await served.close();
  return found;
}

test("an endpoint states another treatment than the part, for query and body", async () => {
  assert.deepEqual(await statuses("- Unknown fields: rejected", "- Unknown fields: ignored"), {
    notes: [201, 422, 422, 422],
    open: [201, 201, 201, 201],
    list: [200, 422],
  });
});

test("query and body have treatments of their own, and an unnamed place is the part's", async () => {
  assert.deepEqual(
    await statuses(
      "- Unknown fields: ignored in query, rejected in body",
      "- Unknown fields: ignored in body",
    ),
    { notes: [201, 422, 422, 201], open: [201, 201, 201, 201], list: [200, 200] },
  );
});

test("where it isn't shown, only a request with an unknown field is answered 501", async () => {
  assert.deepEqual(await statuses("- Unknown fields: ignored", "- Unknown fields: not shown in body"), {
    notes: [201, 201, 201, 201],
    open: [201, 501, 501, 201],
    list: [200, 200],
  });
  assert.deepEqual(await statuses("- Unknown fields: not shown", "- Unknown fields: rejected"), {
    notes: [201, 501, 501, 501],
    open: [201, 422, 422, 422],
    list: [200, 501],
  });
});

function modelOf(part: string, own: string): Model {
  const { model } = compile(documentWith(part, own), { file: "document.md" });
  assert.ok(model);
  return model;
}

function openapiOf(model: Model): JsonSchema {
  return openapiDocument(wireOf(model), "3.1", []);
}

function bodySchemas(model: Model): readonly JsonSchema[] {
  const { paths } = openapiOf(model) as { paths: Record<string, JsonSchema> };
  return ["/notes", "/open"].map((path) => {
    const operation = (paths[path] as { post: JsonSchema }).post as {
      requestBody: { content: Record<string, { schema: JsonSchema }> };
    };
    return operation.requestBody.content["application/json"]?.schema ?? {};
  });
}

test("exports close the bodies of the endpoints that reject unknown fields, and values within them", () => {
  const model = modelOf("- Unknown fields: rejected", "- Unknown fields: ignored");
  const [closed, open] = bodySchemas(model);
  assert.equal(closed?.["additionalProperties"], false);
  assert.equal(open?.["additionalProperties"], undefined);
  const { schemas } = (openapiOf(model) as { components: { schemas: Record<string, JsonSchema> } })
    .components;
  assert.equal(schemas["PlaceInput"]?.["additionalProperties"], false);
  assert.equal(schemas["PlaceInputOpen"]?.["additionalProperties"], undefined);
  assert.match(JSON.stringify(open), /PlaceInputOpen/);
});

test("an import states what a closed body says, and what an export of ours says", () => {
  const model = modelOf("- Unknown fields: ignored in query", "- Unknown fields: rejected in body");
  const stated = (schema: Json) => {
    const text = JSON.stringify(schema);
    const imported = importFile("openapi", { name: "a.json", text, readRelative: () => undefined, only: [] });
    const { model: made } = compile(imported.text, { file: "imported.md" });
    return made?.endpoints.map(({ path, unknownFields }) => [path.text, unknownFields]);
  };
  const endpoints = [
    ["/notes", undefined],
    ["/notes", undefined],
    ["/open", { body: "rejected" }],
  ];
  assert.deepEqual(stated(withoutExtensions(openapiOf(model)))?.toSorted(), endpoints);
  assert.deepEqual(stated(openapiOf(model))?.toSorted(), endpoints);
});

test("a comparison reports the endpoint whose treatment changed, and the part's once", () => {
  const texts = (before: Model, after: Model) =>
    compareDocuments(before, after)
      .filter(({ message }) => message.includes("unknown fields"))
      .map(({ rule, message }) => `${rule}: ${message}`);
  const ignored = "- Unknown fields: ignored";
  assert.deepEqual(texts(modelOf(ignored, "- Unknown fields: rejected"), modelOf(ignored, "")), [
    "input-widened: `POST /open` ignores unknown fields now.",
  ]);
  assert.deepEqual(texts(modelOf(ignored, ignored), modelOf(ignored, "- Unknown fields: rejected in body")), [
    "input-refused: `POST /open` rejects unknown fields in the body now.",
  ]);
  assert.deepEqual(texts(modelOf(ignored, ""), modelOf("- Unknown fields: rejected", "")), [
    "input-refused: `part 4` rejects unknown fields now.",
  ]);
  assert.deepEqual(texts(modelOf("", ""), modelOf("- Unknown fields: rejected", "")), []);
});

test("an item that can't be read is a mistake", () => {
  const codes = (own: string) =>
    compile(documentWith("", own), { file: "document.md" })
      .diagnostics.filter(({ kind }) => kind === "mistake")
      .map(({ code }) => code);
  assert.deepEqual(codes("- Unknown fields: refused"), ["endpoints/unknown-word"]);
  assert.deepEqual(codes("- Unknown fields: rejected in path"), ["endpoints/unreadable"]);
  assert.deepEqual(codes("- Unknown fields: rejected, ignored in body"), ["endpoints/unreadable"]);
  assert.deepEqual(codes("- Unknown fields: ignored in query, rejected in body"), []);
});
