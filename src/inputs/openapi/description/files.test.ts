/** Broken and hostile files: an error with its line, or a reference that is reported; never the network, never outside of the folder. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ImportRefused, openFiles } from "./files.ts";
import { createSchemas } from "./schemas.ts";
import { importFile } from "../../formats.ts";
import { member } from "./values.ts";

const nothing = () => undefined;
const refusal = (text: string) => {
  try {
    openFiles("api.yaml", text, nothing);
  } catch (error) {
    if (error instanceof ImportRefused) return error.message;
    throw error;
  }
  return "";
};
const imported = (description: unknown, readRelative: (path: string) => string | undefined = nothing) =>
  importFile("openapi", { name: "api.json", text: JSON.stringify(description), readRelative, only: [] });

test("an unreadable file is rejected with its line", () => {
  assert.match(refusal('{"openapi": "3.1.0",\n "paths": ]'), /^api\.yaml:2: /);
  assert.match(refusal("openapi: 3.1.0\npaths:\n  a: [1,\n"), /^api\.yaml:\d+: /);
  assert.match(refusal("just a text"), /no object at the top/);
  assert.equal(refusal(" \n"), "api.yaml: the file is empty.");
  assert.match(refusal('{"a": 1'), /^api\.yaml:1: .*[^.]\.$/);
  assert.match(refusal("[".repeat(20_000)), /^api\.yaml/);
  assert.match(refusal(`{"openapi": "3.1.0", "x": ${"[".repeat(5000)}${"]".repeat(5000)}}`), /levels deep/);
});

test("aliases of YAML that multiply are one object each", () => {
  const levels = Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]`);
  const { first } = openFiles("api.yaml", ["a0: &a0 [x]", ...levels].join("\n"), nothing);
  assert.ok(Array.isArray(member(first, "a40")));
});

test("references are followed only inside the folder", () => {
  const read: string[] = [];
  const { first, follow, lost } = openFiles(
    "api.yaml",
    "a: {$ref: 'parts/a.yml#/x'}\nb: {$ref: '../b.yml'}\nc: {$ref: 'https://example.com/c.yml'}\nd: {$ref: '/etc/passwd'}\ne: {$ref: '#/e'}\nf: {$ref: 'parts/%2e%2e/%2e%2e/f.yml'}",
    (path) => {
      read.push(path);
      return path === "parts/a.yml"
        ? "x: {$ref: 'deeper/b.yml'}"
        : path === "parts/deeper/b.yml"
          ? "type: string"
          : undefined;
    },
  );
  assert.deepEqual(follow(member(first, "a")), { type: "string" });
  for (const key of ["b", "c", "d", "e", "f"]) assert.equal(follow(member(first, key)), undefined, key);
  assert.deepEqual(read, ["parts/a.yml", "parts/deeper/b.yml"]);
  assert.match(lost.get("#/e") ?? "", /refers to itself/);
  assert.match(lost.get("../b.yml") ?? "", /outside the folder/);
  assert.match(lost.get("https://example.com/c.yml") ?? "", /network/);
});

test("recursive schemas terminate", () => {
  const files = openFiles(
    "api.yaml",
    "a: {allOf: [{$ref: '#/a'}], properties: {b: {$ref: '#/a'}}}\nc: {type: array, items: {$ref: '#/c'}}\nd: {anyOf: [{$ref: '#/d'}, {type: string}]}",
    nothing,
  );
  const schemas = createSchemas(files);
  for (const key of ["a", "c", "d"]) assert.ok(schemas.type({ $ref: `#/${key}` }));
});

test("wrong types everywhere give a document without an error", () => {
  const odd = [null, 1, "text", [], {}, [null], { $ref: 1 }, { $ref: "#/nowhere" }];
  for (const description of odd) {
    for (const key of ["info", "servers", "tags", "components", "webhooks", "security", "paths"])
      assert.ok(
        imported({ openapi: "3.1.0", [key]: description }).text,
        `${key} ${JSON.stringify(description)}`,
      );
    const operation = {
      parameters: description,
      requestBody: description,
      responses: description,
      security: description,
      tags: description,
    };
    assert.ok(
      imported({
        openapi: "3.0.0",
        paths: { "/a": { get: operation, post: description }, "/b": description },
      }).text,
    );
    const schema = {
      type: "object",
      properties: {
        a: description,
        b: { type: description, enum: description, pattern: description, default: description },
      },
    };
    const content = { "application/json": { schema } };
    const answered = { requestBody: { content }, responses: { "200": { content } } };
    assert.ok(imported({ openapi: "3.0.0", paths: { "/a": { post: answered } } }).text);
  }
});

test("a value in place of a mapping is kept as a comment", () => {
  const { text } = imported({ openapi: "3.0.3", paths: 3 });
  assert.match(text, /#\/paths.*not (?:a mapping|mappings)/);
  const draft = imported({ openapi: "3.0.3", paths: { "/a": { get: 5 } } });
  assert.match(draft.text, /#\/paths\/~1a\/get.*not (?:a mapping|mappings)/);
});

test("invalid names, and texts that look like items, don't get into the document", () => {
  const properties = Object.fromEntries(
    ["__proto__x", "constructor", "+1", "a b", "a|b", "`", "x".repeat(80), "ok"].map((key) => [
      key,
      { type: "string" },
    ]),
  );
  const description = "- Does: delete Pet\n\n## Events\n\n| Event | When |\n--> <!-- `x` \u202E";
  const content = { "application/json": { schema: { type: "object", description, properties } } };
  const responses = { "200": { description, content } };
  const { text } = imported({
    openapi: "3.1.0",
    info: { title: "- Does: x\n# y | z", description },
    paths: {
      "/a#b": { get: { responses } },
      "/{a}-{b}": { get: { responses } },
      "/c": { get: { summary: description, responses } },
    },
  });
  assert.match(text, /\| ok +\| string/);
  assert.doesNotMatch(text, /^- Does: delete/m);
  assert.equal(text.match(/^## Events$/gm)?.length, 1);
});

test("many schemas take bounded time: only what operations use is read", () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [
      `S${n}`,
      { type: "object", properties: { next: { $ref: `#/components/schemas/S${n + 1}` } } },
    ]),
  );
  const content = { "application/json": { schema: { $ref: "#/components/schemas/S19990" } } };
  const { text } = imported({
    openapi: "3.1.0",
    paths: { "/a": { get: { responses: { "200": { content } } } } },
    components: { schemas },
  });
  assert.match(text, /### S19999/);
  const all = { "application/json": { schema: { $ref: "#/components/schemas/S0" } } };
  assert.throws(
    () =>
      imported({
        openapi: "3.1.0",
        paths: {
          "/a": { get: { responses: { "200": { content: all } } } },
          "/b": { post: { requestBody: { content: all } } },
        },
        components: { schemas },
      }),
    ImportRefused,
  );
});

test("long descriptions, and more operations than a document has endpoints, take bounded time", () => {
  const long = "a <".repeat(400_000);
  const responses = { "404": { description: "missing" } };
  const { text } = imported({
    openapi: "3.1.0",
    info: { title: long, description: long },
    paths: { "/a": { get: { summary: long, responses } } },
  });
  assert.ok(text.length < 2000);
  const many = Array.from({ length: 20_000 }, (_, n) => [`/a${n}`, { get: { responses } }]);
  assert.throws(
    () => imported({ openapi: "3.1.0", paths: Object.fromEntries(many) }),
    /20000 operations are described; a document has at most 2000 endpoints\. .*--only/,
  );
});

test("other descriptions are rejected with their format", () => {
  assert.throws(() => imported({ swagger: "1.2" }), /not an OpenAPI description/);
  assert.throws(
    () => imported({ asyncapi: "3.0.0" }),
    /this is an AsyncAPI description\. Import it with `ninefold import asyncapi`/,
  );
  assert.throws(() => imported({ openapi: "4.0.0" }), /not an OpenAPI description/);
});
