/** `Extensions` of an endpoint: an import keeps them, and an export to OpenAPI gives them back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { importFile } from "../../src/inputs/formats.ts";
import type { Model } from "../../src/model/model.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import type { Json } from "../../src/support/json.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const extensions = {
  "x-team": { name: 'notes `b` "c" | d', levels: [1, null, "not shown"] },
  externalDocs: { url: "https://notes.example/get?a=1&b=*c*", description: "All about them" },
};

function description(operation: Json, more: { readonly [key: string]: Json } = {}): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Notes", version: "1" },
    paths: { "/notes": { get: operation } },
    ...more,
  });
}

const responses = { "204": { description: "done" } };

function imported(text: string): ReturnType<typeof importFile> {
  return importFile("openapi", { name: "notes.json", text, readRelative: () => undefined, only: [] });
}

function modelOf(text: string): Model {
  const { model, diagnostics } = compile(text, { file: "notes.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity, kind }) => kind === "mistake" && severity === "error"),
    [],
  );
  assert.ok(model);
  return model;
}

function exportedOperation(model: Model): { readonly [key: string]: Json } {
  const { paths } = openapiDocument(wireOf(model), "3.1", []) as {
    paths: Record<string, Record<string, { readonly [key: string]: Json }>>;
  };
  return paths["/notes"]?.["get"] ?? {};
}

test("an import keeps the extensions of an operation, and the export gives them back", () => {
  const made = imported(description({ responses, ...extensions }));
  const operation = exportedOperation(modelOf(made.text));
  assert.deepEqual(operation["x-team"], extensions["x-team"]);
  assert.deepEqual(operation["externalDocs"], extensions.externalDocs);
  assert.deepEqual(made.counts.get("notes"), { stated: 2, open: 0, comment: 0 });
});

test("keys elsewhere, and those that are too long, are counted and in comments", () => {
  const schema = { type: "object", title: "A note", "x-order": 1, properties: { title: { type: "string" } } };
  const made = imported(
    description(
      { responses, "x-code": "a".repeat(3000) },
      { "x-owner": "us", components: { schemas: { Note: schema } } },
    ),
  );
  assert.deepEqual(made.counts.get("notes"), { stated: 0, open: 0, comment: 4 });
  assert.match(
    made.text,
    /keys that are not kept: x-owner of the description; title of schemas; x-order of schemas/,
  );
  assert.match(made.text, /<!-- openapi #\/paths\/~1notes\/get: x-code -->/);
});

test("a key that stands for any number of values isn't kept", () => {
  const lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]"];
  for (let level = 1; level < 9; level += 1)
    lines.push(`    a${level}: &a${level} [${Array.from({ length: 8 }, () => `*a${level - 1}`).join(", ")}]`);
  const made = imported(`openapi: 3.1.0
info: { title: Notes, version: "1" }
paths:
  /notes:
    get:
      x-many:
        ${lines.join("\n    ")}
      responses: { "204": { description: done } }
`);
  assert.match(made.text, /get: x-many -->/);
});

const document = (item: string) =>
  smallDocument({
    resources:
      "### Note\n\n- Identifier: id, made by `sequence()`\n\n| Field | Type | Rules |\n|---|---|---|\n| text | string | |",
    endpoints: `### GET /notes\n\n- Does: list Note\n- Allowed: anyone\n- Returns: 200 list of Note\n${item}`,
  });

test("extensions change nothing in the service", async () => {
  const served = await serveDocument(document('- Extensions: `{"x-team": "notes"}`'));
  const answer = await served.send("GET", "/notes");
  assert.deepEqual([answer.status, answer.body], [200, "[]"]);
  await served.close();
});

test("extensions that an operation can't have are a mistake", () => {
  const codes = (item: string) =>
    compile(document(`- Extensions: ${item}`), { file: "notes.md" })
      .diagnostics.filter(({ kind }) => kind === "mistake")
      .map(({ code }) => code);
  assert.deepEqual(codes('`{"x-team": "a", "externalDocs": {"url": "https://a.example"}}`'), []);
  for (const item of [
    "x-team",
    '`["x-team"]`',
    '`{"summary": "a"}`',
    '`{"x-ninefold-items": []}`',
    '`{"externalDocs": "https://a.example"}`',
    '`{"x-team": 1, "x-team": 2}`',
  ])
    assert.deepEqual(codes(item), ["endpoints/unreadable"], item);
});

test("unions by a key and two parameters in a segment are comments with their pointers, and counted", () => {
  const kind = (name: string) => ({
    type: "object",
    required: ["type"],
    properties: { type: { const: name }, [name]: { type: "string" } },
  });
  const schema = { oneOf: [kind("card"), kind("iban")], discriminator: { propertyName: "type" } };
  const made = imported(
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Payments", version: "1" },
      paths: {
        "/payments": {
          post: { requestBody: { content: { "application/json": { schema } } }, responses },
        },
        "/compare/{base}...{head}": {
          get: {
            parameters: ["base", "head"].map((name) => ({
              name,
              in: "path",
              required: true,
              schema: { type: "string" },
            })),
            responses,
          },
        },
      },
    }),
  );
  assert.match(
    made.text,
    /<!-- openapi #\/paths\/~1payments\/post: a body of application\/json: oneOf or anyOf by type -->/,
  );
  assert.match(made.text, /<!-- openapi #\/paths\/~1compare~1{base}\.\.\.{head}\/get: .* can't say -->/);
  assert.equal(made.counts.get("parts of operations")?.comment, 1);
  assert.equal(made.counts.get("operations")?.comment, 1);
});
