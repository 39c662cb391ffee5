/** Effects of each of a list, and what a deletion leaves behind it. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Member

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |

### Club

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| members | list of Member | |
| first | Member | nullable, on delete clear |
| words | list of string | |
| sizes | list of integer | |

### Badge

- Identifier: id, made by \`sequence()\`
- Kept: 1 day after made_at

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| of | Member | nullable, on delete clear |
| made_at | timestamp | on create \`now\` |`;

const endpoints = `### POST /members

- Does: create Member
- Body: name
- Returns: 201 Member

### POST /clubs

- Does: create Club
- Body: members?, first?, words?, sizes?
- Effect: \`create Badge with text = member.name, of = member for member in this.members\`
- Effect: \`create Badge with text = all.name, of = all for all in Member when all.name != "b"\`
- Effect: \`create Badge with text = picked.name for picked in Member.filter(m, m.name != "a")\`
- Effect: \`create Badge with text = some.name for some in [this.first, this.members[0]]\`
- Effect: \`create Badge with text = word for word in this.words when word != "no"\`
- Effect: \`create Badge with text = string(size + 1) for size in this.sizes\`
- Returns: 201 Club

### /members/{member}

- Is: Member

### /clubs/{club}

- Is: Club

### POST /members/{member}/clubs

- Does: create Club
- Body: first?
- Effect: \`first.name = "renamed"\`
- Effect: \`create Badge with text = member.name\`
- Returns: 201 Club

### POST /clubs/{club}/badges

- Does: create Badge
- Body: text
- Effect: \`delete Member where this == club.first\`
- Effect: \`create Badge with text = club.first == null ? "cleared" : "kept"\`
- Returns: 201 Badge

### GET /badges

- Does: list Badge
- Returns: 200 list of Badge

### DELETE /badges/{id}

- Does: delete Badge
- Returns: 204 nothing`;

async function clubs(t: TestContext) {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  for (const name of ["a", "b", "c"]) await served.send("POST", "/members", { body: { name } });
  const badges = async (): Promise<readonly { readonly text: string; readonly of: number | null }[]> =>
    (await served.send("GET", "/badges")).json;
  return { served, badges };
}

test("of each record to which a list refers, each of all and each value of a list a record is made", async (t) => {
  const { served, badges } = await clubs(t);
  const body = { members: [3, 1], first: 2, words: ["yes", "no"], sizes: [1, 2] };
  assert.equal((await served.send("POST", "/clubs", { body })).status, 201);
  const made = await badges();
  assert.deepEqual(
    made.map(({ text }) => text),
    ["c", "a", "a", "c", "b", "c", "b", "c", "yes", "2", "3"],
  );
  assert.deepEqual(
    made.slice(0, 4).map(({ of }) => of),
    [3, 1, 1, 3],
  );
});

test("what is not there is no list", async (t) => {
  const { served, badges } = await clubs(t);
  assert.equal((await served.send("POST", "/clubs", { body: { first: 1, members: [1] } })).status, 201);
  assert.deepEqual(
    (await badges()).map(({ text }) => text),
    ["a", "a", "c", "b", "c", "a", "a"],
  );
});

test("an effect sees what those before it have done to the records of the path, and nothing is done through a reference to nothing", async (t) => {
  const { served, badges } = await clubs(t);
  assert.equal((await served.send("POST", "/members/1/clubs", { body: { first: 1 } })).status, 201);
  assert.equal((await served.send("POST", "/members/2/clubs", { body: { first: null } })).status, 201);
  assert.equal((await served.send("POST", "/clubs/1/badges", { body: { text: "x" } })).status, 201);
  assert.deepEqual(
    (await badges()).map(({ text }) => text),
    ["renamed", "b", "x", "cleared"],
  );
});

test("nothing is left due of a record that is gone", async (t) => {
  const { served } = await clubs(t);
  await served.send("POST", "/clubs", { body: { words: ["x"], first: 1, members: [1] } });
  const due = async () =>
    (await served.target.service.inside.context.store.session.system.dueTimers(1e15, 100)).length;
  const before = await due();
  assert.ok(before > 0);
  await served.send("DELETE", "/badges/1");
  assert.equal(await due(), before - 1);
});
