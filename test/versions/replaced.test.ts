/**
 * Replaced values: changes convert the input of older callers. An unacceptable result is reported
 * with the name and the value that the client sent.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument, standing, twoVersions } from "../contracts/serve-document.ts";

const resources = `### User

- Identifier: id, made by \`sequence()\`
- Called: team_member

| Field | Type | Rules |
|---|---|---|
| name | string | required |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..50 |
| size | integer | required, 1..9 |
| owner | User | required |
| maker | string | |`;
const endpoints = `### POST /users

- Does: create User
- Body: name
- Returns: 201 User

${standing.endpoints.replace("Body: text, size?", "Body: text, size, owner, maker?").replace("Query: size?", "Query: size? range")}`;
const versions = (changes: string) => `- Scheme: path prefix
- Default: current
- Compatibility: new fields are compatible.

| Version | Status | Until | Changes |
|---|---|---|---|
| v3 | current | | |
| v2 | supported | | |
| v1 | supported | | |

${changes}`;

const words = `- Payload shape:

\`\`\`cel
{"reported": error.message, "resource": error.resource, "fields": error.fields, "value": error.value}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| wrong | 422 | invalid field | {error.problem} |`;

async function served() {
  const changes = `### Changes in v3

- Renamed: Note.measure to Note.size
- Renamed: User.text to User.name

### Changes in v2

- Replaced: Note.measure, new \`old == "none" ? null : int(old) * 2\`, old \`string(new / 2)\`
- Replaced: Note.owner, new \`User.first(u, u.name == old)\`, old \`new.name\``;
  const document = smallDocument({ resources, endpoints, errors: words, versioning: versions(changes) });
  return serveDocument(document);
}

test("a replaced and renamed field is accepted in the form and by the name of each version", async (t) => {
  const { send, close } = await served();
  t.after(close);
  assert.equal((await send("POST", "/v3/users", { body: { name: "ada" } })).status, 201);
  const first = await send("POST", "/v1/notes", { body: { text: "a", measure: "3", owner: "ada" } });
  assert.deepEqual(
    [first.status, first.json.text, first.json.measure, first.json.owner],
    [201, "a", "3", "ada"],
  );
  assert.equal((await send("POST", "/v2/notes", { body: { text: "b", measure: 4, owner: 1 } })).status, 201);
  const now = async (id: number) => (await send("GET", `/v3/notes/${id}`)).json;
  assert.deepEqual(await now(1), { id: 1, text: "a", size: 6, owner: 1, maker: null });
  assert.deepEqual(await now(2), { id: 2, text: "b", size: 4, owner: 1, maker: null });
  const found = async (path: string) =>
    (await send("GET", path)).json.map((record: { id: number }) => record.id);
  assert.deepEqual(await found("/v1/notes?measure=3"), [1]);
  assert.deepEqual(await found("/v1/notes?measure[lt]=3"), [2]);
  assert.deepEqual(await found("/v2/notes?measure=4"), [2]);
});

test("an unacceptable result of a change is reported with the sent name and value", async (t) => {
  const { send, close } = await served();
  t.after(close);
  await send("POST", "/v3/users", { body: { name: "ada" } });
  const wrong = async (body: Record<string, unknown>) => {
    const { status, json } = await send("POST", "/v1/notes", {
      body: { text: "a", measure: "1", owner: "ada", ...body },
    });
    return { status, ...json };
  };
  const named = (name: string, reported: string, value: string) => ({
    status: 422,
    reported,
    resource: "note",
    fields: { [name]: [reported] },
    value,
  });
  assert.deepEqual(await wrong({ measure: "7" }), named("measure", "must be at most 9", "7"));
  assert.deepEqual(await wrong({ measure: "none" }), named("measure", "is invalid", "none"));
  assert.deepEqual(await wrong({ owner: "eve" }), named("owner", "is not a known team member", "eve"));
  // The same applies to the bound of a range.
  const { status, json } = await send("GET", "/v1/notes?measure[gt]=none");
  assert.deepEqual({ status, ...json }, named("measure[gt]", "is invalid", "none"));
});

test("an incomplete result of a change is not reported as missing, because the client sent the input", async (t) => {
  const value = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| sku | string | required |
| unit | string | required |

`;
  const served = await serveDocument(
    smallDocument({
      resources: `${value}${standing.resources}\n| line | Line | | |`,
      endpoints: standing.endpoints.replace("Body: text, size?", "Body: text, line?"),
      versioning: twoVersions('- Replaced: Note.line, new `{"sku": old}`, old `new.sku`'),
    }),
  );
  t.after(() => served.close());
  const { status, json } = await served.send("POST", "/v1/notes", { body: { text: "a", line: "x" } });
  assert.deepEqual([status, json.code, json.detail], [422, "invalid_field", "line is invalid."]);
});

test("a text as the result for a reference with several identifying fields is an invalid field", async (t) => {
  const keyed = resources
    .replace("### Note\n\n- Identifier: id, made by `sequence()`", "### Note\n\n- Identifier: text and size")
    .replace("| owner | User | required |", "| owner | Note | |");
  const changes = "### Changes in v3\n\n- Replaced: Note.owner, new `old`, old `new`";
  const document = smallDocument({
    resources: keyed,
    endpoints: "### POST /notes\n\n- Does: create Note\n- Body: text, size, owner?\n- Returns: 201 Note",
    errors: words,
    versioning: versions(changes),
  });
  const { send, close } = await serveDocument(document);
  t.after(close);
  for (const owner of ["none", "[", "7", "{}"]) {
    const { status, json } = await send("POST", "/v2/notes", { body: { text: "a", size: 1, owner } });
    assert.deepEqual([status, Object.keys(json.fields), json.value], [422, ["owner"], owner]);
  }
});
