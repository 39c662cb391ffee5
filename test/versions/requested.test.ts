/**
 * Changes that read the caller or the store: they convert the input of older callers in its order,
 * and in the request's own transaction.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Served,
  serveDocument,
  smallDocument,
  standing,
  twoVersions,
} from "../contracts/serve-document.ts";

const resources = `### User

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| key | credential | required |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |
| size | integer | |
| owner | User | |`;
const authentication = `### Scheme: key

- Placement: header X-Key
- Credentials: User by key`;
const endpoints = `### POST /users

- Does: create User
- Body: name, key
- Allowed: anyone
- Returns: 201 User

${standing.endpoints.replace("Body: text, size?", "Body: text?, size?, owner?").replace("Query: size?", "Query: size?, owner?")}`;
const headers = { "X-Key": "ada-key" };

async function serve(changes: string): Promise<Served> {
  const versioning = twoVersions(changes);
  const served = await serveDocument(smallDocument({ resources, authentication, endpoints, versioning }));
  const ada = await served.send("POST", "/v2/users", { body: { name: "ada", key: "ada-key" } });
  assert.equal(ada.status, 201, ada.body);
  return served;
}

/** The cases by the data that they read: the change, and the input. */
const cases: Readonly<Record<string, readonly [string, Record<string, string>]>> = {
  "what is written otherwise": [
    '- Replaced: Note.text, new `caller.name + ": " + old`, old `new`',
    { text: "soon" },
  ],
  "an input that took another's place": [
    '- Removed: words of POST /notes, as text = `caller.name + ": " + words`',
    { words: "soon" },
  ],
};

for (const [name, [changes, body]] of Object.entries(cases))
  test(`${name} is converted with the caller of the request`, async (t) => {
    const served = await serve(changes);
    t.after(() => served.close());
    const made = await served.send("POST", "/v1/notes", { headers, body });
    assert.equal(made.status, 201, made.body);
    assert.equal((await served.send("GET", "/v2/notes/1", { headers })).json.text, "ada: soon");
  });

test("simultaneous requests are converted one after another, from the state at that time", async (t) => {
  const served = await serve("- Replaced: Note.size, new `old + Note.count(n, true)`, old `new`");
  t.after(() => served.close());
  const all = Array.from({ length: 5 }, () =>
    served.send("POST", "/v1/notes", { headers, body: { size: 10 } }),
  );
  const sizes = (await Promise.all(all)).map(({ json }) => json.size);
  assert.deepEqual(sizes.toSorted(), [10, 11, 12, 13, 14]);
});

test("a filter finds the records of the intended reference, and nothing without one", async (t) => {
  const served = await serve("- Replaced: Note.owner, new `User.first(u, u.name == old)`, old `new.name`");
  t.after(() => served.close());
  for (const body of [{ text: "hers", owner: "ada" }, { text: "unowned" }])
    assert.equal((await served.send("POST", "/v1/notes", { headers, body })).status, 201);
  const found = async (owner: string) => {
    const { status, json } = await served.send("GET", `/v1/notes?owner=${owner}`, { headers });
    return [status, json.map((note: { readonly text: string }) => note.text)];
  };
  assert.deepEqual(await found("ada"), [200, ["hers"]]);
  assert.deepEqual(await found("eve"), [200, []]);
});
