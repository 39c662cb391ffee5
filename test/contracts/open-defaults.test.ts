/** A default that isn't shown: a request that sends the field is answered, and one without it isn't. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { silentTerminal } from "../terminal.ts";

const document = `# Interface Specification: Depots

## What the service does

- Purpose: keeps depots
- Domain: storage
- Behaviour: none

## Resources and their fields

### Depot

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| kind | string | length ..9, default not shown |

## States and transitions

- States: none
- Transitions: none

## Endpoints

- Base path: /

### POST /depots

- Does: create Depot
- Body: kind?
- Returns: 201 Depot

### GET /depots

- Does: list Depot
- Order: ascending by id
- Pagination: none
- Returns: 200 list of Depot

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| kind | query | string | length ..9, default not shown | \`this.kind == query.kind\` |

### PUT /depots/{id}

- Does: update Depot
- Returns: 200 Depot

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| kind | body | string | not shown | |
`;

const { model } = compile(document, { file: "depots.md" });
assert.ok(model);
const target = await createLocalTarget(model, silentTerminal);
after(() => target.close());

const headers = [["content-type", "application/json"]] as const;
const get = async (query: string) => target.send({ method: "GET", target: `/depots${query}`, headers: [] });
const send = async (method: string, path: string, body: object) =>
  target.send({ method, target: path, headers, body: JSON.stringify(body) });

test("only a request without the field needs the default that isn't shown", async () => {
  assert.equal((await send("POST", "/depots", { kind: "cold" })).status, 201);
  assert.equal((await send("POST", "/depots", { kind: "much too long" })).status, 422);
  assert.equal((await send("POST", "/depots", {})).status, 501);
});

test("only a request without the input needs its default", async () => {
  assert.equal((await get("?kind=cold")).status, 200);
  assert.equal((await get("?kind=much-too-long")).status, 422);
  const { status, body } = await get("");
  assert.equal(status, 501);
  assert.match(body, /"subject":"a rule of kind \(default\)"|a rule of kind/);
});

test("if no rule of the input is shown, no request is answered", async () => {
  assert.equal((await send("PUT", "/depots/1", { kind: "warm" })).status, 501);
  assert.equal((await send("PUT", "/depots/1", {})).status, 501);
});

test("the export has the response 501 of such an endpoint, next to its own", () => {
  const exported = JSON.parse(JSON.stringify(openapiDocument(wireOf(model), "3.1", [])));
  const responses = Object.keys(exported.paths["/depots"].get.responses);
  assert.ok(responses.includes("200") && responses.includes("501"), responses.join());
});
