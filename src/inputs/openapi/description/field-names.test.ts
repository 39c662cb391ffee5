/** Keys that are no names of the notation arrive in the document, and leave it again unchanged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../../compile.ts";
import { importFile } from "../../formats.ts";
import { statedNames } from "./field-names.ts";

const long = "a".repeat(70);
const thing = {
  type: "object",
  required: ["id", "@odata.type"],
  properties: {
    id: { type: "string" },
    "@odata.type": { type: "string", maxLength: 9 },
    counts: { $ref: "#/components/schemas/Counts" },
    [long]: { type: "integer" },
    'a"b': { type: "integer" },
  },
};
const ofThing = {
  description: "",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
};
const description = {
  openapi: "3.0.3",
  info: { title: "Things", version: "1" },
  paths: {
    "/things": {
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["@odata.type"],
                properties: {
                  "@odata.type": { type: "string", maxLength: 9 },
                  counts: { $ref: "#/components/schemas/Counts" },
                },
              },
            },
          },
        },
        responses: { "201": ofThing },
      },
      get: {
        parameters: [
          { in: "query", name: "include[]", schema: { type: "array", items: { type: "string" } } },
          { in: "query", name: "filter[name]", schema: { type: "string" } },
          { in: "query", name: "StartTime<", schema: { type: "string" } },
        ],
        responses: { "204": { description: "" } },
      },
    },
    "/things/{id}": {
      get: {
        parameters: [{ in: "path", name: "id", required: true, schema: { type: "string" } }],
        responses: { "200": ofThing },
      },
    },
  },
  components: {
    schemas: {
      Thing: thing,
      Counts: {
        type: "object",
        properties: { "+1": { type: "integer" }, "-1": { type: "integer" }, plus_1: { type: "integer" } },
      },
    },
  },
};

test("names on the wire are stated by `sent as`, or kept in a comment", () => {
  const { text } = importFile("openapi", {
    name: "api.json",
    text: JSON.stringify(description),
    readRelative: () => undefined,
    only: [],
  });
  assert.match(text, /\| odata_type +\| string +\| required, length \.\.9, sent as "@odata.type" +\|/);
  assert.match(text, /\| plus_1_2 +\| integer \| sent as "\+1" +\|/);
  assert.match(text, /\| minus_1 +\| integer \| sent as "-1" +\|/);
  assert.match(text, new RegExp(`\\| ${"a".repeat(56)} +\\| integer +\\|.*sent as "${long}" +\\|`));
  assert.match(text, /- Body: odata_type, counts\?/);
  assert.match(text, /\| include +\| query \| list of string \| +\| not shown \|/);
  assert.match(text, /\| filter_name +\| query \| string +\| sent as "filter\[name\]" \| not shown \|/);
  assert.match(text, /\| StartTime_before +\| query \| string +\| sent as "StartTime<" +\| not shown \|/);
  assert.match(text, /field "a\\"b": not a name of the notation/);
  const { diagnostics } = compile(text, { file: "api.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
});

test("names for keys differ, also without case", () => {
  const names = [...statedNames(["Plus_1", "+1", "a b", "a-b", "1", "%"]).values()].map(({ name }) => name);
  assert.deepEqual(names, ["Plus_1", "plus_1_2", "a_b", "a_b_2", "n_1", "other"]);
});

test("a word that is read as a gap is sent as itself under another name", () => {
  assert.deepEqual(
    [...statedNames(["unknown", "unknown_key", "other"])].map(([key, { name, rules }]) => [key, name, rules]),
    [
      ["unknown", "unknown_key_2", ['sent as "unknown"']],
      ["unknown_key", "unknown_key", []],
      ["other", "other", []],
    ],
  );
});
