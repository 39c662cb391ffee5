/**
 * Broken rules of computed values: if the service computes a value that violates its field's rules,
 * the error names that field for the operator.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRecord } from "../admin/change-records.ts";
import { FieldsRefused } from "../admin/refusals.ts";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |
| short | string | length ..5, on create \`this.text\` |
| first | string | required, on create \`this.text\` |`;

const endpoints = `### GET /notes

- Does: list Note
- Returns: 200 list of Note`;

test("a computed value that violates a rule is reported with its field", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  const make = async (fields: Readonly<Record<string, string>>) => {
    try {
      const { record } = await makeRecord(served.target.service, "Note", fields);
      return record.id;
    } catch (error) {
      assert.ok(error instanceof FieldsRefused);
      return error.errors;
    }
  };
  assert.deepEqual(await make({ text: "longer" }), [
    { field: "short", message: "must have at most 5 characters" },
  ]);
  assert.deepEqual(await make({}), [{ field: "first", message: "is required, but nothing set it" }]);
  assert.equal(await make({ text: "short" }), "1");
});
