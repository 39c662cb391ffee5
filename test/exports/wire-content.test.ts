/**
 * Wire content: the OpenAPI file describes the wire, which is headers that expressions read, raw
 * bytes, and operation names by their effects.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { smallDocument } from "../contracts/serve-document.ts";

const endpoints = `### POST /notes

- Does: create Note
- Body: text, size?
- Set: \`text = headers["x-source"] + headers["content-type"] when headers["X-Source"] != null\`
- Returns: 201 Note

### GET /notes/{id}/raw

- Does: read Note
- Returns: 200 \`bytes(this.text)\`
- Header: Content-Type: \`"image/png"\`

### GET /notes/{id}/encoded

- Does: read Note
- Returns: 200 \`bytes(this.text)\`

### PATCH /notes/{id}/text

- Does: update Note
- Body: text
- Returns: 200 Note

### POST /notes/{id}/text

- Does: answer
- Returns: 200 \`{}\`

### PATCH /notes/{id}

- Does: update Note
- Accepts: application/merge-patch+json
- Body: text
- Returns: 200 Note

### POST /texts

- Does: answer
- Accepts: text/*
- Body is: text
- Returns: 200 \`{"text": body.text}\`

| Input | In | Type |
|---|---|---|
| text | body | string |`;

test("headers, raw bytes and operations are exported as on the wire", () => {
  const { model, diagnostics } = compile(smallDocument({ endpoints }), { file: "notes.md" });
  assert.ok(model);
  assert.deepEqual(
    diagnostics
      .filter((diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error")
      .map((diagnostic) => diagnostic.message),
    [],
  );
  // biome-ignore lint/suspicious/noExplicitAny: the file is looked into by paths
  const { paths, components }: any = openapiDocument(wireOf(model), "3.1", []);
  const parameters = paths["/notes"].post.parameters as { name: string; in: string }[];
  assert.deepEqual(
    parameters.map((parameter) => `${parameter.in} ${parameter.name}`),
    ["header x-source"],
  );
  const answered = (path: string) => paths[path].get.responses["200"].content;
  assert.deepEqual(answered("/notes/{id}/raw"), {
    "image/png": { schema: { type: "string", format: "binary" } },
  });
  assert.deepEqual(answered("/notes/{id}/encoded")["application/json"].schema, {
    type: "string",
    contentEncoding: "base64",
  });
  assert.equal(components.schemas.Note.properties.id.format, "int64");
  assert.equal(components.schemas.Note.properties.size.format, "int64");
  assert.equal(paths["/notes/{id}/text"].patch.operationId, "updateNoteText");
  assert.equal(paths["/notes/{id}/text"].post.operationId, "postText");
  assert.deepEqual(Object.keys(paths["/notes/{id}"].patch.requestBody.content), [
    "application/merge-patch+json",
  ]);
  assert.deepEqual(paths["/texts"].post.requestBody.content, { "text/*": { schema: { type: "string" } } });
});
