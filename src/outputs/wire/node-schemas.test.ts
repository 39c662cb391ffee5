/** Schemas of expressions: what they allow, and whether null is among it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { modelOf } from "../../../test/changes/desk.ts";
import { smallDocument } from "../../../test/contracts/serve-document.ts";
import { openapiDocument } from "../openapi/openapi.ts";
import { wireOf } from "./build-wire.ts";

test("fields that always have a value allow no null, and a computed key is described by its type", () => {
  const resources = `### Account

- Identifier: kind, given

| Field | Type | Rules |
|---|---|---|
| kind | one of a, b | |
| other | Account | = \`"none"\` |
| size | integer | default \`1 + 1\` |
| named | boolean | = \`this.note != null\` |
| note | string | |`;
  const endpoints = `### GET /accounts/{kind}

- Does: read Account
- Returns: 200 Account`;
  const model = modelOf(smallDocument({ resources, endpoints }));
  const { components } = openapiDocument(wireOf(model), "3.1", []) as {
    readonly components: { readonly schemas: { readonly Account: { readonly properties: unknown } } };
  };
  assert.deepEqual(components.schemas.Account.properties, {
    kind: { type: "string", enum: ["a", "b"] },
    other: { type: ["string", "null"], readOnly: true },
    size: { type: "integer", format: "int64" },
    named: { type: "boolean", readOnly: true },
    note: { type: ["string", "null"] },
  });
});
