/** JSON Schema 2020-12 of a field: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldRule } from "./rule.ts";
import { fieldSchema, type SchemaContext } from "./schema.ts";
import type { FieldType } from "./type.ts";

const context: SchemaContext = {
  timestamps: "milliseconds",
  value: (resource) => ({ $ref: `#/components/schemas/${resource}` }),
  reference: () => ({ type: "string" }),
};

const schema = (type: FieldType, ...rules: FieldRule[]) => fieldSchema(type, rules, context);

test("a type with its rules", () => {
  assert.deepEqual(schema({ kind: "string" }, { rule: "length", max: 5 }, { rule: "required" }), {
    type: "string",
    maxLength: 5,
  });
  assert.deepEqual(schema({ kind: "timestamp" }, { rule: "read-only" }), {
    type: "string",
    format: "date-time",
    readOnly: true,
  });
});

test("the narrower of two bounds is stated", () => {
  const both = schema({ kind: "string" }, { rule: "length", min: 1, max: 5 }, { rule: "length", max: 100 });
  assert.deepEqual(both, { type: "string", minLength: 1, maxLength: 5 });
});

test("rules of elements are in the schema of the elements", () => {
  const tags = schema(
    { kind: "list", of: { kind: "string" } },
    { rule: "each", of: { rule: "length", min: 1 } },
    { rule: "distinct" },
  );
  assert.deepEqual(tags, { type: "array", items: { type: "string", minLength: 1 }, uniqueItems: true });
});

test("null is one more type, or one more value", () => {
  assert.deepEqual(schema({ kind: "integer" }, { rule: "nullable" }), {
    type: ["integer", "null"],
    format: "int64",
  });
  assert.deepEqual(schema({ kind: "enum", values: ["a"] }, { rule: "nullable" }), {
    type: ["string", "null"],
    enum: ["a", null],
  });
  assert.deepEqual(schema({ kind: "value", resource: "Address" }, { rule: "nullable" }), {
    anyOf: [{ $ref: "#/components/schemas/Address" }, { type: "null" }],
  });
});

test("objects say which parts are required", () => {
  const parts = [
    { name: "city", type: { kind: "string" }, rules: [{ rule: "required" }] },
    { name: "zip", type: { kind: "string" }, rules: [] },
  ] as const;
  assert.deepEqual(schema({ kind: "object", parts }), {
    type: "object",
    properties: { city: { type: "string" }, zip: { type: "string" } },
    required: ["city"],
  });
});

test("each of several types has the rules that apply to it", () => {
  const either = [{ kind: "string" }, { kind: "list", of: { kind: "string" } }] as const;
  assert.deepEqual(schema({ kind: "json", either }, { rule: "length", min: 2 }, { rule: "items", max: 3 }), {
    anyOf: [
      { type: "string", minLength: 2 },
      { type: "array", items: { type: "string" }, maxItems: 3 },
    ],
  });
});
