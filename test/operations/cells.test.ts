/**
 * Cells of an imported table: each is stored like the JSON of its type, or rejected at its column.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { textOf } from "../repository/repository.ts";
import { type Operations, startOperations } from "./start-operations.ts";

const path = "test/operations/cells.md";
let desk: Operations;
before(async () => {
  desk = await startOperations(path);
  for (const text of ["a", "b"]) await desk.operate("POST", "/api/records/Tag", { fields: { text } });
});
after(() => desk?.stop());

let number = 0;

/**
 * Imports one record with these cells.
 * @returns its fields, or the errors of its columns
 */
async function imported(cells: Readonly<Record<string, string | null>>) {
  number += 1;
  const id = `cells-${number}`;
  const { status, json } = await desk.operate("POST", "/api/import-pieces/Item", {
    mode: "add",
    events: false,
    lines: JSON.stringify({ line: 1, cells: { id, ...cells } }),
    sha256: "0".repeat(64),
    line: 1,
    last: true,
  });
  assert.equal(status, 200, JSON.stringify(json));
  if (json.refused.length > 0) return json.refused[0].errors as { field: string; message: string }[];
  assert.deepEqual([json.made, json.changed], [1, 0]);
  return fieldsOf(id);
}

async function fieldsOf(id: string): Promise<Readonly<Record<string, unknown>>> {
  const { json } = await desk.operate("GET", `/api/records/Item/${id}`);
  const { id: _, ...fields } = json.record.fields;
  return fields;
}

/** Returns the fields of the same record after sending its values as JSON. */
async function sent(fields: Readonly<Record<string, unknown>>) {
  number += 1;
  const id = `sent-${number}`;
  const { status, json } = await desk.operate("POST", "/api/records/Item", { fields: { id, ...fields } });
  assert.equal(status, 200, JSON.stringify(json));
  return fieldsOf(id);
}

for (const [cells, fields] of [
  [{ text: "true" }, { text: "true" }],
  [{ text: "5" }, { text: "5" }],
  [{ text: "" }, { text: "" }],
  [{ text: null }, { text: null }],
  [{ on: "true" }, { on: true }],
  [{ on: "false" }, { on: false }],
  [{ count: "-7" }, { count: -7 }],
  [{ count: "5e2" }, { count: 500 }],
  [{ share: "1.5" }, { share: 1.5 }],
  [{ share: "-1.5E-1" }, { share: -0.15 }],
  [{ price: "12.50" }, { price: "12.50" }],
  [{ at: "2026-11-20T10:00:00Z" }, { at: "2026-11-20T10:00:00Z" }],
  [{ day: "2026-11-20" }, { day: "2026-11-20" }],
  [{ size: "small" }, { size: "small" }],
  [{ tag: "2" }, { tag: 2 }],
  [{ list: "[1, 2]" }, { list: [1, 2] }],
  [{ list: "[]" }, { list: [] }],
  [{ map: '{"a": true}' }, { map: { a: true } }],
  [{ place: '{"city": "Oslo", "zip": 5}' }, { place: { city: "Oslo", zip: 5 } }],
  [{ "place.city": "5", "place.zip": "5" }, { place: { city: "5", zip: 5 } }],
  [{ place: "{}", "place.zip": "5" }, { place: { zip: 5 } }],
  [{ inner: '{"on": false}' }, { inner: { on: false } }],
  [{ "inner.on": "false", "inner.deep.count": "3" }, { inner: { on: false, deep: { count: 3 } } }],
  [{ "inner.deep.count": "3" }, { inner: { deep: { count: 3 } } }],
  [{ any: "5" }, { any: 5 }],
  [{ any: '"5"' }, { any: "5" }],
  [{ any: "[null]" }, { any: [null] }],
] as const)
  test(`cells ${JSON.stringify(cells)} are stored like ${JSON.stringify(fields)}`, async () => {
    assert.deepEqual(await imported(cells), await sent(fields));
  });

for (const [cells, field, message] of [
  [{ on: "yes" }, "on", /true or false|boolean/],
  [{ on: "TRUE" }, "on", /true or false|boolean/],
  [{ count: "5x" }, "count", /integer|whole/],
  [{ count: "1.5" }, "count", /integer|whole/],
  [{ count: "0x10" }, "count", /integer|whole/],
  [{ share: "1." }, "share", /number/],
  [{ tag: "x" }, "tag", /./],
  [{ tag: "3" }, "tag", /./],
  [{ list: "1, 2" }, "list", /must be JSON/],
  [{ map: "{a: true}" }, "map", /must be JSON/],
  [{ place: "Oslo" }, "place", /must be JSON/],
  [{ any: "text" }, "any", /must be JSON/],
  [{ "place.zip": "x" }, "place.zip", /integer|whole/],
  [{ "place.zip": "5", place: "{}" }, "place", /both columns/],
  [{ none: "5" }, "none", /not a field/],
  [{ "text.part": "5" }, "text.part", /not a field/],
] as const)
  test(`cells ${JSON.stringify(cells)} are rejected at ${field}`, async () => {
    const errors = await imported(cells);
    assert.ok(Array.isArray(errors), JSON.stringify(errors));
    const [error] = errors;
    assert.equal(error?.field, field, JSON.stringify(errors));
    assert.match(error.message, message);
  });

test("if a document states that there are no webhooks, the reason for undelivered events is that line", async () => {
  const { json } = await desk.operate("GET", "/api/deliveries");
  const line = textOf(path).split("\n").indexOf("- Webhooks: none") + 1;
  assert.deepEqual(
    [json.undelivered.why, json.undelivered.line],
    ["The document states that there are no webhooks.", line],
  );
});
