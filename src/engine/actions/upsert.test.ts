/** Upserts: which record an upsert finds, and how it changes. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Sheet

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |
| code | string | unique |
| pin | string | unique |
| note | string | |`;

const endpoints = `### /sheets/{name}

- Is: Sheet

### GET /sheets

- Does: list Sheet
- Returns: 200 list of Sheet

### PUT /sheets/{name}

- Does: upsert Sheet
- Body: code?, note?
- Returns: 201 Sheet when \`created\`
- Returns: 200 Sheet

### POST /pinned

- Does: upsert Sheet
- Body: note?
- Let: wanted = \`"pin-" + body.on\`
- Set: \`name = body.title when body.title != null; pin = wanted when body.isPinned == true\`
- Returns: 201 Sheet when \`created\`
- Returns: 200 Sheet

| Input | In | Type | Rules |
|---|---|---|---|
| title | body | string | |
| on | body | string | required |
| isPinned | body | boolean | |

### PUT /plain/{name}

- Does: upsert Sheet
- Body: code?, note?
- Returns: 201 Sheet when \`created\`
- Returns: 200 Sheet

### PUT /coded/{code}

- Does: upsert Sheet
- Body: name?, note?
- Returns: 201 Sheet when \`created\`
- Returns: 200 Sheet

### PUT /sheets/{name}/beneath

- Does: upsert Sheet
- Body: code, note?
- Set: \`name = sheet.name + "/" + body.code\`
- Returns: 201 \`{"made": this.name, "above": sheet.name}\` when \`created\`
- Returns: 200 \`{"found": this.name, "above": sheet.name, "note": this.note}\``;

const errors = `- Payload shape: problem details

| Code | Status | When | Meaning |
|---|---|---|---|
| taken | 409 | duplicate | |`;

async function sheets(t: TestContext) {
  const served = await serveDocument(smallDocument({ resources, endpoints, errors }));
  t.after(() => served.close());
  return async (method: string, path: string, body?: unknown) => {
    const { status, json } = await served.send(method, path, body === undefined ? {} : { body });
    return [status, json];
  };
}

test("only the path finds the record: a unique value of another record is a duplicate", async (t) => {
  const request = await sheets(t);
  await request("PUT", "/sheets/a", { code: "x", note: "first" });
  const [status, { code }] = await request("PUT", "/sheets/b", { code: "x", note: "second" });
  assert.deepEqual([status, code], [409, "taken"]);
  const [, listed] = await request("GET", "/sheets");
  assert.deepEqual(
    listed.map((item: { name: string; note: string }) => [item.name, item.note]),
    [["a", "first"]],
  );
});

test("without a path, a unique field finds the record, also if the document sets it, but not if it is absent", async (t) => {
  const request = await sheets(t);
  const pin = async (title: string | undefined, on: string, isPinned?: boolean) => {
    const [status, { name, pin }] = await request("POST", "/pinned", { title, on, isPinned });
    return [status, name, pin];
  };
  assert.deepEqual(await pin("a", "x", true), [201, "a", "pin-x"]);
  assert.deepEqual(await pin("b", "x", false), [201, "b", null]);
  // Records without a pin don't match each other.
  assert.deepEqual(await pin("c", "x"), [201, "c", null]);
  assert.deepEqual(await pin(undefined, "x", true), [200, "a", "pin-x"]);
  // An identifier that is sent decides alone.
  assert.deepEqual(await pin("d", "x", true), [409, undefined, undefined]);
  assert.deepEqual(await pin("b", "x", true), [409, undefined, undefined]);
  assert.deepEqual(await pin("b", "y", true), [200, "b", "pin-y"]);
});

test("only the path finds the record, also without a path heading, and a found identifier stays", async (t) => {
  const request = await sheets(t);
  const put = async (path: string, body: unknown) => {
    const [status, { code, name, note }] = await request("PUT", path, body);
    return status < 300 ? [status, name, code, note] : [status, code];
  };
  assert.deepEqual(await put("/plain/a", { code: "x" }), [201, "a", "x", null]);
  assert.deepEqual(await put("/plain/b", { code: "x", note: "taken" }), [409, "taken"]);
  assert.deepEqual(await put("/plain/a", { code: "y", note: "own" }), [200, "a", "y", "own"]);
  assert.deepEqual(await put("/coded/y", { name: "a", note: "same" }), [200, "a", "y", "same"]);
  assert.equal((await put("/coded/y", { name: "b" }))[0], 422);
  assert.deepEqual(await put("/coded/z", { name: "a" }), [409, "taken"]);
  assert.deepEqual(await put("/coded/z", { name: "b" }), [201, "b", "z", null]);
});

const users = `### User

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | any case |
| email | string | unique |
| name | string | |

### Login

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| user | User | |
| state | state | |`;

const machine = `### Login

- State field: state
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| close | open | closed | call | \`upsert User with id = body.id, email = body.email, name = body.name as u; user = u\` |`;

const fields = `| Input | In | Type | Rules |
|---|---|---|---|
| id | body | string | |
| email | body | string | nullable |
| name | body | string | |`;

const syncs = `### POST /effect

- Does: answer
- Effect: \`upsert User with id = body.id, email = body.email, name = body.name as u\`
- Returns: 200 User(u)

${fields}

### POST /set

- Does: create Login
- Set: \`upsert User with id = body.id, email = body.email, name = body.name as u; user = u\`
- Returns: 200 User(this.user)

${fields}

### POST /logins

- Does: create Login
- Returns: 201 Login

### POST /logins/{id}/close

- Does: close Login
- Returns: 200 User(this.user)

${fields}

### GET /users

- Does: list User
- Returns: 200 list of User`;

for (const kind of ["effect", "set", "transition"]) {
  test(`an upsert in an effect sets every field but the key that finds the record (${kind})`, async (t) => {
    const document = smallDocument({ resources: users, states: machine, endpoints: syncs, errors });
    const served = await serveDocument(document);
    t.after(() => served.close());
    const upsert = async (body: unknown) => {
      const path =
        kind === "transition"
          ? `/logins/${(await served.send("POST", "/logins", { body: {} })).json.id}/close`
          : `/${kind}`;
      const { status, json } = await served.send("POST", path, { body });
      return status === 200 ? [json.id, json.email, json.name] : [status, json.code];
    };
    assert.deepEqual(await upsert({ id: "a", email: "x", name: "Ann" }), ["a", "x", "Ann"]);
    assert.deepEqual(await upsert({ id: "A", email: "y", name: "Ann" }), ["a", "y", "Ann"]);
    assert.deepEqual(await upsert({ id: "a", email: null, name: "Ann" }), ["a", null, "Ann"]);
    assert.deepEqual(await upsert({ id: "b", email: "z", name: "Bob" }), ["b", "z", "Bob"]);
    assert.deepEqual(await upsert({ id: "a", email: "z", name: "Eve" }), [409, "taken"]);
    assert.deepEqual(await upsert({ id: "c", email: "z", name: "Eve" }), [409, "taken"]);
    // Without an identifier, the unique field finds the record.
    assert.deepEqual(await upsert({ email: "z", name: "Rob" }), ["b", "z", "Rob"]);
    const { json } = await served.send("GET", "/users");
    assert.deepEqual(
      json.map(({ id, email, name }: Record<string, unknown>) => [id, email, name]),
      [
        ["a", null, "Ann"],
        ["b", "z", "Rob"],
      ],
    );
  });
}

test("under a record of the same resource, an upsert finds another record, and the path's keeps its name", async (t) => {
  const request = await sheets(t);
  await request("PUT", "/sheets/a", { note: "above" });
  assert.deepEqual(await request("PUT", "/sheets/a/beneath", { code: "x" }), [
    201,
    { made: "a/x", above: "a" },
  ]);
  assert.deepEqual(await request("PUT", "/sheets/a/beneath", { code: "x", note: "again" }), [
    200,
    { found: "a/x", above: "a", note: "again" },
  ]);
});

const pairs = `### Pair

- Identifier: key, given

| Field | Type | Rules |
|---|---|---|
| key | string | |
| left | string | required |
| right | string | required |
| kind | string | immutable |`;

const putPair = `### PUT /pairs/{key}

- Does: upsert Pair
- Body: kind?
- Fails: locked when \`pair.left == "lock"\`
- Returns: 201 Pair when \`created\`
- Returns: 200 Pair

| Input | In | Type | Rules | Field |
|---|---|---|---|---|
| one | body | | | left |
| two | body | | | right |`;

const errorsOfPairs = `- Payload shape:

\`\`\`cel
{"code": error.code, "all": error.problems.map(p, p.field)}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| leftless | 422 | missing field Pair.left | |
| missing | 422 | missing field | |
| invalid | 422 | invalid field | |
| locked | 409 | | |`;

async function put(t: TestContext) {
  const document = smallDocument({ resources: pairs, endpoints: putPair, errors: errorsOfPairs });
  const served = await serveDocument(document);
  t.after(() => served.close());
  return async (key: string, body: unknown) => {
    const { status, json } = await served.send("PUT", `/pairs/${key}`, { body });
    return status < 300 ? [status, json.left, json.right, json.kind] : [json.code, ...json.all];
  };
}

test("inputs that only a new record needs are required on create only, and reported together", async (t) => {
  const request = await put(t);
  assert.deepEqual(await request("a", {}), ["leftless", "one", "two"]);
  assert.deepEqual(await request("a", { one: "x" }), ["missing", "two"]);
  assert.deepEqual(await request("a", { one: "x", two: "y" }), [201, "x", "y", null]);
  assert.deepEqual(await request("a", { two: "z" }), [200, "x", "z", null]);
});

test("a found record accepts the current value of an immutable field and rejects any other", async (t) => {
  const request = await put(t);
  assert.deepEqual(await request("a", { one: "x", two: "y", kind: "k" }), [201, "x", "y", "k"]);
  assert.deepEqual(await request("a", { one: "z", kind: "k" }), [200, "z", "y", "k"]);
  assert.deepEqual(await request("a", { one: "w", kind: "other" }), ["invalid", "kind"]);
  assert.deepEqual(await request("a", {}), [200, "z", "y", "k"]);
});

test("the found record is available under its small name, too", async (t) => {
  const request = await put(t);
  assert.deepEqual(await request("a", { one: "x", two: "y" }), [201, "x", "y", null]);
  assert.equal((await request("a", { one: "lock" }))[0], "locked");
  assert.deepEqual(await request("a", {}), [200, "x", "y", null]);
});
