/** Record changes: sequence numbers, the content of errors, and what later reads see. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Shelf

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| last | Item | nullable, on delete clear |
| stamp | string | on update \`this.last == null ? "empty" : "full"\` |

### Item

- Identifier: id, made by \`sequence()\`
- Deleted: marked
- Unique: place, label

| Field | Type | Rules |
|---|---|---|
| on | Shelf | nullable |
| place | string | |
| label | string | |
| note | string | |`;

const states = `### Item

- State field: state
- Initial state: here

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| \`lose\` | here | lost | call | \`note = "was " + this.label; label = item.note + ", is " + item.state\` |`;

const endpoints = `### /shelves/{shelf}

- Is: Shelf

### POST /shelves

- Does: create Shelf
- Returns: 201 Shelf

### POST /shelves/{shelf}/items

- Does: create Item
- Effect: \`shelf.last = this\`
- Returns: 201 Item

### DELETE /shelves/{shelf}/items/{id}

- Does: delete Item
- Then: lose when \`shelf.last == null\`
- Returns: 200 \`[this.state, shelf.last, shelf.stamp]\`

### DELETE /shelves/{shelf}

- Does: delete Shelf
- Effect: \`create Item with on = shelf\`
- Returns: 204 nothing

### POST /items

- Does: create Item
- Body: label?, note?
- Set: \`place = "here"\`
- Returns: 201 Item

### POST /items/{id}/lose

- Does: lose Item
- Returns: 200 Item

### POST /numbered

- Does: create Item
- Effect: \`create Item with id = body.number\`
- Returns: 201 Item

| Input | In | Type |
|---|---|---|
| number | body | integer |

### POST /sames

- Does: create Item
- Body: note
- Set: \`place = "same"; label = "same"\`
- Returns: 201 Item

### GET /items

- Does: list Item
- Returns: 200 list of Item`;

const errors = `- Payload shape:

\`\`\`cel
[error.code, error.field, error.problem]
\`\`\`

| Code | Status | When |
|---|---|---|
| taken | 409 | duplicate |
| nowhere | 422 | unknown reference |`;

async function shelves(t: TestContext) {
  const served = await serveDocument(smallDocument({ resources, states, endpoints, errors }));
  t.after(() => served.close());
  const request = async (method: string, path: string, body?: unknown) => {
    const { status, body: reported } = await served.send(method, path, body === undefined ? {} : { body });
    return reported === "" ? status : JSON.parse(reported);
  };
  return { request };
}

test("a sequence does not continue from a number that an effect has set", async (t) => {
  const { request } = await shelves(t);
  assert.equal((await request("POST", "/numbered", { number: 100 })).id, 1);
  assert.equal((await request("POST", "/items", {})).id, 2);
});

test("a joint duplicate names the first field that was sent, or else the first field", async (t) => {
  const { request } = await shelves(t);
  await request("POST", "/items", { label: "a" });
  assert.deepEqual(await request("POST", "/items", { label: "a", note: "n" }), [
    "taken",
    "label",
    "is already taken",
  ]);
  await request("POST", "/sames", { note: "n" });
  assert.deepEqual(await request("POST", "/sames", { note: "n" }), ["taken", "place", "is already taken"]);
});

test("a reference to a record that the request has deleted is rejected with its field", async (t) => {
  const { request } = await shelves(t);
  await request("POST", "/shelves", {});
  assert.deepEqual(await request("DELETE", "/shelves/1"), [
    "nowhere",
    "on",
    "refers to something that does not exist",
  ]);
});

test("steps after a deletion see the references that it has cleared", async (t) => {
  const { request } = await shelves(t);
  await request("POST", "/shelves", {});
  assert.equal((await request("POST", "/shelves/1/items", {})).state, "here");
  assert.deepEqual(await request("DELETE", "/shelves/1/items/1"), ["lost", null, "empty"]);
});

test("an effect sees the values of earlier effects, by either name of the record", async (t) => {
  const { request } = await shelves(t);
  await request("POST", "/items", { label: "red" });
  const { note, label } = await request("POST", "/items/1/lose");
  assert.deepEqual([note, label], ["was red", "was red, is lost"]);
});

test("no reference to a record that the request has deleted is stored, at any depth", async (t) => {
  const marked = (name: string, field: string) => `### ${name}

- Identifier: id, made by \`sequence()\`
- Deleted: marked

| Field | Type | Rules |
|---|---|---|
| ${field} |`;
  const deleting = (path: string, effect: string) => `### /${path}/{keeper}

- Is: Keeper

### DELETE /${path}/{keeper}

- Does: delete Keeper
- Effect: \`${effect}\`
- Returns: 204 nothing`;
  const served = await serveDocument(
    smallDocument({
      resources: [
        "### Keeper\n\n- Identifier: code, given\n\n| Field | Type | Rules |\n|---|---|---|\n| code | string | required, any case |",
        marked("Account", "owner | Keeper | nullable, on delete cascade"),
        marked("Book", "owners | list of Keeper | on delete clear"),
        marked("Pot", "of | map of Keeper | on delete clear"),
        marked("Last", "account | Account | nullable"),
      ].join("\n\n"),
      endpoints: [
        "### POST /keepers\n\n- Does: create Keeper\n- Body: code\n- Returns: 201 Keeper",
        "### POST /accounts\n\n- Does: create Account\n- Body: owner?\n- Effect: `create Last with account = this`\n- Returns: 201 Account",
        "### POST /copies\n\n- Does: answer\n- Effect: `create Account with owner = Last.first(l, l.account.owner != null).account.owner`\n- Returns: 204 nothing",
        deleting("made", "create Account with owner = keeper"),
        deleting("set", "update Account where true set owner = keeper"),
        deleting("listed", "create Book with owners = [keeper]"),
        deleting("mapped", 'create Pot with of = {"a": keeper}'),
        deleting("plain", "create Pot with of = {}"),
        deleting("again", "create Keeper with code = keeper.code; create Book with owners = [keeper]"),
      ].join("\n\n"),
      errors,
    }),
  );
  t.after(() => served.close());
  const { send } = served;
  const nowhere = async (method: string, path: string) => {
    const { status, body } = await send(method, path);
    return [status, body === "" ? undefined : JSON.parse(body)[1]];
  };
  await send("POST", "/keepers", { body: { code: "ann" } });
  await send("POST", "/accounts", { body: {} });
  assert.deepEqual(await nowhere("DELETE", "/made/ANN"), [422, "owner"]);
  assert.deepEqual(await nowhere("DELETE", "/set/ann"), [422, "owner"]);
  assert.deepEqual(await nowhere("DELETE", "/listed/ann"), [422, "owners"]);
  assert.deepEqual(await nowhere("DELETE", "/mapped/ann"), [422, "of"]);
  assert.deepEqual(await nowhere("DELETE", "/again/ann"), [204, undefined]);
  // A deleted record keeps its references to the record that deleted it; that reference isn't
  // copied.
  await send("POST", "/keepers", { body: { code: "bob" } });
  await send("POST", "/accounts", { body: { owner: "bob" } });
  assert.deepEqual(await nowhere("DELETE", "/plain/bob"), [204, undefined]);
  assert.deepEqual(await nowhere("POST", "/copies"), [422, "owner"]);
});
