/** Proposed scenarios: one for each operation with an example that the document can respond to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { accept } from "../accept.ts";
import { workListOf } from "../worklist.ts";

const pet = `### Pet

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| id | uuid | |
| name | string | required, length 1..20 |
| kind | one of cat, dog | |
| made_at | timestamp | on create \`now\` |
`;

const record = {
  id: "6744a0da-4121-49cd-8479-f8cc20526495",
  name: "Rex",
  kind: "dog",
  made_at: "2026-01-01T00:00:00Z",
};

interface Parts {
  readonly endpoints: string;
  readonly resources?: string;
  readonly scenarios?: string;
}

function documentWith({ endpoints, resources = pet, scenarios = "" }: Parts): string {
  return `# Interface Specification: Pets

Imported from pets.json.

## What the service does

- Purpose: keeps pets
- Domain: none
- Behaviour: none

${scenarios}

## Resources and their fields

${resources}

## States and transitions

- States: none
- Transitions: none

## Endpoints

- Base path: /v1

${endpoints}

## Authentication

- Scheme: none

## Events

- Events: none

## Errors

- Payload shape: problem details

## Limits

- Rate limits: none

## Versioning

- Version scheme: none
`;
}

function comment(example: object): string {
  return `<!-- openapi example: ${JSON.stringify({ parameters: {}, ...example })} -->\n`;
}

const read = (example: object) => `### GET /pets/{id}

${comment(example)}
- Does: read Pet
- Returns: 200 Pet
`;
const create = (example: object) => `### POST /pets

${comment(example)}
- Does: create Pet
- Body: name, kind?
- Returns: 201 Pet
`;

/** The lines of the proposed scenarios, without empty ones. */
function scenariosOf(parts: Parts): readonly string[] {
  const { proposals } = workListOf("pets.md", documentWith(parts));
  return proposals
    .filter(({ kind }) => kind.startsWith("scenarios"))
    .flatMap(({ edits }) => edits.flatMap((edit) => ("after" in edit ? edit.lines : [])))
    .filter((line) => line !== "");
}

test("a read has the record of its response as `Given`, and times are compared by their form", () => {
  const text = scenariosOf({ endpoints: read({ status: 200, response: record }) }).join("\n");
  assert.equal(
    text,
    `### Scenario: GET /pets/{id} as in its example
- Given: \`Pet with id = "6744a0da-4121-49cd-8479-f8cc20526495", name = "Rex", kind = "dog", made_at = "2026-01-01T00:00:00Z" as record\`
\`\`\`http
GET /v1/pets/{{record}}
\`\`\`
\`\`\`http
HTTP/1.1 200
{"id":"6744a0da-4121-49cd-8479-f8cc20526495","name":"Rex","kind":"dog","made_at":"{{*: timestamp}}"}
\`\`\``,
  );
});

test("a creation compares what it sends, where the response has the same value", () => {
  const body = { name: "Rex", kind: "cat" };
  const lines = scenariosOf({ endpoints: create({ body, status: 201, response: record }) });
  assert.deepEqual(lines.slice(1), [
    "```http",
    "POST /v1/pets",
    '{"name":"Rex","kind":"cat"}',
    "```",
    "```http",
    "HTTP/1.1 201",
    '{"name":"Rex"}',
    "```",
  ]);
});

test("a deletion has the record of another operation's example", () => {
  const remove = `### DELETE /pets/{id}\n\n${comment({ status: 204 })}\n- Does: delete Pet\n- Returns: 204 nothing\n`;
  const lines = scenariosOf({ endpoints: `${read({ status: 200, response: record })}\n${remove}` });
  assert.ok(lines.includes("DELETE /v1/pets/{{record}}"));
  assert.deepEqual(scenariosOf({ endpoints: remove }), []);
});

test("parameters of a path that select by a field have the value of the record", () => {
  const resources = pet.replace("| kind |", "| owner | string | required |\n| kind |");
  const endpoints = `### GET /owners/{owner}/pets/{id}

${comment({ status: 200, response: { ...record, owner: "a b" } })}
- Does: read Pet
- Where: \`this.owner == path.owner\`
- Returns: 200 Pet
`;
  assert.ok(scenariosOf({ endpoints, resources }).includes("GET /v1/owners/a%20b/pets/{{record}}"));
  assert.deepEqual(
    scenariosOf({ endpoints: endpoints.replace('"owner"', '"other"'), resources }),
    [],
    "the example has no owner",
  );
});

test("no scenario for what the document rejects or doesn't show", () => {
  const body = { name: "Rex" };
  const rejected: readonly (readonly [what: string, endpoints: string])[] = [
    ["a value too long", create({ body: { name: "x".repeat(21) }, status: 201 })],
    ["no required input", create({ body: { kind: "cat" }, status: 201 })],
    ["a value of another type", create({ body: { name: 1 }, status: 201 })],
    ["an unknown key", create({ body: { ...body, size: 1 }, status: 201 })],
    ["a placeholder", create({ body: { name: "{{name}}" }, status: 201 })],
    ["a record without a required field", read({ status: 200, response: { id: record.id } })],
    ["an open operation", read({ status: 200, response: record }).replace("read Pet", "not shown")],
    ["a caller", read({ status: 200, response: record }).replace("- Ret", "- Allowed: any caller\n- Ret")],
    ["a header of two lines", read({ parameters: { header: { a: "x\ny" } }, status: 200, response: record })],
    ["an edited example", read({ status: 200, response: record }).replace('{"par', "{par")],
  ];
  for (const [what, endpoints] of rejected) assert.deepEqual(scenariosOf({ endpoints }), [], what);
  const open = `${create({ body, status: 201, response: record })}
| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| tag | body | string | | not shown |
`;
  assert.equal(scenariosOf({ endpoints: open }).length > 0, true, "an open input that isn't sent");
  const sent = open.replace('"body":{', '"body":{"tag":"x",');
  assert.deepEqual(scenariosOf({ endpoints: sent }), [], "an open input that is sent");
});

test("an operation that a scenario requests gets none", () => {
  const endpoints = read({ status: 200, response: record });
  const scenarios = `### Scenario: no such pet

\`\`\`http
GET /v1/pets/6744a0da-4121-49cd-8479-f8cc20526495
\`\`\`

\`\`\`http
HTTP/1.1 404
\`\`\`
`;
  assert.deepEqual(scenariosOf({ endpoints, scenarios }), []);
});

test("accepted scenarios are in part 1, and one that doesn't compile doesn't withdraw the others", () => {
  const unreadable = { parameters: { header: { "no name": "x" } }, status: 200, response: record };
  const endpoints = `${create({ body: { name: "Rex" }, status: 201, response: record })}\n${read(unreadable)}`;
  const { text, counts } = accept("pets.md", documentWith({ endpoints }), ["scenarios"]);
  assert.equal(counts.get("scenarios"), 1);
  const { model } = compile(text, { file: "pets.md" });
  assert.deepEqual(
    model?.scenarios.map(({ name }) => name),
    ["POST /pets as in its example"],
  );
  assert.deepEqual(
    workListOf("pets.md", text).proposals.filter(({ kind }) => kind === "scenarios"),
    [],
  );
});
