/** Sign-in: which credentials it accepts, and when it rehashes a weakly hashed password. */
import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";
import { isWeaklyHashed, lowestCost } from "../secrets/secrets.ts";

const resources = `### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| team | string | nullable |
| password | password | required |`;

const endpoints = `### POST /users

- Does: create User
- Body: name, team?, password
- Returns: 201 nothing

### POST /sign-in

- Does: sign in User
- Body: name, team?, password
- Returns: 200 \`{"id": this.id, "user": user.name, "caller": caller.name}\``;

/** Hashes a password weakly: even the lowest cost, at which tests hash, requires a longer hash. */
function weakHash(text: string): string {
  const nonce = Buffer.alloc(16, 7);
  const hash = argon2Sync("argon2id", { ...lowestCost, message: text, nonce, tagLength: 16 });
  const words = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  return `$argon2id$v=19$m=8,t=1,p=1$${words(nonce)}$${words(hash)}`;
}

test("a password is rehashed only if its hash is weak and the password is correct", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  const { context, newFrame } = served.target.service.internals;
  const query = context.store.prepareRecords({ resource: "User", where: [], order: [] });
  const kept = async () => {
    const [user] = await context.store.session.records(query, newFrame(0));
    assert.ok(user);
    return user;
  };
  const signIn = async (password: string, team: string | null = "t") =>
    (await served.send("POST", "/sign-in", { body: { name: "Ada", team, password } })).status;
  await served.send("POST", "/users", { body: { name: "Ada", team: "t", password: "right one" } });
  const strong = (await kept())["password"];
  assert.deepEqual(
    [await signIn("right one"), await signIn("wrong one"), await signIn("right one", "u")],
    [200, 401, 401],
  );
  assert.equal((await kept())["password"], strong);
  const weak = weakHash("right one");
  const user = await kept();
  await context.store.write((transaction) => transaction.update("User", user, { password: weak }));
  assert.equal(await signIn("wrong one"), 401);
  assert.equal((await kept())["password"], weak);
  const { json } = await served.send("POST", "/sign-in", {
    body: { name: "Ada", team: "t", password: "right one" },
  });
  assert.deepEqual(json, { id: 1, user: "Ada", caller: "Ada" });
  const anew = String((await kept())["password"]);
  assert.deepEqual(
    [anew === weak, isWeaklyHashed(anew, lowestCost), await signIn("right one")],
    [false, false, 200],
  );
  assert.equal((await kept())["password"], anew);
});
