/**
 * Handlers in two phases: `prepare` waits while other requests write, and `run` receives its
 * result.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GivenToPrepare, Handler } from "../../src/engine/handler-module.ts";
import { serviceOf } from "./handlers-service.ts";

const document = `# Interface Specification: Invoices

## What the service does

- Purpose: none
- Domain: none
- Behaviour: none

## Resources and their fields

### Invoice

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| total | integer | required, 0.. |
| rate | integer | |

### Key

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| value | credential | |

## States and transitions

- States: none
- Transitions: none

## Endpoints

### POST /keys

- Does: create Key
- Allowed: anyone
- Body: value
- Returns: 201 nothing

### POST /invoices

- Does: create Invoice
- Allowed: anyone
- Body: total
- Returns: 201 Invoice

### /invoices/{id}

- Is: Invoice

### POST /invoices/{id}/rate

- Does: handler rate
- Allowed: any caller
- Fails: no_total when \`invoice.total == 0\`
- Idempotency: header Idempotency-Key, 1 day
- Returns: 200 Invoice

| Input | In | Type | Rules |
|---|---|---|---|
| by | body | integer | required |

### DELETE /invoices/{id}

- Does: delete Invoice
- Allowed: anyone
- Returns: 204 nothing

### GET /invoices

- Does: list Invoice
- Allowed: anyone
- Order: id
- Returns: 200 list of Invoice

## Authentication

### Scheme: key

- Placement: header X-Key
- Credentials: Key by value

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| no_total | 409 | | there is nothing to rate |
| rates_down | 503 | | the rates can't be reached |

## Limits

- Rate limits: none
- Size limits: none
- Time-outs: none
- Pagination bounds: none

## Versioning

- Scheme: none
- Compatibility: none
`;

const key = { "x-key": "k" };

async function invoicesWith(rate: Handler) {
  const service = await serviceOf({ handlers: { rate } }, document);
  const { send } = service;
  assert.equal((await send("POST", "/keys", { value: "k" })).status, 201);
  assert.equal((await send("POST", "/invoices", { total: 200 })).status, 201);
  return service;
}

/** Creates a handler whose `prepare` waits until the test releases it. */
function waiting() {
  const { promise: isStarted, resolve: started } = Promise.withResolvers<GivenToPrepare>();
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
  const calls: string[] = [];
  const handler: Handler = {
    async prepare(given) {
      calls.push("prepare");
      started(given);
      await isLetGo;
      return { rate: 3 };
    },
    async run({ facts, transaction, records }) {
      calls.push("run");
      const { rate } = facts as { rate: number };
      return transaction.update("Invoice", records["invoice"] as never, { rate });
    },
  };
  return { handler, isStarted, letGo, calls };
}

test("other requests write and read while `prepare` waits, and `run` receives its result", async () => {
  const { handler, isStarted, letGo, calls } = waiting();
  const { send, warned } = await invoicesWith(handler);
  const rated = send("POST", "/invoices/1/rate", { by: 1 }, key);
  const { input, records, caller, committed } = await isStarted;
  assert.deepEqual([input.body["by"], records["invoice"]?.["total"], caller], [1, 200, { id: 1 }]);
  assert.equal((await send("POST", "/invoices", { total: 7 })).status, 201);
  assert.equal((await send("GET", "/invoices")).json.length, 2);
  assert.deepEqual(calls, ["prepare"]);
  assert.equal((await committed.get("Invoice", 2))?.["total"], 7);
  assert.equal((await committed.list("Invoice", { where: { total: 200 } })).length, 1);
  assert.equal("create" in committed, false);
  letGo();
  const { status, json } = await rated;
  assert.deepEqual([status, json.rate], [200, 3], JSON.stringify(json));
  assert.deepEqual(calls, ["prepare", "run"]);
  assert.deepEqual(warned, []);
});

test("data that changed while `prepare` waited is checked again before `run`", async () => {
  const { handler, isStarted, letGo, calls } = waiting();
  const { send } = await invoicesWith(handler);
  const rated = send("POST", "/invoices/1/rate", { by: 1 }, key);
  await isStarted;
  assert.equal((await send("DELETE", "/invoices/1")).status, 204);
  letGo();
  assert.equal((await rated).status, 404);
  assert.deepEqual(calls, ["prepare"]);
});

test("a request that the document rejects never reaches `prepare`", async () => {
  const { handler, calls } = waiting();
  const { send } = await invoicesWith(handler);
  assert.equal((await send("POST", "/invoices/1/rate", { by: 1 })).status, 401);
  assert.equal((await send("POST", "/invoices/9/rate", { by: 1 }, key)).status, 404);
  assert.equal((await send("POST", "/invoices/1/rate", { by: "x" }, key)).status, 422);
  assert.equal((await send("POST", "/invoices", { total: 0 })).status, 201);
  const refused = await send("POST", "/invoices/2/rate", { by: 1 }, key);
  assert.deepEqual([refused.status, refused.json.code], [409, "no_total"]);
  assert.deepEqual(calls, []);
});

test("a repeated request is answered by its key, without `prepare`", async () => {
  const { handler, letGo, calls } = waiting();
  const { send } = await invoicesWith(handler);
  letGo();
  const again = { ...key, "idempotency-key": "i" };
  assert.equal((await send("POST", "/invoices/1/rate", { by: 1 }, again)).json.rate, 3);
  assert.equal((await send("POST", "/invoices/1/rate", { by: 1 }, again)).json.rate, 3);
  assert.deepEqual(calls, ["prepare", "run"]);
});

test("`prepare` rejects with a code of part 7, and an exception is an internal error", async () => {
  const run = () => null;
  const refusing = await invoicesWith({ prepare: ({ refuse }) => refuse("rates_down"), run });
  const refused = await refusing.send("POST", "/invoices/1/rate", { by: 1 }, key);
  assert.deepEqual([refused.status, refused.json.detail], [503, "the rates can't be reached"]);
  const failing = await invoicesWith({
    prepare() {
      throw new Error("no route to host");
    },
    run,
  });
  const failed = await failing.send("POST", "/invoices/1/rate", { by: 1 }, key);
  assert.equal(failed.status, 500);
  assert.match(String(failing.logged[0]?.fields["error"]), /no route to host/);
  assert.doesNotMatch(JSON.stringify(failed.json), /route/);
});
