/** Codes of errors by status, from constants, enumerations and examples. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../../compile.ts";
import { accept } from "../../../worklist/accept.ts";
import { importFile } from "../../formats.ts";

interface Errors {
  readonly [status: string]: object;
}

/** A description with one operation for each set of errors. */
function imported(...operations: readonly Errors[]): string {
  const paths = operations.map((errors, index) => {
    const responses = Object.entries(errors).map(([status, media]) => [
      status,
      { description: "An error", content: { "application/json": media } },
    ]);
    return [
      `/path-${index}`,
      { get: { responses: { 204: { description: "" }, ...Object.fromEntries(responses) } } },
    ];
  });
  const { text } = importFile("openapi", {
    name: "api.json",
    text: JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Things", version: "1" },
      paths: Object.fromEntries(paths),
      components: { schemas: { Error: errorOf({ type: "string" }), Coded: errorOf({ enum: codes }) } },
    }),
    readRelative: () => undefined,
    only: [],
  });
  const { diagnostics } = compile(text, { file: "api.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  return text;
}

const codes = ["no_thing", "rate_limited", "name_taken"];
const errorOf = (code: object) => ({
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code, message: { type: "string" } },
    },
  },
});
const plain = { schema: { $ref: "#/components/schemas/Error" } };
const coded = { schema: { $ref: "#/components/schemas/Coded" } };
const example = (code: string) => ({ ...plain, example: { error: { code, message: "A message" } } });

/** The rows of part 7. */
function rowsOf(text: string): readonly string[] {
  const part = text.slice(text.indexOf("\n## Errors"), text.indexOf("\n## Limits"));
  return part
    .split("\n")
    .filter((line) => /^\| (?!Code|-)/.test(line))
    .map((line) => line.replace(/ *\| */g, "|").replace(/\|\|$/, "|"));
}

test("the only code of a status is stated: by an example, a named example, or a constant", () => {
  const named = { ...plain, examples: { first: { value: { error: { code: "gone_away", message: "" } } } } };
  const text = imported({
    401: example("no_key"),
    410: named,
    422: { schema: errorOf({ const: "wrong_value" }) },
  });
  assert.deepEqual(rowsOf(text), [
    "|no_key|401|unauthenticated|",
    "|gone_away|410|not shown|",
    "|wrong_value|422|not shown|",
  ]);
  assert.doesNotMatch(text, /openapi error codes/);
});

test("a code of several statuses is that of none", () => {
  const text = imported({ 400: example("failed"), 409: example("failed"), 401: example("no_key") });
  assert.deepEqual(rowsOf(text), ["|no_key|401|unauthenticated|"]);
  assert.doesNotMatch(text, /failed/);
});

test("a status is only proposed if it has several codes, or if a response doesn't show its code", () => {
  const both = { ...plain, examples: { a: example("one"), b: { value: { error: { code: "two" } } } } };
  const text = imported(
    {
      401: example("no_key"),
      409: { ...both, examples: { ...both.examples, a: { value: { error: { code: "one" } } } } },
    },
    { 401: plain },
  );
  assert.deepEqual(rowsOf(text), ["|not shown|401|unauthenticated|"]);
  assert.match(text, /<!-- openapi error codes in error\.code: 401 no_key; 409 one, two -->/);
  const { text: answered } = accept("api.md", text, ["error-codes"]);
  assert.deepEqual(rowsOf(answered), [
    "|no_key|401|unauthenticated|",
    "|one|409|not shown|",
    "|two|409|not shown|",
  ]);
});

test("values of a shared enumeration have the status of the condition with their name", () => {
  const text = imported({ 404: coded, 429: coded });
  assert.match(text, /error codes in error\.code: without status no_thing, rate_limited, name_taken -->/);
  const { text: answered } = accept("api.md", text, ["error-codes"]);
  assert.deepEqual(rowsOf(answered), ["|rate_limited|429|rate limited|"]);
  const { text: without } = accept("api.md", imported({ 404: coded, 400: coded }), ["error-codes"]);
  assert.doesNotMatch(without, /\| rate_limited/);
});

test("a member called otherwise has codes if two statuses have their own", () => {
  const by = (id: string) => ({
    schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, message: {} } },
    example: { id, message: "A message" },
  });
  const text = imported({ 401: by("unauthorized"), 410: by("gone") });
  assert.deepEqual(rowsOf(text), ["|unauthorized|401|unauthenticated|", "|gone|410|not shown|"]);
  assert.match(text, /error payload \(2 of 2 errors\): \{"id":"code"/);
  assert.match(accept("api.md", text, ["error-payload"]).text, /\{"id": error\.code\}/);
  assert.deepEqual(rowsOf(imported({ 401: by("unauthorized") })), ["|not shown|401|unauthenticated|"]);
});

test("what is no code is none: a number, a sentence, the name of a type", () => {
  const shown = (code: unknown) => ({ ...plain, example: { error: { code, message: "" } } });
  const text = imported({ 400: shown(17), 409: shown("Not a code"), 410: shown("string") });
  assert.deepEqual(rowsOf(text), []);
  assert.doesNotMatch(text, /error codes/);
});

test("the search of schemas that contain themselves ends", () => {
  const text = imported({
    400: {
      schema: { $ref: "#/paths/~1path-0/get/responses/400/content/application~1json/deep" },
      deep: {
        type: "object",
        properties: {
          errors: {
            type: "array",
            items: { $ref: "#/paths/~1path-0/get/responses/400/content/application~1json/deep" },
          },
          code: { const: "bad" },
        },
      },
    },
  });
  assert.deepEqual(rowsOf(text), ["|bad|400|not shown|"]);
});

test("a schema that is too large to be searched states no code", () => {
  const filler = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`field_${index}`, { type: "string" }]),
  );
  const coded = (code: string, more: object = {}) => ({
    type: "object",
    properties: { code: { const: code }, ...more },
  });
  const text = imported({ 400: { schema: { oneOf: [coded("first", filler), coded("second")] } } });
  assert.deepEqual(rowsOf(text), []);
});
