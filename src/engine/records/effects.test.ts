/** Effects on each element of a list, and the effects of a deletion. */
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
| short | string | length ..5 |
| stamp | string | on update \`"changed"\` |
| made_at | timestamp | on create \`now\` |

### Lamp

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| said | string | default \`"-"\` |

### Queue

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| next | integer | default 1 |

### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| queue | Queue | |
| number | integer | |`;
const states = `### Lamp

- State field: state
- Initial state: dark

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| \`light\` | dark | lit | call | \`said = old.state + " to " + this.state + " by " + body.name\` |
| \`dim\` | lit | dark | call | |

### Ticket

| Transition | Trigger | Effect |
|---|---|---|
| \`call\` | call | \`number = body.number; this.queue.next = body.number + 1\` |`;

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

### POST /clubs/{club}/words

- Does: create Badge
- Body: text
- Effect: \`create Badge with text = body.text, short = body.text\`
- Returns: 201 Badge

### PATCH /badges/{id}

- Does: update Badge
- Body: text?
- Returns: 200 Badge

### POST /clubs/{club}/stamps

- Does: create Badge
- Body: text
- Effect: \`update Badge where this.id == 1 set stamp = "mine"\`
- Returns: 201 Badge

### POST /queues

- Does: create Queue
- Returns: 201 Queue

### /queues/{queue}

- Is: Queue

### POST /queues/{queue}/tickets

- Does: create Ticket
- Returns: 201 Ticket

### POST /queues/{queue}/calls

- Does: update Queue
- Effect: \`do call on Ticket where this.queue == queue, first 3 by id with number = queue.next\`
- Returns: 200 \`[queue.next, Ticket.map(t, t.number)]\`

### POST /lamps

- Does: create Lamp
- Returns: 201 Lamp

### GET /lamps

- Does: list Lamp
- Returns: 200 list of Lamp

### POST /clubs/{club}/lights

- Does: create Badge
- Body: text
- Effect: \`do light on Lamp where this.state == "dark", first 2 by id with name = club.words[0]\`
- Returns: 201 Badge

### GET /badges

- Does: list Badge
- Returns: 200 list of Badge

### DELETE /badges/{id}

- Does: delete Badge
- Returns: 204 nothing`;

interface Badge {
  readonly text: string;
  readonly of: number | null;
  readonly stamp: string | null;
}

async function clubs(t: TestContext) {
  const served = await serveDocument(smallDocument({ resources, states, endpoints }));
  t.after(() => served.close());
  for (const name of ["a", "b", "c"]) await served.send("POST", "/members", { body: { name } });
  const badges = async (): Promise<readonly Badge[]> => (await served.send("GET", "/badges")).json;
  return { served, badges };
}

test("an effect creates a record for each referenced record, each record of a collection, and each value", async (t) => {
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

test("an absent list has no elements", async (t) => {
  const { served, badges } = await clubs(t);
  assert.equal((await served.send("POST", "/clubs", { body: { first: 1, members: [1] } })).status, 201);
  assert.deepEqual(
    (await badges()).map(({ text }) => text),
    ["a", "a", "c", "b", "c", "a", "a"],
  );
});

test("an effect sees earlier changes of the path's records, and a null reference changes nothing", async (t) => {
  const { served, badges } = await clubs(t);
  assert.equal((await served.send("POST", "/members/1/clubs", { body: { first: 1 } })).status, 201);
  assert.equal((await served.send("POST", "/members/2/clubs", { body: { first: null } })).status, 201);
  assert.equal((await served.send("POST", "/clubs/1/badges", { body: { text: "x" } })).status, 201);
  assert.deepEqual(
    (await badges()).map(({ text }) => text),
    ["renamed", "b", "x", "cleared"],
  );
});

test("a deleted record has no timers", async (t) => {
  const { served } = await clubs(t);
  await served.send("POST", "/clubs", { body: { words: ["x"], first: 1, members: [1] } });
  const due = async () =>
    (await served.target.service.internals.context.store.session.system.dueTimers(1e15, 100)).length;
  const before = await due();
  assert.ok(before > 0);
  await served.send("DELETE", "/badges/1");
  assert.equal(await due(), before - 1);
});

test("a value that an effect sets must satisfy the rules of its field, or nothing is stored", async (t) => {
  const { served, badges } = await clubs(t);
  await served.send("POST", "/members/1/clubs", { body: { first: 1 } });
  const before = await badges();
  assert.equal((await served.send("POST", "/clubs/1/words", { body: { text: "longer" } })).status, 422);
  assert.deepEqual(await badges(), before);
  assert.equal((await served.send("POST", "/clubs/1/words", { body: { text: "short" } })).status, 201);
  assert.equal((await badges()).length, before.length + 2);
});

test("an effect's value takes precedence over the field's on update", async (t) => {
  const { served, badges } = await clubs(t);
  await served.send("POST", "/members/1/clubs", { body: { first: 1 } });
  const stamp = async () => (await badges())[0]?.stamp;
  await served.send("POST", "/clubs/1/stamps", { body: { text: "x" } });
  assert.equal(await stamp(), "mine");
  await served.send("PATCH", "/badges/1", { body: { text: "other" } });
  assert.equal(await stamp(), "changed");
  await served.send("POST", "/clubs/1/stamps", { body: { text: "x" } });
  assert.equal(await stamp(), "mine");
});

test("a transition that an effect fires sees the old record and its arguments", async (t) => {
  const { served } = await clubs(t);
  for (let at = 0; at < 3; at += 1) await served.send("POST", "/lamps");
  await served.send("POST", "/clubs", { body: { words: ["me"], first: 1, members: [1] } });
  assert.equal((await served.send("POST", "/clubs/1/lights", { body: { text: "x" } })).status, 201);
  const { json } = await served.send("GET", "/lamps");
  assert.deepEqual(
    json.map(({ state, said }: { state: string; said: string }) => `${state}: ${said}`),
    ["lit: dark to lit by me", "lit: dark to lit by me", "dark: -"],
  );
});

test("an effect on one of several records sees the changes of earlier ones", async (t) => {
  const { served } = await clubs(t);
  await served.send("POST", "/queues");
  for (let at = 0; at < 3; at += 1) await served.send("POST", "/queues/1/tickets");
  const { json } = await served.send("POST", "/queues/1/calls");
  assert.deepEqual(json, [4, [1, 2, 3]]);
});
