/**
 * Endless effects: effects that cause one another without end, where `check` can't detect it. The
 * request receives an error, its changes roll back, and other requests are served.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel } from "../documents/library.ts";
import { openTimed } from "../durability/serve-timed.ts";

const cases = [
  {
    name: "a transition that starts itself on others by `do`",
    rows: "| poke | any | same | call | | `do poke on Ant where this.n >= 0` |",
    requested: "poke",
    reported: "Ant poke starts itself in an endless loop",
  },
  {
    name: "records that each make one more `immediately`",
    rows: `| wake | asleep | awake | call | | |
| grow | awake | old | immediately | \`this.n >= 0\` | \`create Ant with n = this.n + 1; do wake on Ant where this.status == "asleep"\` |`,
    requested: "wake",
    reported: "`immediately` transitions cause each other in an endless loop",
  },
  {
    name: "records that each make another go on `immediately`",
    rows: `| start | asleep | awake | call | | \`n = 1\` |
| pass | awake, asleep | same | immediately | \`this.n > 0\` | \`n = 0; update Ant where this.id != ant.id set n = 1\` |`,
    requested: "start",
    others: true,
    reported: "Ant pass fires immediately in an endless loop",
  },
];

for (const { name, rows, requested, reported, others = false } of cases)
  test(`${name}: it ends, and is reported`, async (t) => {
    const model = libraryModel({
      authentication: "- Scheme: none",
      resources: `### Ant

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| n | integer | default \`0\` |
| status | state | |`,
      states: `### Ant

- State field: status
- Initial state: asleep

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
${rows}`,
      endpoints: `### GET /ants

- Does: list Ant
- Order: id
- Pagination: none
- Returns: 200 list of Ant

### POST /ants

- Does: create Ant
- Body: n?
- Returns: 201 Ant

### POST /ants/{id}/${requested}

- Does: ${requested} Ant
- Returns: 200 Ant`,
      events: "- Webhooks: none\n- Notifications: none\n- Events: none",
    });
    const logged: string[] = [];
    const note = (fields: unknown) => logged.push(JSON.stringify(fields));
    const timed = await openTimed({ model, log: { info() {}, warn() {}, error: note } });
    t.after(() => timed.close());
    await timed.send("POST", "/ants", { body: {} });
    if (others) await timed.send("POST", "/ants", { body: {} });
    const before = await timed.send("GET", "/ants");
    const refused = await timed.send("POST", `/ants/1/${requested}`);
    assert.equal(refused.status, 500);
    assert.match(refused.body.detail, new RegExp(reported));
    assert.match(logged.join("\n"), new RegExp(reported.replace(/^Ant /, "")));
    assert.deepEqual((await timed.send("GET", "/ants")).body, before.body);
  });
