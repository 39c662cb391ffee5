/** Request reader: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { soon } from "../../test/processor-time.ts";
import type { Json } from "../support/json.ts";
import type { FormNode } from "./form.ts";
import { compileReader, type InputSpec, type ReaderOptions, type Sent } from "./reader.ts";
import type { FieldRule } from "./rule.ts";
import type { FieldType } from "./type.ts";

const string: FieldType = { kind: "string" };
const integer: FieldType = { kind: "integer" };

function input(
  name: string,
  type: FieldType,
  more: Partial<InputSpec> & { rules?: FieldRule[] } = {},
): InputSpec {
  return { name: name.split("."), in: "body", type, rules: [], required: false, ...more };
}

const address: FieldType = { kind: "value", resource: "Address" };
const resources: Record<string, ReturnType<ReaderOptions["resource"]>> = {
  Address: {
    name: "Address",
    identifier: { kind: "none" },
    fields: [
      { name: "city", type: string, rules: [{ rule: "required" }, { rule: "length", min: 1, max: 80 }] },
      {
        name: "country",
        type: string,
        rules: [{ rule: "required" }, { rule: "pattern", pattern: "^[A-Z]{2}$" }],
      },
    ],
  },
  Show: {
    name: "Show",
    identifier: { kind: "made", field: "id" },
    fields: [{ name: "id", type: integer, rules: [] }],
  },
};

const options: ReaderOptions = {
  timestamps: "milliseconds",
  unknownFields: "rejected",
  unknownParameters: "rejected",
  resource: (name) => resources[name],
};

function read(inputs: readonly InputSpec[], sent: Sent, more: Partial<ReaderOptions> = {}) {
  return compileReader(inputs, { ...options, ...more }).read(sent);
}

function body(inputs: readonly InputSpec[], json: Json, more: Partial<ReaderOptions> = {}) {
  return read(inputs, { body: { json } }, more);
}

/** `a=1` and `a[b]=2` as a tree. */
function form(pairs: Record<string, string | string[]>): FormNode {
  const node = (): { texts: string[]; items?: FormNode[]; parts?: Map<string, FormNode> } => ({ texts: [] });
  const root = node();
  for (const [name, values] of Object.entries(pairs)) {
    let at = root;
    for (const key of name.replaceAll("]", "").split("[")) {
      at.parts ??= new Map();
      const next = (at.parts.get(key) as typeof at | undefined) ?? node();
      at.parts.set(key, next);
      at = next;
    }
    at.texts.push(...[values].flat());
  }
  return root;
}

const problems = (result: ReturnType<typeof read>) =>
  result.problems.map(({ condition, field, problem }) => `${condition}: ${field} ${problem}`);

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

test("values are read by their types, into objects that inherit nothing", () => {
  const inputs = [input("name", string), input("weight", integer), input("address", address)];
  const result = body(inputs, { weight: 3.0, name: "Ada", address: { city: "Oslo", country: "NO" } });
  assert.deepEqual(problems(result), []);
  assert.deepEqual(plain(result.body), { name: "Ada", weight: 3, address: { city: "Oslo", country: "NO" } });
  assert.equal("constructor" in result.body, false);
  assert.equal("constructor" in (result.body["address"] as object), false);
});

test("all problems are reported at once, in the order of the inputs, unknown fields last", () => {
  const inputs = [
    input("limit", integer, { in: "query" }),
    input("recipient", string, { required: true }),
    input("address", address, { required: true }),
    input("weight_grams", integer, { required: true, rules: [{ rule: "range", min: 1, max: 30000 }] }),
  ];
  const result = read(inputs, {
    query: form({ limit: "x", offset: "1" }),
    body: { json: { weight_gram: 1, weight_grams: 0, address: { city: "", land: "NO" } } },
  });
  assert.deepEqual(problems(result), [
    "invalid field: limit must be an integer",
    "missing field: recipient is required",
    "invalid field: address.city must have at least 1 character",
    "missing field: address.country is required",
    "unknown field: address.land is not a known field",
    "invalid field: weight_grams must be at least 1",
    "unknown field: offset is not a known field",
    "unknown field: weight_gram is not a known field",
  ]);
  assert.equal(result.problems.at(-1)?.nearest, "weight_grams");
});

