/** Objects that a description writes out at several places: the document has each of them once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../formats.ts";

const size = (text: string) => ({
  type: "object",
  properties: { width: { type: "integer", description: text }, height: { type: "integer" } },
});
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const answer = (schema: object) => ({ responses: { "200": { description: "ok", ...json(schema) } } });

/** The values of an import, as `name: fields`. */
function valuesOf(paths: object, schemas: object = {}): readonly string[] {
  const file = { openapi: "3.1.0", info: { title: "Boxes", version: "1" }, paths, components: { schemas } };
  const options = { name: "boxes.json", text: JSON.stringify(file), readRelative: () => undefined, only: [] };
  const { text } = importFile("openapi", options);
  const sections = text.split("\n## ")[2]?.split("\n### ").slice(1) ?? [];
  return sections.map((section) => {
    const rows = [...section.matchAll(/^\| (\w[\w ]*?) +\| ([^|]+?) +\|/gm)].map(
      ([, field, type]) => `${field} ${type}`,
    );
    return `${section.split("\n")[0]}: ${rows.slice(1).join(", ")}`;
  });
}

test("equal objects are one value, called after the key that they share", () => {
  const paths = {
    "/a": {
      get: { operationId: "getA", ...answer({ type: "object", properties: { box: size("cm"), a: {} } }) },
    },
    "/b": {
      get: { operationId: "getB", ...answer({ type: "object", properties: { box: size("cm"), b: {} } }) },
    },
  };
  assert.deepEqual(valuesOf(paths), [
    "GetAAnswer: box Box, a json",
    "GetBAnswer: box Box, b json",
    "Box: width integer, height integer",
  ]);
});

test("an object that a schema of the file equals has its name", () => {
  const paths = { "/a": { get: { operationId: "getA", ...answer({ ...size("cm"), description: "of A" }) } } };
  assert.deepEqual(valuesOf(paths, { Size: size("cm") }), ["Size: width integer, height integer"]);
});

test("objects that differ in what the document has of them are two values", () => {
  const paths = {
    "/a": { get: { operationId: "getA", ...answer(size("cm")) } },
    "/b": { get: { operationId: "getB", ...answer(size("inches")) } },
  };
  assert.deepEqual(
    valuesOf(paths).map((value) => value.split(":")[0]),
    ["GetAAnswer", "GetBAnswer"],
  );
});

test("an example, a title and an extension make no difference", () => {
  const paths = {
    "/a": { get: { operationId: "getA", ...answer({ ...size("cm"), title: "A", example: { width: 1 } }) } },
    "/b": { get: { operationId: "getB", ...answer({ ...size("cm"), "x-order": 2 }) } },
  };
  assert.deepEqual(valuesOf(paths), ["Answer: width integer, height integer"]);
});

test("properties called title and example make a difference", () => {
  const text = { type: "string" };
  const object = (properties: object) => ({ type: "object", properties });
  const paths = {
    "/a": { get: { operationId: "getA", ...answer(object({ id: text })) } },
    "/b": { get: { operationId: "getB", ...answer(object({ id: text, title: text })) } },
    "/c": {
      get: {
        operationId: "getC",
        ...answer(object({ id: text, title: { type: "integer" }, example: text })),
      },
    },
  };
  assert.deepEqual(valuesOf(paths), [
    "GetAAnswer: id string",
    "GetBAnswer: id string, title string",
    "GetCAnswer: id string, title integer, example string",
  ]);
});

test("the properties of a schema may be a reference to a map of them", () => {
  const paths = {
    "/a": {
      get: {
        operationId: "getA",
        ...answer({
          type: "object",
          properties: { $ref: "#/components/schemas/Sides" },
          required: ["width"],
        }),
      },
    },
  };
  assert.deepEqual(valuesOf(paths, { Sides: { width: { type: "integer" }, height: { type: "integer" } } }), [
    "GetAAnswer: width integer, height integer",
  ]);
});

test("what is required of requests alone stays apart from responses", () => {
  const limited = {
    type: "object",
    required: ["kind"],
    properties: { kind: { type: "string", default: "a" } },
  };
  const paths = {
    "/a": {
      put: {
        operationId: "putA",
        requestBody: json({ type: "object", properties: { limit: limited } }),
        ...answer({ type: "object", properties: { limit: { ...limited, description: "now" } } }),
      },
    },
  };
  assert.equal(valuesOf(paths).filter((value) => value.endsWith(": kind string")).length, 2);
});
