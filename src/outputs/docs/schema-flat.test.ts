/** Schemas without names and choices: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Wire } from "../wire/wire.ts";
import { flattened, resolved } from "./schema-flat.ts";

const object = (properties: JsonSchema, required: readonly string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
});

/** A wire view that has only named schemas. */
const wireWith = (schemas: Wire["schemas"]) => ({ schemas }) as Wire;

test("an answer that may be one of several objects has the keys of all, and those of some aren't always there", () => {
  const wire = wireWith({
    Gone: object({ id: { type: "string" }, deleted: { const: true } }, ["id", "deleted"]),
    Customer: {
      anyOf: [
        object({ id: { type: "string" }, name: { type: "string" } }, ["id", "name"]),
        { $ref: "#/components/schemas/Gone" },
      ],
    },
  });
  assert.deepEqual(flattened(wire, { $ref: "#/components/schemas/Customer" }), {
    type: "object",
    properties: { id: { type: "string" }, name: { type: "string" }, deleted: { const: true } },
    required: ["id"],
  });
});

test("members of all alternatives form one object, and a key with two types has either", () => {
  const schema = {
    allOf: [object({ a: { type: "string" } }, ["a"]), object({ a: { type: "integer" }, b: {} }, [])],
  };
  assert.deepEqual(flattened(wireWith({}), schema), {
    type: "object",
    properties: { a: { anyOf: [{ type: "string" }, { type: "integer" }] }, b: {} },
    required: ["a"],
  });
});

test("a choice that isn't of objects stays one, and names that go in a circle end", () => {
  const choice = { anyOf: [{ type: "string" }, { type: "integer" }] };
  assert.deepEqual(flattened(wireWith({}), choice), choice);
  const wire = wireWith({ A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } });
  assert.ok(resolved(wire, { $ref: "#/components/schemas/A" }));
});
