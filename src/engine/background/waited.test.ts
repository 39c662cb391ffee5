/** What a request waits for besides what it names: what decides whether it may be done, and what it would do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import { ask, doneBy, minuteMs, openAsleep } from "../../../test/durability/due/walk.ts";

const named = (resource: string, more = "") => `### ${resource}

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
${more}`;

/** Of each there are two, and for all but notes and pins something is due. */
const model = libraryModel({
  authentication: "- Scheme: none",
  resources: [
    named("Firm", "| status | state | |"),
    named("Desk", "| firm | Firm | |\n| status | state | |"),
    named("Ticket", "| desk | Desk | |\n| status | state | |"),
    named("Note", "| text | string | |\n| stage | state | |"),
    named("Pin").replace("given\n", 'given\n- Visible: `Ticket.exists(t, t.status == "over")`\n'),
    named("Badge", "| code | string | unique |\n| since | timestamp | nullable |").replace(
      "given\n",
      "given\n- Kept: 5 minutes after since\n",
    ),
  ].join("\n\n"),
  states: [
    ...["Firm", "Desk", "Ticket"].map(
      (resource) => `### ${resource}

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| end | open | over | after 5 minutes |`,
    ),
    `### Note

- State field: stage
- Initial state: open

| Transition | From | To | Trigger | Guard |
|---|---|---|---|---|
| stamp | open | stamped | call | \`!Ticket.exists(t, t.status == "open")\` |`,
  ].join("\n\n"),
  endpoints: `${[
    ["Firm", ""],
    ["Desk", ", firm?"],
    ["Ticket", ", desk?"],
    ["Note", ""],
    ["Pin", ""],
    ["Badge", ", code?, since?"],
  ]
    .map(
      ([resource, more]) => `### POST /given/${resource}

- Does: create ${resource}
- Body: name${more}
- Returns: 201 nothing`,
    )
    .join("\n\n")}

### POST /tickets

- Does: create Ticket
- Body: name, desk
- Fails: too_early when \`this.desk.firm.status == "open"\`
- Returns: 201 Ticket

### POST /notes/{name}/stamp

- Does: stamp Note
- Returns: 200 Note

### PATCH /notes/{name}

- Does: update Note
- Body: text?
- Then: stamp
- Returns: 200 Note

### GET /pins

- Does: list Pin
- Returns: 200 list of Pin

### PATCH /badges/{name}

- Does: update Badge
- Body: code
- Returns: 200 Badge

### DELETE /badges/{name}

- Does: delete Badge
- Returns: 204 nothing`,
  events: "- Webhooks: none\n- Notifications: none",
  errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| too_early | 409 | |`,
});

async function opened() {
  const one = await openAsleep(model);
  const now = new Date(one.clock.now()).toISOString();
  for (const name of ["a", "b"])
    for (const [resource, more] of [
      ["Firm", {}],
      ["Desk", { firm: name }],
      ["Ticket", { desk: name }],
      ["Note", {}],
      ["Pin", {}],
      ["Badge", { code: name, since: now }],
    ] as const) {
      const body = { name, ...more };
      const { status } = await ask(one.service, { method: "POST", target: `/given/${resource}`, body });
      assert.equal(status, 201, resource);
    }
  const kept = { name: "kept", code: "kept" };
  await ask(one.service, { method: "POST", target: "/given/Badge", body: kept });
  one.clock.moveBy(6 * minuteMs);
  return one;
}

for (const [what, method, target, done, body] of [
  [
    "what a reference of a new record leads to",
    "POST",
    "/tickets",
    ["Desk 2", "Firm 2"],
    { name: "c", desk: "b" },
  ],
  ["what the guard of its transition reads", "POST", "/notes/a/stamp", ["Ticket 1", "Ticket 2"]],
  ["what the guard of a further transition reads", "PATCH", "/notes/a", ["Ticket 1", "Ticket 2"], {}],
  ["what decides who is seen in a list", "GET", "/pins", ["Ticket 1", "Ticket 2"]],
  ["those whose unique values it may take", "PATCH", "/badges/kept", ["Badge 1", "Badge 2"], { code: "a" }],
  ["nothing else where it only goes", "DELETE", "/badges/kept", []],
] as const)
  test(`a request waits for ${what}`, async () => {
    const one = await opened();
    const { answer, done: isDone } = await doneBy(one, { method, target, ...(body ? { body } : {}) });
    assert.ok(answer.status < 300, JSON.stringify(answer.told));
    assert.deepEqual(isDone, done);
    await one.close();
  });
