/**
 * Deprecation: `Deprecated` of an endpoint and `deprecated` of a field, in responses and in
 * exports.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import type { JsonSchema } from "../../src/fields/json-schema.ts";
import { importFile } from "../../src/inputs/formats.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const text = smallDocument({
  resources: `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| color | string | deprecated |`,
  endpoints: `### POST /notes

- Does: create Note
- Body: text, color?
- Returns: 201 Note

### GET /notes/{id}

- Does: read Note
- Deprecated: since 2026-05-01, until 2027-05-01
- Returns: 200 Note

### GET /old

- Does: list Note
- Deprecated: since not shown
- Returns: 200 list of Note

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| color | query | string | deprecated | \`this.color == query.color\` |`,
});

test("a deprecated endpoint sends the dates of its deprecation and end, also with errors", async () => {
  const { send, close } = await serveDocument(text);
  try {
    await send("POST", "/notes", { body: { text: "a", color: "red" } });
    const found = new Headers(
      [...(await send("GET", "/notes/1")).headers].map(([name, value]) => [name, value]),
    );
    assert.equal(found.get("Deprecation"), "@1777593600");
    assert.equal(found.get("Sunset"), "Sat, 01 May 2027 00:00:00 GMT");
    const missing = await send("GET", "/notes/2");
    assert.equal(missing.status, 404);
    assert.ok([...missing.headers].some(([name]) => name === "Deprecation"));
    const open = await send("GET", "/old?color=red");
    assert.equal(open.status, 200);
    assert.ok(![...open.headers].some(([name]) => name === "Deprecation"));
  } finally {
    await close();
  }
});

test("exports state deprecations, and an import reads them back", () => {
  const { model } = compile(text, { file: "notes.md" });
  assert.ok(model);
  const file = openapiDocument(wireOf(model), "3.1", []) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  };
  const deprecated = Object.entries(file.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation["deprecated"] === true ? [`${method} ${path.replace(/^\/v1/, "")}`] : [],
    ),
  );
  assert.deepEqual(deprecated, ["get /notes/{id}", "get /old"]);
  const fields = file.components.schemas["Note"]?.["properties"] as Readonly<Record<string, JsonSchema>>;
  assert.equal(fields["color"]?.["deprecated"], true);
  assert.ok(
    model.ledger.some(({ smallerGaps }) =>
      smallerGaps.some(({ subject }) => /since when GET .old is/.test(subject)),
    ),
  );
  const made = importFile("openapi", {
    name: "notes.json",
    text: JSON.stringify(file),
    readRelative: () => undefined,
    only: [],
  }).text;
  assert.match(made, /^- Deprecated: since 2026-05-01, until 2027-05-01$/m);
  assert.match(made, /^- Deprecated: since not shown$/m);
  assert.match(made, /^\| color +\| query +\| string +\| deprecated/m);
});
