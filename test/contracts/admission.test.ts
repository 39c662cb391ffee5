/**
 * Admission: the service checks a request's head before it reads the body, or invites the body with
 * 100 Continue.
 */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { createRequest } from "../../src/engine/http/message.ts";
import { serveDocument, smallDocument, standing } from "./serve-document.ts";

const resources = `### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| password | password | write-only |
| key | credential | |
| secret | string | default "shh" |

${standing.resources}`;

const endpoints = `### POST /users

- Does: create User
- Body: name, password?, key?
- Allowed: anyone
- Scheme: key
- Returns: 201 nothing

### POST /notes

- Does: create Note
- Body: text
- Scheme: key
- Returns: 201 Note

### POST /signed

- Does: create Note
- Body: text
- Scheme: signed
- Returns: 201 Note

### POST /basic

- Does: create Note
- Body: text
- Scheme: basic
- Returns: 201 Note

### POST /limited

- Does: create Note
- Body: text
- Scheme: key
- Returns: 201 Note

### POST /weighed

- Does: create Note
- Body: text
- Scheme: key
- Returns: 201 Note`;

const authentication = `### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: User by key

### Scheme: signed

- Placement: header X-Name
- Credentials: User by name
- Signature: header X-Signature, \`hex(hmac("sha256", credential.secret, request.body))\`

### Scheme: basic

- Placement: basic user and password
- Credentials: User by name and password`;

const limits = `| Limit | Bound | Applies to |
|---|---|---|
| rate few | 2 per hour | caller, POST /limited |
| rate weight | 20 per hour | caller, POST /weighed, costing \`size(request.body)\` |

- Rate headers: RateLimit
- Size limits: none
- Time-outs: none
- Pagination bounds: none`;

/** Starts a service, and sends requests whose body follows 100 Continue. */
async function world(t: TestContext) {
  const served = await serveDocument(smallDocument({ resources, endpoints, authentication, limits }));
  t.after(() => served.close());
  const made = { name: "ada", password: "right password", key: "ada's key" };
  assert.equal((await served.send("POST", "/users", { body: made })).status, 201);
  return async (path: string, headers: Readonly<Record<string, string>>, body: object = { text: "a" }) => {
    let hasSubqueries = false;
    let isCallers = false;
    const request = createRequest({
      method: "POST",
      target: path,
      headers: [["Content-Type", "application/json"], ...Object.entries(headers)],
      body: JSON.stringify(body),
    });
    const answer = await served.target.service.fetch({
      ...request,
      isBodyComplete: false,
      body(bytesMax, isFromCaller) {
        hasSubqueries = true;
        isCallers = isFromCaller === true;
        return request.body(bytesMax);
      },
    });
    return { ...answer, hasSubqueries, isCallers };
  };
}

const key = { Authorization: "Bearer ada's key" };
const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

describe("a body that follows 100 Continue", () => {
  test("is not invited without a valid credential, if one is required", async (t) => {
    const send = await world(t);
    const none = await send("/notes", {});
    assert.deepEqual([none.status, none.hasSubqueries], [401, false]);
    const wrong = await send("/notes", { Authorization: "Bearer unknown key" });
    assert.deepEqual([wrong.status, wrong.hasSubqueries], [401, false]);
    assert.ok(wrong.headers.some(([name]) => name === "WWW-Authenticate"));
    const good = await send("/notes", key);
    assert.deepEqual([good.status, good.hasSubqueries, good.isCallers], [201, true, true]);
    const open = await send("/users", {}, { name: "grace" });
    assert.deepEqual([open.status, open.hasSubqueries, open.isCallers], [201, true, false]);
  });

  test("is not invited over a rate limit, and is charged to it once", async (t) => {
    const send = await world(t);
    for (const remaining of [1, 0]) {
      const answer = await send("/limited", key);
      assert.equal(answer.status, 201);
      const reported = answer.headers.filter(([name]) => name === "RateLimit");
      assert.deepEqual(
        reported.map(([, value]) => value.replace(/t=\d+/, "t=…")),
        [`"few";r=${remaining};t=…`],
      );
    }
    const over = await send("/limited", key);
    assert.deepEqual([over.status, over.hasSubqueries], [429, false]);
    assert.equal(over.headers.filter(([name]) => name === "RateLimit").length, 1);
  });

  test("is read first if the rate or the signature depends on it", async (t) => {
    const send = await world(t);
    assert.equal((await send("/weighed", key)).status, 201);
    const over = await send("/weighed", key);
    assert.deepEqual([over.status, over.hasSubqueries], [429, true]);
    const unsigned = await send("/signed", { "X-Name": "ada", "X-Signature": "none" });
    assert.deepEqual([unsigned.status, unsigned.hasSubqueries, unsigned.isCallers], [401, true, false]);
    const unknown = await send("/signed", { "X-Name": "stranger", "X-Signature": "none" });
    assert.deepEqual([unknown.status, unknown.hasSubqueries], [401, false]);
  });

  test("does not reveal which accounts exist, if callers send passwords", async (t) => {
    const send = await world(t);
    const none = await send("/basic", {});
    assert.deepEqual([none.status, none.hasSubqueries], [401, false]);
    for (const user of ["ada", "stranger"]) {
      const wrong = await send("/basic", basic(user, "wrong password"));
      assert.deepEqual([wrong.status, wrong.hasSubqueries, wrong.isCallers], [401, true, false], user);
    }
    const good = await send("/basic", basic("ada", "right password"));
    assert.deepEqual([good.status, good.hasSubqueries], [201, true]);
  });
});
