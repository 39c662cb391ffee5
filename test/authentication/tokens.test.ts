/** Tokens (part 5) in requests: the caller that they identify, and when they expire. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type JWTPayload, SignJWT } from "jose";
import { compile, createMovableClock, createRequest, openService } from "../../src/index.ts";
import { smallDocument } from "../contracts/serve-document.ts";

const secret = "a secret that is long enough for its digest";
const startMs = Date.parse("2026-11-20T12:00:00Z");

const resources = `### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| password | password | required, write-only |`;

const endpoints = `### POST /users

- Does: create User
- Body: name, password
- Allowed: anyone
- Returns: 201 \`{"token": token(this)}\`

### POST /login

- Does: sign in User
- Body: name, password
- Allowed: anyone
- Returns: 200 \`{"token": token(this)}\`

### PATCH /me

- Does: update User
- Where: \`this == caller\`
- Body: name?, password?
- Returns: 200 \`{"token": token(this)}\`

### GET /me

- Does: answer
- Returns: 200 \`{"id": caller.id}\``;

async function serving(more = "", limits = "- Rate limits: none") {
  const authentication = `### Scheme: token

- Placement: header Authorization, after Bearer
- Credentials: User by id, from claim sub
- Signed with: HS256, secret env JWT_SECRET
${more}`;
  const { model, diagnostics } = compile(smallDocument({ resources, endpoints, authentication, limits }), {
    file: "users.md",
  });
  assert.ok(model, JSON.stringify(diagnostics));
  const clock = createMovableClock(startMs);
  const service = await openService(model, { store: ":memory:", clock, secret: () => secret });
  const send = async (method: string, target: string, token?: string, body?: object) => {
    const answer = await service.fetch(
      createRequest({
        method,
        target,
        headers: [
          ...(token === undefined ? [] : [["Authorization", `Bearer ${token}`] as const]),
          ...(body ? [["Content-Type", "application/json"] as const] : []),
        ],
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
    return { status: answer.status, json: JSON.parse(String(answer.body)) };
  };
  const signUp = async (name: string): Promise<string> =>
    (await send("POST", "/users", undefined, { name, password: "first" })).json.token;
  const who = async (token: string) => (await send("GET", "/me", token)).json.id ?? null;
  return { send, signUp, who, [Symbol.asyncDispose]: () => service.close() };
}

const signed = (claims: JWTPayload) =>
  new SignJWT({ exp: startMs / 1000 + 60, ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(secret));

test("the claim names the record as the service writes it, and in no other way", async () => {
  await using service = await serving();
  await service.signUp("a");
  assert.equal(await service.who(await signed({ sub: "1" })), 1);
  for (const sub of ["01", "1.0", "+1", " 1", "1 ", "1e0", "0x1", "one", "", "2"])
    assert.equal(await service.who(await signed({ sub })), null, JSON.stringify(sub));
});

test("a change of the fields that its scheme names ends a token, and no other change does", async () => {
  await using service = await serving("- Ends with: password\n");
  const token = await service.signUp("a");
  const other = await service.signUp("b");
  assert.deepEqual([await service.who(token), await service.who(other)], [1, 2]);
  const renamed = await service.send("PATCH", "/me", token, { name: "c" });
  assert.equal(await service.who(token), 1);
  assert.equal(await service.who(renamed.json.token), 1);
  const changed = await service.send("PATCH", "/me", token, { password: "second" });
  assert.equal(changed.status, 200, JSON.stringify(changed.json));
  assert.equal(await service.who(token), null);
  assert.equal(await service.who(changed.json.token), 1);
  const signedIn = await service.send("POST", "/login", undefined, { name: "c", password: "second" });
  assert.equal(await service.who(signedIn.json.token), 1);
  assert.equal(await service.who(other), 2);
  // A token from another issuer without expiry would never end.
  assert.equal(await service.who(await signed({ sub: "1" })), null);
});

test("a rejected credential is charged to its address, and so is a valid one after too many", async () => {
  await using service = await serving(
    "",
    "| Limit | Bound | Applies to |\n|---|---|---|\n| rate | 4 per minute | address |",
  );
  const token = await service.signUp("a");
  const status = async (text?: string) => (await service.send("GET", "/me", text)).status;
  const statuses = [
    await status("guess 1"),
    await status("guess 2"),
    await status("guess 3"),
    await status("guess 4"),
  ];
  assert.deepEqual(statuses, [401, 401, 401, 429]);
  assert.equal(await status(token), 429);
});
