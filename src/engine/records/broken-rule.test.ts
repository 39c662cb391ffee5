/**
 * Broken rules of computed values: if the service computes a value that violates its field's rules,
 * the error names that field for the operator.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { changeRecord, makeRecord } from "../admin/change-records.ts";
import { eraseRecordByOperator } from "../admin/erase.ts";
import { editRecord } from "../admin/edit-records.ts";
import { FieldsRefused } from "../admin/refusals.ts";
import { type GivenStep, readGivenItems } from "../../model/reading/read-given.ts";
import { mustNotBeNull } from "./record-rules.ts";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |
| short | string | length ..5, on create \`this.text\` |
| first | string | required, on create \`this.text\` |

### Point

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| count | integer | default 0 |
| at | timestamp | on create \`now\` |
| size | integer | default 0, nullable |

### Line

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| start | Point | required |
| end | Point | default \`this.start\` |`;

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

test("null is refused in a field that every write sets", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  const { service } = served.target;
  const refusal = (field: string) => (error: unknown) => {
    assert.ok(error instanceof FieldsRefused);
    assert.deepEqual(error.errors, [{ field, message: mustNotBeNull }]);
    return true;
  };
  await assert.rejects(makeRecord(service, "Point", { count: null }), refusal("count"));
  await assert.rejects(makeRecord(service, "Point", { at: null }), refusal("at"));
  const { record } = await makeRecord(service, "Point", { size: null });
  const point = { resource: "Point", identifier: String(record.id) };
  await assert.rejects(changeRecord(service, point, { count: null }), refusal("count"));
  const step = (text: string) => {
    const { steps } = readGivenItems(service.model, "set", `- Given: Point with ${text}`);
    return steps[0] as GivenStep;
  };
  await assert.rejects(editRecord(service, point.identifier, step("at = null")), refusal("at"));
  assert.equal((await editRecord(service, point.identifier, step("count = 5, size = null"))).count, 5);
});

test("an erasure leaves null in no field that must have a value", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  const { service } = served.target;
  for (const _ of [1, 2]) await makeRecord(service, "Point", {});
  await makeRecord(service, "Line", { start: 1 });
  await changeRecord(service, { resource: "Line", identifier: "1" }, { start: 2 });
  const message = "must have a value, so it can't be cleared: --remove deletes its records too";
  for (const [identifier, field] of [
    ["1", "end"],
    ["2", "start"],
  ] as const)
    await assert.rejects(
      eraseRecordByOperator(service, { resource: "Point", identifier, restricted: "clear" }),
      (error) =>
        error instanceof FieldsRefused && assert.deepEqual(error.errors, [{ field, message }]) === undefined,
    );
});
