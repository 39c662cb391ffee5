/**
 * Further due scope of requests: records that decide whether the request is allowed, and records
 * that it would change.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import {
  request as sendRequest,
  doneBy,
  minuteMs,
  type Opened,
  openAsleep,
} from "../../../test/durability/due/walk.ts";

const named = (resource: string, more = "") => `### ${resource}

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
${more}`;

/** A chain of computed fields, each of which reads the previous one of the next record. */
const farFields = Array.from({ length: 11 }, (_, at) =>
  at === 0
    ? '| far0 | boolean | = `this.status == "over"` |'
    : `| far${at} | boolean | = \`this.next.far${at - 1}\` |`,
).join("\n");

/**
 * Each resource has two records, `a` and `b`. Firms, desks, tickets, badges and links have due
 * transitions.
 */
const model = libraryModel({
  authentication: "- Scheme: none",
  resources: [
    named("Firm", "| status | state | |"),
    named("Desk", "| firm | Firm | |\n| mark | string | |\n| status | state | |"),
    named(
      "Ticket",
      "| desk | Desk | |\n| spare | Desk | |\n| code | string | |\n| label | string | |\n| status | state | |",
    ),
    named("Note", "| text | string | |\n| shelf | Shelf | |\n| stage | state | |"),
    named("Pin").replace("given\n", 'given\n- Visible: `Ticket.exists(t, t.status == "over")`\n'),
    named("Badge", "| code | string | unique |\n| since | timestamp | nullable |").replace(
      "given\n",
      "given\n- Kept: 5 minutes after since\n",
    ),
    named("Shelf", "| firm | Firm | |").replace(
      "given\n",
      'given\n- Visible: `this.firm.status == "over"`\n',
    ),
    named("Paper", "| desk | Desk | |").replace("given\n", "given\n- Deleted: marked\n"),
    named("Slip", "| text | string | |").replace(
      "given\n",
      'given\n- Always: `this.text == null || !Ticket.exists(t, t.status == "open")`\n',
    ),
    named("Visit", "| ticket | Ticket | |\n| desk | Desk | default `this.ticket.desk` |"),
    named("Link", `| next | Link | |\n| status | state | |\n${farFields}`),
    named(
      "Member",
      "| email | email | required, unique |\n| password | password | required, write-only |\n| status | state | |",
    ),
  ].join("\n\n"),
  states: [
    `### Firm

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard |
|---|---|---|---|---|
| end | open | over | after 5 minutes | \`this.name != "never"\` |`,
    ...["Desk", "Ticket", "Link", "Member"].map(
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
    ["Ticket", ", desk?, spare?, code?"],
    ["Note", ""],
    ["Pin", ""],
    ["Badge", ", code?, since?"],
    ["Shelf", ", firm?"],
    ["Paper", ", desk?"],
    ["Slip", ""],
    ["Link", ", next?"],
    ["Member", ", email, password"],
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

### PATCH /notes/{name}/shelf

- Does: update Note
- Body: shelf
- Returns: 200 Note

### POST /notes/{name}/all

- Does: update Note
- Effect: \`update Ticket where note.name == "a" set label = "new"\`
- Returns: 200 Note

### PATCH /tickets/{name}

- Does: update Ticket
- Body: desk
- Returns: 200 \`{"is": this.spare.status}\`

### POST /tickets/{name}/mark

- Does: update Ticket
- Effect: \`desk.mark = "seen"\`
- Returns: 200 nothing

### /desks/{desk}

- Is: Desk

### PUT /desks/{desk}

- Does: upsert Desk
- Body: firm?
- Returns: 200 nothing

### PUT /desks/{desk}/neighbour

- Does: upsert Desk
- Body: name, firm?
- Returns: 200 nothing

### GET /coded

- Does: read Ticket
- Where: \`this.code == query.code\`
- Returns: 200 \`{"is": this.desk.status}\`

| Input | In | Type | Rules |
|---|---|---|---|
| code | query | string | required |

### GET /coded/spare

- Does: read Ticket
- Where: \`this.code == query.code\`
- Returns: 200 \`{"is": ticket.spare.status}\`

| Input | In | Type | Rules |
|---|---|---|---|
| code | query | string | required |

### PATCH /coded

- Does: update Ticket
- Where: \`this.code == query.code\`
- Body: label
- Returns: 200 \`{"is": this.status}\`

| Input | In | Type | Rules |
|---|---|---|---|
| code | query | string | required |

### DELETE /papers/{name}

- Does: delete Paper
- Returns: 204 nothing

### GET /papers/{name}/filed

- Does: read Paper
- Finds: deleted records too
- Where: \`this.desk.status == "over"\`
- Returns: 200 Paper

### PATCH /slips/{name}

- Does: update Slip
- Body: text
- Returns: 200 Slip

### POST /visits

- Does: create Visit
- Body: name, ticket, desk?
- Fails: too_early when \`this.desk.status == "open"\`
- Returns: 201 nothing

### GET /links/{name}/near

- Does: read Link
- Returns: 200 \`{"is": this.far2}\`

### GET /links/{name}/far

- Does: read Link
- Returns: 200 \`{"is": this.far10}\`

### POST /sessions

- Does: sign in Member
- Body: email, password
- Returns: 200 nothing

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
| not_found | 404 | not found |
| too_early | 409 | |
| no | 401 | sign-in failed |
| slow_down | 429 | rate limited |`,
  limits: `- Size limits: none
- Time-outs: none
- Pagination bounds: none

| Limit | Bound | Applies to |
|---|---|---|
| rate sign-in | 1000 per hour | address, POST /given/Member, POST /sessions |`,
});

async function opened() {
  const running = await openAsleep(model);
  const now = new Date(running.clock.now()).toISOString();
  for (const name of ["a", "b"])
    for (const [resource, more] of [
      ["Firm", {}],
      ["Desk", { firm: name }],
      ["Ticket", { desk: name, spare: "a", code: name }],
      ["Note", {}],
      ["Pin", {}],
      ["Badge", { code: name, since: now }],
      ["Shelf", { firm: name }],
      ["Paper", { desk: name }],
      ["Slip", {}],
      ["Link", name === "b" ? { next: "a" } : {}],
    ] as const) {
      const body = { name, ...more };
      const { status } = await sendRequest(running.service, {
        method: "POST",
        target: `/given/${resource}`,
        body,
      });
      assert.equal(status, 201, resource);
    }
  for (const request of [
    { method: "POST", target: "/given/Link", body: { name: "c" } },
    { method: "DELETE", target: "/papers/b" },
  ])
    assert.ok((await sendRequest(running.service, request)).status < 300, request.target);
  const kept = { name: "kept", code: "kept" };
  await sendRequest(running.service, { method: "POST", target: "/given/Badge", body: kept });
  running.clock.moveBy(6 * minuteMs);
  return running;
}

/**
 * The units of work that are due, each with its place among those of its resource: "Desk 2". Row
 * numbers may have gaps (a sequence of PostgreSQL is not rolled back), and places have none.
 */
async function namesOfDue({ store, clock }: Opened): Promise<ReadonlyMap<string, string>> {
  const due = await store.session.system.dueTimers(clock.now(), 1000);
  const names = new Map<string, string>();
  for (const [resource, timers] of Map.groupBy(due, (timer) => timer.resource)) {
    const rows = [...new Set(timers.map(({ row }) => row))].toSorted((a, b) => a - b);
    for (const [at, row] of rows.entries()) names.set(`${resource} ${row}`, `${resource} ${at + 1}`);
  }
  return names;
}

for (const [what, method, target, done, body] of [
  [
    "the records that a new record's reference reaches",
    "POST",
    "/tickets",
    ["Desk 2", "Firm 2"],
    { name: "c", desk: "b" },
  ],
  ["the records that its transition's guard reads", "POST", "/notes/a/stamp", ["Ticket 1", "Ticket 2"]],
  ["the records that a further transition's guard reads", "PATCH", "/notes/a", ["Ticket 1", "Ticket 2"], {}],
  ["the records that `Visible` reads in a list", "GET", "/pins", ["Ticket 1", "Ticket 2"]],
  [
    "the records with whose unique values it may conflict",
    "PATCH",
    "/badges/kept",
    ["Badge 1", "Badge 2"],
    { code: "a" },
  ],
  ["no other record if it only deletes", "DELETE", "/badges/kept", []],
  [
    "the records that decide whether an input's record is visible",
    "PATCH",
    "/notes/a/shelf",
    ["Firm 2"],
    { shelf: "b" },
  ],
  ["the records over which its effect iterates", "POST", "/notes/a/all", ["Ticket 1", "Ticket 2"], {}],
  [
    "the record that its effect changes through a reference",
    "POST",
    "/tickets/b/mark",
    ["Desk 2", "Ticket 2"],
    {},
  ],
  [
    "the records that its record refers to, besides those of an input",
    "PATCH",
    "/tickets/b",
    ["Desk 1", "Desk 2", "Ticket 2"],
    { desk: "b" },
  ],
  ["the record of its path that it updates or creates", "PUT", "/desks/b", ["Desk 2"], {}],
  [
    "all records that it may update or create under another record",
    "PUT",
    "/desks/a/neighbour",
    ["Desk 1", "Desk 2"],
    { name: "b" },
  ],
  ["the record that the selected record refers to", "GET", "/coded?code=b", ["Desk 2", "Ticket 2"]],
  [
    "the record that the selected record refers to by its small name",
    "GET",
    "/coded/spare?code=b",
    ["Desk 1", "Ticket 2"],
  ],
  ["the record that it changes, before the change", "PATCH", "/coded?code=b", ["Ticket 2"], { label: "new" }],
  ["the records that decide whether a deleted record is selected", "GET", "/papers/b/filed", ["Desk 2"]],
  [
    "the records that the invariant of its record reads",
    "PATCH",
    "/slips/a",
    ["Ticket 1", "Ticket 2"],
    { text: "new" },
  ],
  [
    "all records that an unsent field may refer to",
    "POST",
    "/visits",
    ["Desk 1", "Desk 2", "Ticket 2"],
    { name: "a", ticket: "b" },
  ],
  ["the records that computed fields read", "GET", "/links/b/near", ["Link 1", "Link 2"]],
  ["all records if computed fields reach too many", "GET", "/links/b/far", ["Link 1", "Link 2", "Link 3"]],
] as const)
  test(`a request waits for ${what}`, async () => {
    const running = await opened();
    const names = await namesOfDue(running);
    const { answer, done: units } = await doneBy(running, { method, target, ...(body ? { body } : {}) });
    assert.ok(answer.status < 300, JSON.stringify(answer.reported));
    assert.deepEqual(
      units.map((unit) => names.get(unit)),
      done,
    );
    await running.close();
  });

test("a request waits for the due transitions of its caller, and of no other record", async () => {
  const running = await openAsleep(model);
  const word = (name: string) => ({ email: `${name}@example.com`, password: `the word of ${name}` });
  for (const name of ["a", "b"]) {
    const body = { name, ...word(name) };
    assert.equal(
      (await sendRequest(running.service, { method: "POST", target: "/given/Member", body })).status,
      201,
    );
  }
  running.clock.moveBy(6 * minuteMs);
  const names = await namesOfDue(running);
  const { answer, done } = await doneBy(running, { method: "POST", target: "/sessions", body: word("b") });
  assert.deepEqual([answer.status, done.map((unit) => names.get(unit))], [200, ["Member 2"]]);
  await running.close();
});