test("inputs that are not sent are absent; null clears only nullable fields", () => {
  const inputs = [
    input("bio", string, { rules: [{ rule: "nullable" }] }),
    input("name", string),
    input("age", integer),
  ];
  const result = body(inputs, { bio: null, name: null });
  assert.deepEqual(problems(result), ["missing field: name must not be null"]);
  assert.deepEqual(Object.entries(body(inputs, { bio: null }).body), [["bio", null]]);
});

test("`empty is null` counts before every other rule", () => {
  const rules: FieldRule[] = [{ rule: "length", min: 8 }, { rule: "empty is null" }];
  assert.deepEqual(problems(body([input("password", { kind: "password" }, { rules })], { password: "" })), [
    "missing field: password must not be empty",
  ]);
  const clears = body([input("bio", string, { rules: [...rules, { rule: "nullable" }] })], { bio: "" });
  assert.deepEqual(plain(clears.body), { bio: null });
});

test("`Empty inputs: null` holds for every input", () => {
  const inputs = [
    input("items", { kind: "list", of: string }, { rules: [{ rule: "nullable" }] }),
    input("name", string),
  ];
  const result = read(inputs, { body: { form: form({ items: "", name: "" }) } }, { emptyInputs: "null" });
  assert.deepEqual(plain(result.body), { items: null });
  assert.deepEqual(problems(result), ["missing field: name must not be empty"]);
});

test("`trimmed` and `lower case` are applied before the type and the other rules", () => {
  const rules: FieldRule[] = [{ rule: "length", max: 6 }, { rule: "lower case" }, { rule: "trimmed" }];
  assert.deepEqual(plain(body([input("mail", { kind: "email" }, { rules })], { mail: "  A@B.CO " }).body), {
    mail: "a@b.co",
  });
});

test("null is an element of a list or map of JSON, but not of other types", () => {
  const json: FieldType = { kind: "json" };
  const inputs = [
    input("list", { kind: "list", of: json }),
    input("map", { kind: "map", of: json }),
    input("maps", { kind: "list", of: { kind: "map", of: json } }),
    input("ages", { kind: "map", of: integer }),
    input("json", json),
  ];
  const sent = { list: [null, [null]], map: { a: null }, maps: [{ a: null, b: 1 }] };
  const good = body(inputs, sent);
  assert.deepEqual(problems(good), []);
  assert.deepEqual(plain(good.body), sent);
  assert.deepEqual(problems(body(inputs, { maps: [null], ages: { ada: null }, json: null })), [
    "missing field: maps[0] must not be null",
    "missing field: ages.ada must not be null",
    "missing field: json must not be null",
  ]);
});

test("problems in lists have the path of each element", () => {
  const lines: FieldType = { kind: "list", of: address };
  const result = body([input("lines", lines)], {
    lines: [{ city: "Oslo", country: "NO" }, { city: "Oslo", country: "no" }, 7, null],
  });
  assert.deepEqual(problems(result), [
    "invalid field: lines[1].country must match ^[A-Z]{2}$",
    "invalid field: lines[2] must be an object",
    "missing field: lines[3] must not be null",
  ]);
});

test("rules of elements and keys report the path of each", () => {
  const metadata: FieldType = { kind: "map", of: string };
  const rules: FieldRule[] = [
    { rule: "keys", of: { rule: "length", min: 1, max: 9 } },
    { rule: "each", of: { rule: "length", max: 3 } },
    { rule: "merged" },
  ];
  assert.deepEqual(
    problems(body([input("metadata", metadata, { rules })], { metadata: { a: "long", muchtoolong: "x" } })),
    ["invalid field: metadata.a must have at most 3 characters"],
  );
  assert.deepEqual(
    problems(body([input("metadata", metadata, { rules })], { metadata: { muchtoolong: "x" } })),
    ['invalid field: metadata has the key "muchtoolong", which must have at most 9 characters'],
  );
  const merged = body(
    [input("metadata", metadata, { rules })],
    JSON.parse('{"metadata": {"a": null, "__proto__": "p"}}'),
  );
  assert.deepEqual(problems(merged), []);
  assert.deepEqual(Object.entries(merged.body["metadata"] as object), [
    ["a", null],
    ["__proto__", "p"],
  ]);
  assert.deepEqual(plain(body([input("metadata", metadata, { rules })], { metadata: null }).body), {
    metadata: null,
  });
});

