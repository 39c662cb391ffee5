/**
 * Schemas that restrict another one, by `allOf` or by the only alternative of a union: the document
 * states what all of them require. Each case is from a description of a vendor.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../formats.ts";

const address = {
  type: "object",
  properties: { street: { type: "string" }, zip: { type: "string", maxLength: 9 } },
};
const fullAddress = { allOf: [{ $ref: "#/components/schemas/PartialAddress" }], required: ["street"] };
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The import of a service with depots that are created and read. */
function imported(depot: object, newDepot: object, parameters: readonly object[] = []): string {
  const file = {
    openapi: "3.1.0",
    info: { title: "Depots", version: "1" },
    paths: {
      "/depots": {
        get: { parameters, responses: { "200": { description: "all" } } },
        post: {
          requestBody: json(reference("NewDepot")),
          responses: { "201": { description: "created", ...json(reference("DepotResponse")) } },
        },
      },
      "/depots/{id}": {
        get: {
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: { "200": { description: "one", ...json(reference("Depot")) } },
        },
      },
    },
    components: {
      schemas: {
        PartialAddress: address,
        Address: fullAddress,
        Depot: depot,
        DepotResponse: { allOf: [reference("Depot")], required: ["id"] },
        NewDepot: newDepot,
      },
    },
  };
  const text = importFile("openapi", {
    name: "depots.json",
    text: JSON.stringify(file),
    readRelative: () => undefined,
    only: [],
  }).text;
  return text.replace(/ {2,}/g, " ");
}

function objectOf(properties: object, required: readonly string[] = []): object {
  return { type: "object", required, properties };
}

const id = { type: "string" };

