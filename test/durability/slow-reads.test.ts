/**
 * Statement timeouts: the response to a request whose statement exceeds its time, and the effect on
 * other requests.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { compile } from "../../src/compile.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createService } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { sqliteAlone } from "../sqlite-alone.ts";

const document = `# Interface Specification: Crowd

## What the service does

- Purpose: knows people.

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| name | string | required | |

## States and transitions

- States: none
- Transitions: none

## Endpoints

### POST /users

- Does: create User
- Allowed: anyone
- Body: name
- Returns: 201 User

### GET /users/{id}

- Does: read User
- Allowed: anyone
- Returns: 200 User

### GET /users

- Does: list User
- Allowed: anyone
- Pagination: page (page: page)
- Returns: 200 list of User

### GET /crowd

- Does: answer
- Allowed: anyone
- Returns: 200 \`{"many": User.count(a, User.exists(b, User.exists(c, User.exists(d, size(a.name + b.name + c.name + d.name) > 1000))))}\`

### POST /crowd

- Does: create User
- Allowed: anyone
- Body: name
- Fails: crowded when \`User.exists(a, User.exists(b, User.exists(c, User.exists(d, size(a.name + b.name + c.name + d.name) > 1000))))\`
- Returns: 201 User

## Authentication

- Scheme: none

## Events

- Events: none

## Errors

- Payload shape:

\`\`\`cel
{"oops": error.code}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| too_slow | 504 | timed out | That took too long. |
| crowded | 409 | | There are too many. |

## Limits

- Rate limits: none

## Versioning

- Scheme: none
`;

const people = 100;

async function crowd(t: TestContext) {
  const { model, diagnostics } = compile(document, { file: "crowd.md" });
  assert.ok(model);
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code),
    ["expressions/too-much-work", "expressions/too-much-work"],
    "check refuses it, so only who embeds the engine can serve it",
  );
  const store = await openStore(model, meaningOf(model), { path: ":memory:", statementMs: 2_000 });
  t.after(() => store.close());
  const ports = { clock: systemClock, log: silentLog, randomBytes: createRandomPool() };
  const service = await createService(model, { store, ports, origin: () => "http://localhost" });
  t.after(() => service.close());
  const send = async (method: string, target: string, name?: string) => {
    const sent =
      name === undefined
        ? {}
        : { headers: [["Content-Type", "application/json"]] as const, body: JSON.stringify({ name }) };
    const { status, body } = await service.fetch(createRequest({ method, target, ...sent }));
    return { status, body: JSON.parse(String(body)) };
  };
  for (let number = 1; number <= people; number += 1) await send("POST", "/users", `User ${number}`);
  return send;
}

const beyondPlaces = sqliteAlone(
  "four reads that take long have all places for such (slowreaders=), where lists go too",
);

test(
  "a request that exceeds its time gets the document's error, and others are answered meanwhile",
  beyondPlaces,
  async (t) => {
    const send = await crowd(t);
    let over = 0;
    const slow = Array.from({ length: 4 }, () =>
      send("GET", "/crowd").finally(() => {
        over += 1;
      }),
    );
    assert.equal((await send("GET", "/users/7")).status, 200);
    assert.equal((await send("GET", "/users")).body.length, 50);
    assert.equal((await send("POST", "/users", "Late")).status, 201);
    assert.equal(over, 0, "the slow ones are still running");
    for (const answer of await Promise.all(slow))
      assert.deepEqual(answer, { status: 504, body: { oops: "too_slow" } });
  },
);

test("a change whose condition takes too long is rejected with 504, and no part of it is stored", async (t) => {
  const send = await crowd(t);
  assert.deepEqual(await send("POST", "/crowd", "Slow"), { status: 504, body: { oops: "too_slow" } });
  assert.equal((await send("GET", `/users/${people + 1}`)).status, 404);
});