test("an input named like a member of Object is there only when it was sent", () => {
  const inputs = [input("constructor", string), input("toString", string, { required: true })];
  assert.deepEqual(problems(body(inputs, {})), ["missing field: toString is required"]);
  assert.deepEqual(problems(body([], JSON.parse('{"__proto__": 1}'))), [
    "unknown field: __proto__ is not a known field",
  ]);
});

test("dotted inputs share an object", () => {
  const inputs = [
    input("payment.method", { kind: "enum", values: ["card", "cash"] }, { required: true }),
    input("payment.reference", string),
  ];
  assert.deepEqual(plain(body(inputs, { payment: { method: "card", reference: "r" } }).body), {
    payment: { method: "card", reference: "r" },
  });
  assert.deepEqual(problems(body(inputs, {})), ["missing field: payment.method is required"]);
  assert.deepEqual(problems(body(inputs, { payment: { method: "gold", x: 1 } })), [
    "invalid field: payment.method must be one of card, cash",
    "unknown field: payment.x is not a known field",
  ]);
  for (const name of ["payment[method]", "payment.method"]) {
    assert.deepEqual(plain(read(inputs, { body: { form: form({ [name]: "cash" }) } }).body), {
      payment: { method: "cash" },
    });
  }
});

test("the wrapper of `Body in` is not part of a field's name", () => {
  const inputs = [input("email", { kind: "email" }, { required: true }), input("bio", string)];
  const wrapped = (json: Json) => body(inputs, json, { bodyIn: "user" });
  assert.deepEqual(plain(wrapped({ user: { email: "a@b.co" } }).body), { email: "a@b.co" });
  assert.deepEqual(problems(wrapped({})), ["missing field: email is required"]);
  assert.deepEqual(problems(wrapped({ user: 7, more: 1 })), [
    "invalid field: user must be an object",
    "unknown field: more is not a known field",
  ]);
  const sent = { body: { form: form({ "user[email]": "a@b.co" }) } };
  assert.deepEqual(plain(read(inputs, sent, { bodyIn: "user" }).body), { email: "a@b.co" });
});

test("a body that isn't an object is malformed; no body is an empty one", () => {
  const inputs = [input("name", string, { required: true })];
  for (const json of [[], 1, "x", null])
    assert.deepEqual(problems(body(inputs, json)), ["malformed body:  it must be a JSON object"]);
  assert.deepEqual(problems(read(inputs, {})), ["missing field: name is required"]);
});

test("references are collected with their places, by the type of the identifier", () => {
  const shows: FieldType = { kind: "list", of: { kind: "reference", resource: "Show" } };
  const result = body([input("shows", shows)], { shows: [1, 2] });
  assert.deepEqual(result.references, [
    { resource: "Show", value: 1, field: "shows[0]" },
    { resource: "Show", value: 2, field: "shows[1]" },
  ]);
  assert.deepEqual(problems(body([input("shows", shows)], { shows: ["x"] })), [
    "invalid field: shows[0] must be the identifier of a Show",
  ]);
  assert.equal(
    read([input("show", { kind: "reference", resource: "Show" }, { in: "query" })], {
      query: form({ show: "7" }),
    }).query["show"],
    7,
  );
});

test("texts of queries are read by their types", () => {
  const inputs = [
    input("limit", integer, { in: "query" }),
    input("open", { kind: "boolean" }, { in: "query" }),
    input("tags", { kind: "list", of: string }, { in: "query", separator: "," }),
    input("ids", { kind: "list", of: integer }, { in: "query" }),
  ];
  const result = read(inputs, {
    query: form({ limit: "5", open: "true", tags: "a,b", "ids[0]": "3", "ids[1]": "1" }),
  });
  assert.deepEqual(problems(result), []);
  assert.deepEqual(plain(result.query), { limit: 5, open: true, tags: ["a", "b"], ids: [3, 1] });
  assert.deepEqual(problems(read(inputs, { query: form({ limit: ["1", "2"] }) })), [
    "invalid field: limit must be sent only once",
  ]);
  assert.deepEqual(plain(read(inputs, { query: form({ ids: ["3", "4"] }) }).query), { ids: [3, 4] });
});