test("keys that a reference requires in addition are required", () => {
  const body = objectOf({
    at: reference("Address"),
    other: { allOf: [reference("Address"), { title: "x" }] },
  });
  const text = imported(objectOf({ id, at: reference("Address"), other: reference("PartialAddress") }), body);
  assert.match(text, /### Address\n\n- Identifier: none\n\n.*\n.*\n\| street \| string \| required \|/);
  assert.match(text, /\| at \| Address \| \|/);
  // A body that needs more than the field's value doesn't set the field without a word.
  assert.match(text, /\| other \| PartialAddress \| not shown \|/);
  assert.match(text, /\| other \| body \| Address \| \| not shown \|/);
  assert.match(text, /- Body: at\?\n/);
});

test("a response that requires more keys of a record is the record", () => {
  const text = imported(
    objectOf({ id, name: { type: "string" } }),
    objectOf({ name: { type: "string" } }, ["name"]),
  );
  assert.match(text, /### Depot\n/);
  assert.match(text, /### POST \/depots\n\n- Does: create Depot\n[\s\S]*- Returns: 201 Depot\n/);
});

test("a property of two merged schemas fits both", () => {
  const base = objectOf({
    mode: { enum: ["on", "off", "auto"], type: "string" },
    note: { type: "string", maxLength: 5 },
  });
  const rest = objectOf({
    id,
    mode: { enum: ["on", "off"], type: "string" },
    note: { description: "Only a text." },
  });
  const text = imported({ allOf: [base, rest] }, objectOf({ name: { type: "string" } }));
  assert.match(text, /\| mode \| one of on, off \|/);
  assert.match(text, /\| note \| string \| on create not shown, length \.\.5 \| Only a text\. \|/);
});

test("keywords next to the only alternative of a union are kept", () => {
  const level = { anyOf: [{ type: "string", maxLength: 9 }, { type: "null" }], default: "low" };
  const seen = { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }], readOnly: true };
  const text = imported(objectOf({ id, level, seen }), objectOf({ level, seen }), [
    { name: "limit", in: "query", schema: { anyOf: [{ type: "integer" }, { type: "null" }], default: 20 } },
    { name: "sort", in: "query", schema: { oneOf: [{ type: "string", enum: ["a", "b"] }], default: "a" } },
  ]);
  assert.match(text, /\| level \| string \| nullable, length \.\.9, default `"low"` \|/);
  assert.match(text, /\| seen \| timestamp \| on create not shown \|/);
  assert.match(text, /\| limit \| query \| integer \| default `20` \|/);
  assert.match(text, /\| sort \| query \| one of a, b \| default `"a"` \|/);
});

test("a key that no response returns is write-only", () => {
  const secret = { type: "string", writeOnly: true };
  const text = imported(objectOf({ id, secret, in: objectOf({ pin: secret }) }), objectOf({ secret }));
  assert.match(text, /\| secret \| string \| write-only \|/);
  assert.match(text, /\| pin \| string \| write-only \|/);
});

test("a key that each response has and a request may omit has a default that isn't shown", () => {
  const name = { type: "string" };
  const text = imported(objectOf({ id, name, note: name }, ["name"]), objectOf({ name, note: name }));
  assert.match(text, /\| name \| string \| default not shown \|/);
  assert.match(text, /\| note \| string \| \|/);
});

test("a required input that may be null is stated as both", () => {
  const note = { type: ["string", "null"] };
  const text = imported(objectOf({ id }), objectOf({ note }, ["note"]));
  assert.match(text, /\| note \| body \| string \| required, nullable \| not shown \|/);
});

test("a list in one parameter has its separator", () => {
  const list = { type: "array", items: { type: "string" } };
  const text = imported(objectOf({ id }), objectOf({ name: id }), [
    { name: "plain", in: "query", schema: list },
    { name: "commas", in: "query", explode: false, schema: list },
    { name: "pipes", in: "query", style: "pipeDelimited", schema: list },
    { name: "spaces", in: "query", style: "spaceDelimited", explode: false, schema: list },
    { name: "X-Tags", in: "header", schema: list },
  ]);
  assert.match(text, /\| plain \| query \| list of string \| \|/);
  assert.match(text, /\| commas \| query \| list of string \| separated by "," \|/);
  assert.match(text, /\| pipes \| query \| list of string \| separated by "\\\|" \|/);
  assert.match(text, /\| spaces \| query \| list of string \| separated by " " \|/);
  assert.match(text, /\| X-Tags \| header \| list of string \| separated by "," \|/);
});

test("a body of several objects has the keys that they share", () => {
  const shared = objectOf({ name: id }, ["name"]);
  const union = { oneOf: [objectOf({ icon: id }, ["icon"]), objectOf({ emoji: id }, ["emoji"])] };
  const text = imported(objectOf({ id, name: id }), { allOf: [shared, union] });
  assert.match(text, /POST \/depots\n\n<!-- openapi [^\n]*a body of application\/json: oneOf or anyOf/);
  assert.match(text, /- Does: not shown\n[\s\S]*\| name \| body \| string \| required \| not shown \|/);
});

test("a key of a value that each request sends has no default", () => {
  const level = { type: "string", default: "low" };
  const rules = objectOf({ level, other: level, parent: reference("NewDepot") }, ["level"]);
  const depot = objectOf({ id, rules: reference("NewDepot") });
  const sent = imported(depot, rules);
  assert.match(sent, /\| level \| string \| required \|/);
  assert.match(sent, /\| other \| string \| default `"low"` \|/);
  const shown = imported(objectOf({ id, rules: objectOf({ level }, ["level"]) }), objectOf({}));
  assert.match(shown, /\| level \| string \| default `"low"` \|/);
});

test("an input that the document leaves out isn't rejected as unknown", () => {
  const filter = { name: "filter", in: "query", schema: objectOf({ name: id }) };
  const limit = { name: "limit", in: "query", schema: { type: "integer" } };
  const text = imported(objectOf({ id }), objectOf({}), [limit, filter]);
  assert.match(
    text,
    /### GET \/depots\n\n<!-- [^\n]*query filter[^\n]*\n[\s\S]{0,90}- Does: not shown\n- Unknown fields: not shown\n/,
  );
  assert.doesNotMatch(imported(objectOf({ id }), objectOf({}), [limit]), /Unknown fields/);
});

test("a response with the status 204 has no body, whatever the description says", () => {
  const file = {
    openapi: "3.0.3",
    info: { title: "Depots", version: "1" },
    paths: {
      "/depots": { delete: { responses: { "204": { description: "", ...json({ type: "string" }) } } } },
    },
  };
  const options = { name: "a.json", text: JSON.stringify(file), readRelative: () => undefined, only: [] };
  assert.match(importFile("openapi", options).text, /- Returns: 204 nothing\n/);
});

test("an object in a query is stated where its keys are in brackets, or it is sent as JSON", () => {
  const map = { type: "object" };
  const text = imported(objectOf({ id }), objectOf({}), [
    { name: "deep", in: "query", style: "deepObject", explode: true, schema: map },
    { name: "filter", in: "query", content: { "application/json": { schema: map } } },
  ]);
  assert.match(text, /\| deep \| query \| map of json \| \| not shown \|/);
  assert.match(text, /\| filter \| query \| map of json \| as JSON \| not shown \|/);
});

test("a response of several objects has the keys that they share, and more", () => {
  const shared = objectOf({ name: id }, ["name"]);
  const union = { oneOf: [objectOf({ icon: id }, ["icon"]), objectOf({ emoji: id }, ["emoji"])] };
  const text = imported(objectOf({ id, look: { allOf: [shared, union] } }), objectOf({}));
  assert.match(text, /\| look \| DepotLook \|/);
  assert.match(
    text,
    /### DepotLook\n\n- Identifier: none\n\n.*\n.*\n\| name \| string \| required \|\n\| not shown \| \| \|/,
  );
  const sent = imported(objectOf({ id }), objectOf({ look: { allOf: [shared, union] } }));
  assert.match(sent, /\| look \| body \| json \|/);
});

test("an excluded bound of an integer is the next integer, and that of a number is a comment", () => {
  const bounded = (bounds: object) => ({ type: "integer", ...bounds });
  const fields = {
    above: bounded({ exclusiveMinimum: 0, maximum: 9 }),
    below: bounded({ minimum: -3, exclusiveMaximum: 2.5 }),
    flags: bounded({ minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }),
    both: bounded({ minimum: 5, exclusiveMinimum: 2 }),
    part: { type: "number", exclusiveMinimum: 0, maximum: 1 },
  };
  const parameters = Object.entries(fields).map(([name, schema]) => ({ name, in: "query", schema }));
  const text = imported(objectOf({ id }), objectOf({}), parameters);
  const rules = [...text.matchAll(/^\| (above|below|flags|both|part) \| query \| \w+ \| ([^|]*) \|/gm)];
  assert.deepEqual(
    rules.map(([, field, rule]) => `${field} ${rule}`),
    ["above 1..9", "below -3..2", "flags 1..9", "both 5..", "part ..1"],
  );
  assert.match(text, /part: exclusiveMinimum 0/);
});
