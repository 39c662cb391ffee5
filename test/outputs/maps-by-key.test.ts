/** Maps whose keys are data (`toMap`): the exported schema describes the value of each key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { resource } from "../diagnostics/small-documents.ts";

const text = smallDocument({
  resources: resource("Note", ["text | string | required", "pages | integer |"]),
  endpoints: `### GET /notes

- Does: answer
- Returns: 200 \`{"pages": Note.toMap(n, n.text, n.pages), "lines": Note.toMap(n, n.text, Line(n))}\`

### Shape: Line of Note

\`\`\`cel
{"text": this.text}
\`\`\``,
});

test("a map by key has a schema for its values", () => {
  const { model } = compile(text, { file: "notes.md" });
  assert.ok(model);
  const document = openapiDocument(wireOf(model), "3.1", []) as {
    paths: Record<
      string,
      { get: { responses: Record<string, { content: Record<string, { schema: unknown }> }> } }
    >;
  };
  const [content] = Object.values(document.paths["/notes"]?.get.responses["200"]?.content ?? {});
  const mapOf = (value: object) => ({ type: "object", additionalProperties: value });
  assert.deepEqual(content?.schema, {
    type: "object",
    required: ["pages", "lines"],
    properties: {
      pages: mapOf({ type: ["integer", "null"], format: "int64" }),
      lines: mapOf({ $ref: "#/components/schemas/Line" }),
    },
  });
});