test("the bounds of a range filter are keys of their own", () => {
  const created = input("created", { kind: "timestamp" }, { in: "query", filter: { kind: "range" } });
  const result = read([created], {
    query: form({ "created[gt]": "2026-01-01T00:00:00+01:00", "created[lte]": "2026-02-01T00:00:00Z" }),
  });
  assert.deepEqual(plain(result.query), {
    "created[gt]": "2025-12-31T23:00:00.000Z",
    "created[lte]": "2026-02-01T00:00:00.000Z",
  });
  assert.deepEqual(
    problems(read([created], { query: form({ "created[above]": "x", "created[lt]": "x" }) })),
    [
      "unknown field: created[above] is not a known field",
      "invalid field: created[lt] must be a timestamp such as 2026-11-20T10:00:00Z",
    ],
  );
  assert.deepEqual(plain(read([created], { query: form({ created: "2026-02-01T00:00:00Z" }) }).query), {
    created: "2026-02-01T00:00:00.000Z",
  });
});

test("parameters that the engine reads itself are not unknown fields", () => {
  assert.deepEqual(
    problems(read([], { query: form({ after: "x", limit: "3" }) }, { engineParameters: ["after"] })),
    ["unknown field: limit is not a known field"],
  );
});

test("headers are read by their types, under small names", () => {
  const inputs = [input("X-Priority", integer, { in: "header", required: true })];
  assert.deepEqual(plain(read(inputs, { headers: { "x-priority": "4" } }).headers), { "x-priority": 4 });
  assert.deepEqual(problems(read(inputs, { headers: {} })), ["missing field: X-Priority is required"]);
});

test("a path parameter that isn't of its type finds nothing", () => {
  const reader = compileReader([input("id", integer, { in: "path" })], options);
  const path = reader.path({ id: "7", owner: "ada" });
  assert.deepEqual(plain(path.values), { id: 7, owner: "ada" });
  assert.deepEqual(path.invalid, []);
  const misread = reader.path({ id: "seven", owner: "ada" });
  assert.deepEqual(plain(misread.values), { id: null, owner: "ada" });
  assert.deepEqual(misread.invalid, ["id"]);
});

test("a field whose type is not shown is recorded when a request sends it", () => {
  const gap = { subject: "the type of Parcel.size", position: { offset: 0, line: 1, column: 1 } } as never;
  const inputs = [input("size", { kind: "not shown" }, { gap })];
  assert.deepEqual(body(inputs, {}).gaps, []);
  assert.deepEqual(body(inputs, { size: 1 }).gaps, [{ field: "size", gap }]);
});

test("ten thousand wrong elements are fifty problems", () => {
  const result = body([input("list", { kind: "list", of: integer })], { list: Array(10_000).fill("x") });
  assert.equal(result.problems.length, 50);
  assert.equal("list" in result.body, false);
});

test("ten thousand unknown fields are reported as fifty, quickly", () => {
  const json = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [`${"unknown".repeat(8)}${n}`, n]),
  );
  const inputs = Array.from({ length: 50 }, (_, n) => input(`${"unknwon".repeat(8)}${n}`, string));
  assert.equal(soon("reading", () => body(inputs, json)).problems.length, 50);
});

test("unknown fields are ignored if the document says so", () => {
  const result = body([input("name", string)], { name: "a", other: 1 }, { unknownFields: "ignored" });
  assert.deepEqual(problems(result), []);
  assert.deepEqual(plain(result.body), { name: "a" });
});

test("`as JSON` rejects an empty text, unless that means null", () => {
  const sent = { body: { form: form({ blocks: "" }) } };
  const blocks = (rules: FieldRule[]) => [input("blocks", { kind: "json" }, { asJson: true, rules })];
  const [problem] = read(blocks([]), sent).problems;
  assert.equal(problem?.problem, "must be JSON");
  const emptyIsNull = read(blocks([{ rule: "empty is null" }, { rule: "nullable" }]), sent);
  assert.deepEqual([emptyIsNull.problems, emptyIsNull.body["blocks"]], [[], null]);
  assert.deepEqual(read(blocks([{ rule: "nullable" }]), sent, { emptyInputs: "null" }).problems, []);
});
