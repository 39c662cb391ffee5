/**
 * `Does: not shown` keeps the other items of an endpoint: the service checks them, and the exports
 * have them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { planClient } from "../../src/outputs/client/client-plan.ts";
import type { Model } from "../../src/model/model.ts";
import type { JsonSchema } from "../../src/fields/json-schema.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { type Served, serveDocument, smallDocument } from "./serve-document.ts";

const resources = `### Person

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| key | credential | required | |
| admin | boolean | default false | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required, length 1..10 | |
| day | date | not shown | |`;

const endpoints = `- Unknown fields: rejected

### POST /people

- Does: create Person
- Allowed: anyone
- Body: key, admin?
- Returns: 204 nothing

### /people/{id}

- Is: Person

### POST /people/{id}/merges

- Does: not shown
- Allowed: \`caller.admin\`
- Fails: stale on version when \`this.text == body.text\`
- Header: X-Kind: \`"merge"\`
- Returns: 201 Note

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| text | body | string | required, length 1..10 | |
| count | body | integer | 1..9 | not shown |
| day | body | date | not shown | |
| mode | query | one of fast, slow | | |

### POST /imports

- Does: not shown
- Body: text, day?
- Query: mode?
- Returns: 202 nothing

| Input | In | Field |
|---|---|---|
| other | body | size |

### GET /notes

- Does: not shown
- Returns: 200 Page of Note

### GET /latest

- Does: not shown
- Returns: 200 list of Note

### GET /summary

- Does: not shown
- Returns: 200 \`{"note": Note(this), "count": 1}\`

### Shape: Page

\`\`\`cel
{"items": page.items, "next": page.next}
\`\`\``;

const document = smallDocument({
  resources,
  endpoints,
  authentication: `### Scheme: key

- Placement: header X-Key
- Credentials: Person by key`,
  errors: `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| stale | 409 | | is stale |`,
});

async function servePeople(): Promise<Served> {
  const served = await serveDocument(document);
  for (const [name, admin] of [
    ["ann", true],
    ["ben", false],
  ] as const)
    assert.equal((await served.send("POST", "/people", { body: { key: name, admin } })).status, 204);
  return served;
}

const key = (name: string) => ({ "X-Key": name });

test("the service checks the caller, the path's records, Allowed and the inputs before it answers 501", async (t) => {
  const served = await servePeople();
  t.after(() => served.close());
  const post = async (path: string, headers: Record<string, string>, body: unknown) => {
    const { status, json } = await served.send("POST", path, { headers, body });
    return { status, problem: json.detail ?? json.title };
  };
  const sound = { text: "a", count: 3, day: "2026-11-20" };
  const merges = "/people/1/merges";
  assert.equal((await post(merges, {}, sound)).status, 401);
  assert.equal((await post("/people/9/merges", key("ann"), sound)).status, 404);
  assert.equal((await post(merges, key("ben"), sound)).status, 403);
  for (const [body, words] of [
    [{ ...sound, text: undefined }, /text/],
    [{ ...sound, text: "" }, /text must have at least 1/],
    [{ ...sound, count: "many" }, /count must be/],
    [{ ...sound, count: 10 }, /count must be/],
    [{ ...sound, day: "soon" }, /day must be/],
    [{ ...sound, size: 1 }, /size/],
  ] as const) {
    const answer = await post(merges, key("ann"), body);
    assert.equal(answer.status, 422, JSON.stringify(answer));
    assert.match(answer.problem, words);
  }
  assert.equal((await post(`${merges}?mode=odd`, key("ann"), sound)).status, 422);
  // A rule that is not shown may allow null.
  for (const body of [sound, { text: "a" }, { text: "a", day: null }]) {
    const answer = await post(merges, key("ann"), body);
    assert.equal(answer.status, 501);
    assert.match(answer.problem, /what POST \/people\/\{id\}\/merges does/);
  }
});

test("inputs that name fields of an unknown resource are read by their names", async (t) => {
  const served = await servePeople();
  t.after(() => served.close());
  const statusOf = async (body: unknown) =>
    (await served.send("POST", "/imports", { headers: key("ann"), body })).status;
  assert.equal(await statusOf({ day: "x" }), 422);
  assert.equal(await statusOf({ text: "a", more: 1 }), 422);
  assert.equal(await statusOf({ text: ["a"], day: 1, other: null }), 501);
});

test("an endpoint whose caller can't be authenticated answers 501 at once", async (t) => {
  const served = await serveDocument(
    smallDocument({
      endpoints: "### POST /merges\n\n- Does: not shown\n- Scheme: not shown\n- Returns: 204 nothing",
    }),
  );
  t.after(() => served.close());
  assert.equal((await served.send("POST", "/merges?more=1")).status, 501);
});

test("the exports have the inputs, the responses and the 501", () => {
  const { model } = compile(document, { file: "document.md" });
  assert.ok(model);
  const wire = wireOf(model);
  const file = JSON.parse(JSON.stringify(openapiDocument(wire, "3.1", [])));
  const merge = file.paths["/people/{id}/merges"].post;
  const schema = merge.requestBody.content["application/json"].schema;
  assert.deepEqual(schema.required, ["text"]);
  const typesOf = (properties: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type]));
  assert.deepEqual(typesOf(schema.properties), { text: "string", count: "integer", day: "string" });
  assert.equal(schema.properties.text.maxLength, 10);
  assert.deepEqual(Object.keys(merge.responses), [
    "201",
    "400",
    "401",
    "403",
    "404",
    "409",
    "415",
    "422",
    "501",
    "default",
  ]);
  assert.deepEqual(merge.responses["201"].content["application/json"].schema, {
    $ref: "#/components/schemas/Note",
  });
  assert.ok("X-Kind" in merge.responses["201"].headers);
  const note = file.components.schemas.Note.properties;
  assert.deepEqual(note.day.type, ["string", "null"]);
  const bodyOf = (path: string) => file.paths[path].get.responses["200"].content["application/json"].schema;
  assert.match(bodyOf("/notes").$ref, /NotePage/);
  assert.equal(bodyOf("/latest").type, "array");
  assert.deepEqual(bodyOf("/summary").properties.note, { $ref: "#/components/schemas/Note" });
  assert.deepEqual(
    planClient(wire).modules.flatMap((module) => module.functions.map(({ operation }) => operation.path)),
    ["/people", "/people/{id}/merges", "/imports", "/notes", "/latest", "/summary"],
  );
});

test("`check` reports a missing shape even if Does is not shown", () => {
  const text = smallDocument({ endpoints: "### GET /notes\n\n- Does: not shown\n- Returns: 200 Nott" });
  const codes = compile(text, { file: "document.md" }).diagnostics.map(({ code }) => code);
  assert.ok(codes.includes("endpoints/unknown-shape"), codes.join());
});

test("a header without a stated value is in the exports, and the response comes without it", async (t) => {
  const text = smallDocument({
    resources: `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required | |`,
    endpoints: `- Header: X-Region: not shown

### POST /notes

- Does: create Note
- Body: text
- Header: ETag: not shown
- Header: X-Text: \`this.text\`
- Returns: 201 Note`,
  });
  const served = await serveDocument(text);
  t.after(() => served.close());
  const { status, headers } = await served.send("POST", "/notes", { body: { text: "a" } });
  const names = headers.map(([name]) => name);
  assert.deepEqual([status, names.includes("X-Text"), names.includes("ETag")], [201, true, false]);
  const { model } = compile(text, { file: "notes.md" });
  assert.ok(model);
  const file = openapiDocument(wireOf(model), "3.1", []) as JsonSchema;
  const answer = JSON.stringify(file["paths"]);
  for (const name of ["X-Region", "ETag", "X-Text"]) assert.match(answer, new RegExp(`"${name}":\\{`));
});

test("`required, on create not shown`: the service gives each record a value, which the document does not show", async (t) => {
  const text = smallDocument({
    resources: `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required | |
| code | string | required, on create not shown | |`,
    endpoints: `### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note`,
  });
  const served = await serveDocument(text);
  t.after(() => served.close());
  assert.equal((await served.send("POST", "/notes", { body: { text: "a" } })).status, 501);
  const { model } = compile(text, { file: "notes.md" });
  assert.ok(model);
  const file = JSON.stringify(openapiDocument(wireOf(model), "3.1", []));
  assert.match(file, /"required":\["id","text","code"\]/);
});

const openOutcomes = smallDocument({
  resources: `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required | |`,
  endpoints: `### POST /notes

- Does: create Note
- Body: text
- Fails: 402, 409 when not shown
- Returns: 201 Note

### GET /notes/{id}

- Does: read Note
- Fails: 99 when not shown
- Returns: 200 Note

### POST /imports

- Does: not shown
- Returns: 200 Note when not shown
- Returns: 202 not shown`,
});

test("statuses of errors with an open condition are in the exports, and the rest works", async (t) => {
  const text = openOutcomes.replace("- Fails: 99 when not shown\n", "");
  const served = await serveDocument(text);
  t.after(() => served.close());
  assert.equal((await served.send("POST", "/notes", { body: { text: "a" } })).status, 201);
  const { model } = compile(text, { file: "notes.md" });
  assert.ok(model);
  const { responses } = operationIn(model, "/notes", "post");
  for (const status of ["402", "409"])
    assert.equal(responses[status]?.description, "Its condition is not shown.");
  const { diagnostics } = compile(openOutcomes, { file: "notes.md" });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ code, message }) => [code, message]),
    [["endpoints/unreadable", 'Cannot read "99".']],
  );
});

test("a response with an open condition or body is in the exports, and a request gets 501", async (t) => {
  const text = openOutcomes.replace("- Fails: 99 when not shown\n", "");
  const served = await serveDocument(text);
  t.after(() => served.close());
  assert.equal((await served.send("POST", "/imports", { body: {} })).status, 501);
  const { model, ledger } = compile(text, { file: "notes.md" });
  assert.ok(model);
  const { responses } = operationIn(model, "/imports", "post");
  assert.match(JSON.stringify(responses["200"]), /schemas\/Note"/);
  assert.equal(responses["202"]?.description, "Its body is not shown.");
  const gaps = ledger.flatMap(({ smallerGaps }) => smallerGaps.map(({ subject }) => subject));
  assert.ok(gaps.includes("the response of POST /imports"));
});

test("a response with an open condition next to a stated one is reported as a gap", () => {
  const text = openOutcomes
    .replace("- Fails: 99 when not shown\n", "")
    .replace("- Returns: 201 Note", "- Returns: 201 Note\n- Returns: 200 Note when not shown");
  const gaps = compile(text, { file: "notes.md" }).ledger.flatMap(({ smallerGaps }) => smallerGaps);
  assert.ok(gaps.some(({ subject }) => subject === "the response of POST /notes"));
});

interface Responses {
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

function operationIn(model: Model, path: string, method: string): Responses {
  const file = openapiDocument(wireOf(model), "3.1", []) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Responses>>>>;
  };
  const found = file.paths[path]?.[method];
  assert.ok(found);
  return found;
}
