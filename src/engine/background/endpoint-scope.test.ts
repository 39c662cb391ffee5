/**
 * Due scope of requests: the due transitions of the records that a request names, reaches or may
 * see fire before the response, and no others.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import { request, minuteMs, type Opened, openAsleep } from "../../../test/durability/due/walk.ts";

/** Each resource has two records, `a` and `b`, both with a due transition. */
const model = libraryModel({
  authentication: `### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: Key by secret`,
  resources: `### Firm

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| url | uri | |
| status | state | |

### Key

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | required |
| secret | credential | required, write-only |
| firm | Firm | |
| note | Note | on delete clear |
| status | state | |

### Desk

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| firm | Firm | |
| floor | integer | default \`1\` |
| status | state | |

### Ticket

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| title | string | |
| mark | string | |
| desk | Desk | on delete clear |
| spare | Desk | |
| near | list of Desk | |
| status | state | |

### Room

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| status | state | |

### Chair

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| room | Room | |
| status | string | |

### Lamp

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| status | state | |

### Hall

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| light | state | |

### Call

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| url | uri | |

### Box

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| lamps | integer | default \`9\` |

### Badge

- Identifier: id, made by \`sequence()\`
- Kept: 5 minutes after since

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| since | timestamp | on create \`now\` |

### Note

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| stage | state | |
| desk | Desk | on delete clear |
| late | integer | default \`Ticket.count(t, t.status == "lapsed")\` |`,
  states: `${["Firm", "Key", "Desk"]
    .map(
      (name) => `### ${name}

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | closed | after 5 minutes |`,
    )
    .join("\n\n")}

### Ticket

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| lapse | open | lapsed | after 5 minutes | \`mark = "late"\` |
| file | lapsed | filed | immediately | |

### Note

- State field: stage
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| fold | open | folded | call | \`do fold on Note where this.desk == old.desk && this.stage == "open"\` |

### Lamp

- State field: status
- Initial state: lit

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| burn | lit | out | after 5 minutes | |
| change | out | changed | immediately | \`update Box where this.lamps > 0 set lamps = this.lamps - 1\` |

### Hall

- State field: light
- Initial state: bright

| Transition | From | To | Trigger | Guard |
|---|---|---|---|---|
| darken | bright | dark | immediately | \`!Lamp.exists(l, l.status == "lit")\` |

### Room

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| empty | open | closed | after 5 minutes | \`update Chair where this.room != null set status = "free"\` |`,
  endpoints: `- Expansion: expand

### Shape: Card of Ticket

\`\`\`cel
{"name": this.name, "closed": this.desk.status == "closed"}
\`\`\`

${["Firm", "Key", "Desk", "Ticket", "Room", "Chair", "Lamp", "Hall", "Box", "Badge", "Note"]
  .map((name) => {
    const more = {
      Firm: "",
      Key: ", id, secret, firm?",
      Desk: ", firm?",
      Ticket: ", title?, desk?, spare?, near?",
      Room: "",
      Chair: ", room?",
      Lamp: "",
      Hall: "",
      Box: "",
      Badge: "",
      Note: "",
    }[name];
    const body = `name${more}`.replace("name, id", "id");
    return `### POST /given/${name}

- Does: create ${name}
- Allowed: anyone
- Body: ${body}
- Returns: 201 nothing`;
  })
  .join("\n\n")}

### GET /me

- Does: answer
- Returns: 200 \`{"key": caller.id}\`

### GET /my-firm

- Does: answer
- Allowed: \`caller.firm == null || caller.firm.status == "closed"\`
- Returns: 200 \`{"key": caller.id}\`

### GET /notes/{name}

- Does: read Note
- Allowed: anyone
- Returns: 200 Note

### GET /tickets

- Does: list Ticket
- Allowed: anyone
- Returns: 200 list of Ticket

### GET /tickets/{name}

- Does: read Ticket
- Allowed: anyone
- Returns: 200 Ticket

### GET /tickets/{name}/desk

- Does: read Ticket
- Allowed: anyone
- Returns: 200 \`{"is": this.desk.status}\`

### GET /tickets/{name}/firm

- Does: read Ticket
- Allowed: anyone
- Returns: 200 \`{"is": this.desk.firm.status}\`

### GET /tickets/{name}/card

- Does: read Ticket
- Allowed: anyone
- Returns: 200 Card

### GET /tickets/{name}/let

- Does: read Ticket
- Allowed: anyone
- Let: it = \`this.desk\`
- Returns: 200 \`{"is": it.status}\`

### GET /tickets/{name}/near

- Does: read Ticket
- Allowed: anyone
- Returns: 200 \`{"is": this.near != null && this.near.exists(d, d.status == "open")}\`

### PATCH /tickets/{name}/near

- Does: update Ticket
- Allowed: anyone
- Body: near
- Returns: 200 Ticket

### GET /my-firm/itself

- Does: read Firm
- Where: \`this == caller.firm\`
- Returns: 200 Firm

### PUT /notes/{name}

- Does: replace Note
- Allowed: anyone
- Body: desk?
- Returns: 200 Note

### POST /desks/{desk}/notes

- Does: create Note
- Allowed: anyone
- Body: name
- Fails: desk_open when \`this.desk.status == "open"\`
- Returns: 201 Note

### GET /titled

- Does: read Ticket
- Allowed: anyone
- Where: \`this.title == query.title\`
- Returns: 200 Ticket

| Input | In | Type | Rules |
|---|---|---|---|
| title | query | string | required |

### GET /marked

- Does: read Ticket
- Allowed: anyone
- Where: \`this.mark == query.mark\`
- Returns: 200 Ticket

| Input | In | Type | Rules |
|---|---|---|---|
| mark | query | string | required |

### PATCH /tickets/{name}

- Does: update Ticket
- Allowed: anyone
- Body: title?
- Returns: 200 Ticket

### PATCH /tickets/{name}/desk

- Does: update Ticket
- Allowed: anyone
- Body: desk?
- Fails: desk_open on desk when \`body.desk.status == "open"\`
- Returns: 200 Ticket

### POST /tickets

- Does: create Ticket
- Allowed: anyone
- Body: name, desk?, spare?
- Fails: desk_open on desk when \`this.desk.status == "open"\`
- Returns: 201 Ticket

### POST /tickets/spare

- Does: create Ticket
- Allowed: anyone
- Body: name, desk?
- Set: \`spare = body.desk\`
- Fails: desk_open on desk when \`this.spare.status == "open"\`
- Returns: 201 Ticket

### DELETE /desks/{name}

- Does: delete Desk
- Allowed: anyone
- Returns: 204 nothing

### /desks/{desk}

- Is: Desk

### GET /desks/{desk}/floor

- Does: answer
- Allowed: anyone
- Returns: 200 \`{"is": desk.floor}\`

### GET /desks/{desk}/first/{name}

- Does: read Ticket
- Allowed: anyone
- Where: \`this.desk == desk\`
- Returns: 200 Ticket

### GET /rooms/{name}

- Does: read Room
- Allowed: anyone
- Returns: 200 Room

### GET /chairs/{name}

- Does: read Chair
- Allowed: anyone
- Returns: 200 Chair

### PATCH /chairs/{name}

- Does: update Chair
- Allowed: anyone
- Body: status?
- Returns: 200 Chair

### POST /calls

- Does: create Call
- Allowed: anyone
- Body: name
- Returns: 201 Call

### POST /notes/{name}/fold

- Does: fold Note
- Allowed: anyone
- Returns: 200 Note

### POST /boxes/{name}/notes

- Does: update Box
- Allowed: anyone
- Effect: \`create Note with name = this.name + t.name, late = 0 for t in Ticket.filter(x, x.status == "open")\`
- Returns: 200 Box

### POST /boxes/{name}/desks

- Does: update Box
- Allowed: anyone
- Effect: \`create Note with name = this.name, late = 0 for d in Desk.filter(x, x.status == "open")\`
- Returns: 200 Box

### POST /boxes/{name}/titles

- Does: update Box
- Allowed: anyone
- Effect: \`update Ticket where this.mark == null set title = "open"\`
- Returns: 200 Box

### GET /halls/{name}

- Does: read Hall
- Allowed: anyone
- Returns: 200 Hall

### GET /boxes/{name}

- Does: read Box
- Allowed: anyone
- Returns: 200 Box

### POST /badges

- Does: create Badge
- Allowed: anyone
- Body: name
- Returns: 201 Badge`,
  events: `- Webhooks: to Call.url when \`call.name == this.name\`
- Signature: none
- Notifications: none

| Event | When | Payload | To |
|---|---|---|---|
| call.made | Call created | \`{"name": this.name}\` | Firm.url when \`firm.status == "closed"\` |`,
  limits: `| Limit | Bound | Applies to |
|---|---|---|
| stored | 10000 Note | |

- Rate limits: none
- Time-outs: none
- Pagination bounds: none`,
  errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| not_found | 404 | not found |
| desk_open | 409 | |`,
});

let shelf: Opened;
let round = 0;

before(async () => {
  shelf = await openAsleep(model);
});
after(() => shelf.close());

/**
 * Makes two of each record, lets all their times pass, sends the request, and returns the records
 * whose due transitions have fired.
 */
async function settledBy(
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<readonly string[]> {
  const { service, store, clock } = shelf;
  round += 1;
  const inRound = (text: string) => text.replaceAll(/\b([abc])\b/g, `$1${round}`);
  const given = async (resource: string, which: "a" | "b", more: Readonly<Record<string, string>> = {}) => {
    const fields = Object.entries(more).map(([name, value]) => [name, inRound(value)]);
    const name = resource === "Key" ? "id" : "name";
    const made = { [name]: inRound(which), ...Object.fromEntries(fields) };
    const { status } = await request(service, { method: "POST", target: `/given/${resource}`, body: made });
    assert.equal(status, 201, resource);
  };
  for (const which of ["a", "b"] as const) {
    await given("Firm", which);
    await given("Key", which, { secret: which, firm: which });
    await given("Desk", which, { firm: which });
    await given("Ticket", which, { title: which, desk: which, spare: "a" });
    await given("Room", which);
    await given("Chair", which, { room: which });
    for (const resource of ["Lamp", "Hall", "Box"]) await given(resource, which);
    await given("Badge", which);
    await given("Note", which);
  }
  const due = async () => {
    const all = await store.session.system.dueTimers(clock.now(), 1000);
    return all.map(({ resource, row }) => ({ resource, row }));
  };
  clock.moveBy(6 * minuteMs);
  const before = await due();
  assert.equal(before.length, 14);
  const target = inRound(path);
  const { status, reported: response } = await request(service, {
    method,
    target,
    ...(body === undefined ? {} : { body: JSON.parse(inRound(JSON.stringify(body))) }),
    ...(key === undefined ? {} : { key: inRound(key) }),
  });
  assert.ok(status < 300, `${method} ${target}: ${JSON.stringify(response)}`);
  const left = await due();
  // A record that the request itself has created would be due in the next round.
  clock.moveBy(6 * minuteMs);
  await service.internals.timers.runAllDue();
  const isLeft = (timer: { resource: string; row: number }) =>
    left.some(({ resource, row }) => resource === timer.resource && row === timer.row);
  const settled = before.filter((candidate) => !isLeft(candidate));
  return settled
    .map(({ resource, row }) => {
      const isFirst = before.every((candidate) => candidate.resource !== resource || candidate.row >= row);
      return `${resource} ${isFirst ? "a" : "b"}`;
    })
    .toSorted();
}

const both = (resource: string) => [`${resource} a`, `${resource} b`];

const everything = ["Badge", "Desk", "Firm", "Key", "Lamp", "Room", "Ticket"].flatMap(both);

for (const [what, method, path, expected, body, key] of [
  ["no due transition if time doesn't change the record", "GET", "/notes/a", []],
  ["one record", "GET", "/tickets/a", ["Ticket a"]],
  ["a list", "GET", "/tickets", both("Ticket")],
  ["the record that a shape reads through a reference", "GET", "/tickets/a/desk", ["Desk a", "Ticket a"]],
  [
    "the records that a shape reads through two references",
    "GET",
    "/tickets/a/firm",
    ["Desk a", "Firm a", "Ticket a"],
  ],
  ["the record that an inline shape reads", "GET", "/tickets/b/card", ["Desk b", "Ticket b"]],
  ["the record that a `Let` reads", "GET", "/tickets/b/let", ["Desk b", "Ticket b"]],
  ["all records of a list field's resource", "GET", "/tickets/a/near", [...both("Desk"), "Ticket a"]],
  ["all records if a reference can be expanded", "GET", "/tickets/a?expand=desk", everything],
  ["the record that a field selects", "GET", "/titled?title=b", ["Ticket b"]],
  ["all records if time sets the selecting field", "GET", "/marked?mark=late", both("Ticket")],
  ["the changed record", "PATCH", "/tickets/b", ["Ticket b"], { title: "b" }],
  ["the record of an input's reference", "PATCH", "/tickets/a/desk", ["Desk b", "Ticket a"], { desk: "b" }],
  [
    "the records of a list of references",
    "PATCH",
    "/tickets/a/near",
    [...both("Desk"), "Ticket a"],
    { near: ["a", "b"] },
  ],
  ["the records that default values read", "PUT", "/notes/a", both("Ticket"), {}],
  ["the record that a new record refers to", "POST", "/tickets", ["Desk b"], { name: "c", desk: "b" }],
  [
    "all records that a new record may refer to",
    "POST",
    "/tickets/spare",
    both("Desk"),
    { name: "c", desk: "b" },
  ],
  ["a deleted record and the records that refer to it", "DELETE", "/desks/b", ["Desk b", ...both("Ticket")]],
  ["a record of the path", "GET", "/desks/a/floor", ["Desk a"]],
  ["two records of the path", "GET", "/desks/a/first/a", ["Desk a", "Ticket a"]],
  [
    "the path's record that a new record refers to",
    "POST",
    "/desks/b/notes",
    ["Desk b", ...both("Ticket")],
    { name: "c" },
  ],
  ["the receivers of its events", "POST", "/calls", both("Firm"), { name: "c" }],
  ["no due transition if its transition reads only unchanged records", "POST", "/notes/a/fold", []],
  ["the records that its effect reads", "POST", "/boxes/a/notes", [...both("Lamp"), ...both("Ticket")], {}],
  [
    "the records over which its effect iterates",
    "POST",
    "/boxes/a/desks",
    ["Desk", "Lamp", "Ticket"].flatMap(both),
    {},
  ],
  [
    "the records that its effects change",
    "POST",
    "/boxes/a/titles",
    [...both("Lamp"), ...both("Ticket")],
    {},
  ],
  ["the records that an immediate guard reads", "GET", "/halls/a", both("Lamp")],
  ["the records of an immediate transition after a timed one", "GET", "/boxes/a", both("Lamp")],
  ["a record whose timed transition changes others", "GET", "/rooms/a", both("Room")],
  ["a record that timed transitions of others change", "GET", "/chairs/a", both("Room")],
  [
    "a record that timed transitions of others change again",
    "PATCH",
    "/chairs/b",
    both("Room"),
    { status: "taken" },
  ],
  ["the records with a unique value", "POST", "/badges", both("Badge"), { name: "c" }],
  ["the caller", "GET", "/me", ["Key b"], undefined, "b"],
  ["the record that the caller selects", "GET", "/my-firm/itself", ["Firm b", "Key b"], undefined, "b"],
  ["the record that the caller refers to", "GET", "/my-firm", ["Firm a", "Key a"], undefined, "a"],
] as const)
  test(`${method} waits for ${what}`, async () => {
    assert.deepEqual(await settledBy(method, path, body, key), expected);
  });

test("GET waits for all records if there are more candidates than the maximum", async () => {
  const { service, store, clock } = shelf;
  const many = 120;
  const make = async (name: string, title: string) => {
    const body = { name, title };
    assert.equal((await request(service, { method: "POST", target: "/given/Ticket", body })).status, 201);
  };
  await make("alone", "alone");
  for (let at = 0; at < many; at += 1) await make(`many${at}`, "many");
  clock.moveBy(6 * minuteMs);
  const leftBy = async (title: string) => {
    await request(service, { method: "GET", target: `/titled?title=${title}` });
    return (await store.session.system.dueTimers(clock.now(), 1000)).filter(
      (dueTimer) => dueTimer.resource === "Ticket",
    ).length;
  };
  assert.deepEqual([await leftBy("alone"), await leftBy("many")], [many, 0]);
  for (let at = 0; at < many; at += 1) await make(`more${at}`, at < many / 4 ? "few" : "others");
  clock.moveBy(6 * minuteMs);
  assert.equal(await leftBy("few"), many - many / 4);
});
