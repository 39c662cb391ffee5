/** A state field whose states aren't shown: the exports allow any text, because an empty list of values is invalid. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { resource } from "../diagnostics/small-documents.ts";

test("states that aren't shown are any text in OpenAPI", () => {
  const text = smallDocument({
    resources: resource("Note", ["text | string | "]),
    states: "### Note\n\n- State field: phase",
    endpoints: "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note",
  });
  const { model } = compile(text, { file: "document.md" });
  assert.ok(model);
  const { components } = openapiDocument(wireOf(model), "3.1", []) as {
    components?: { schemas?: Record<string, { properties?: Record<string, unknown> }> };
  };
  assert.deepEqual(components?.schemas?.["Note"]?.properties?.["phase"], {
    type: "string",
    readOnly: true,
  });
});
