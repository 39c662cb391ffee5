/**
 * Mistakes of authors who know other notations, each in an otherwise valid document. A diagnostic
 * is reported at that line, and its hint names the correction. If the correction is a line of
 * notation, it is applied, and the mistake must disappear.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";

const right = `# Interface Specification: Bookings

## What the service does

- Purpose: lets people book rooms.

## Resources and their fields

### Room

- Identifier: id, made by \`"room_" + random(12)\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| id | string | | |
| name | string | required, unique | |
| seats | integer | 1..200 | |

### Key

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| key | credential | shown once |

### Booking

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| room | Room | required, on delete restrict |
| status | state | |
| made_at | timestamp | on create \`now\` |
| note | string | length ..200 |

## States and transitions

### Booking

- State field: status
- Initial state: requested

| Transition | From | To | Trigger | Guard |
|---|---|---|---|---|
| confirm | requested | confirmed | call | |
| cancel | requested, confirmed | cancelled | call | |

## Endpoints

- Media type: \`application/json\`

### POST /bookings

- Does: create Booking
- Body: room, note?
- Returns: 201 Booking

### GET /bookings

- Does: list Booking
- Returns: 200 list of Booking

### GET /bookings/{id}

- Does: read Booking
- Returns: 200 Booking

### POST /bookings/{id}/confirm

- Does: confirm Booking
- Returns: 200 Booking

### POST /bookings/{id}/cancel

- Does: cancel Booking
- Returns: 200 Booking

## Authentication

### Scheme: key

- Placement: header X-Api-Key
- Credentials: Key by key

## Events

| Event | When | Payload |
|---|---|---|
| booking.created | Booking created | Booking |

- Webhooks: none
- Notifications: none

## Errors

- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| not_found | 404 | not found | There is no such {error.resource}. |
| wrong_value | 422 | invalid field | {error.field} {error.problem}. |

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| rate | 100 per minute | caller |
| page | default 20, maximum 100 | every list |

## Versioning

- Scheme: none
- Compatibility: none
`;

interface Mistake {
  /** A line of the document, which the mistake replaces. */
  readonly line: string;
  readonly wrong: string;
  /** The expected hint. */
  readonly cure: RegExp;
}

const mistakes: readonly Mistake[] = [
  // Fields
  { line: "| seats | integer | 1..200 | |", wrong: "| seats | int | 1..200 | |", cure: /Write `integer`/ },
  {
    line: "| name | string | required, unique | |",
    wrong: "| name | string(20) | required, unique | |",
    cure: /Write `string`, and `length \.\.20`/,
  },
  {
    line: "| name | string | required, unique | |",
    wrong: "| name | varchar(20) | required, unique | |",
    cure: /`string`, and `length \.\.20`/,
  },
  {
    line: "| made_at | timestamp | on create `now` |",
    wrong: "| made_at | datetime | on create `now` |",
    cure: /Write `timestamp`/,
  },
  {
    line: "| made_at | timestamp | on create `now` |",
    wrong: "| made_at | timestamp | default now() |",
    cure: /Write `now` without brackets/,
  },
  {
    line: "| name | string | required, unique | |",
    wrong: "| name | string | yes | |",
    cure: /the rule itself: `required`/,
  },
  {
    line: "| name | string | required, unique | |",
    wrong: "| name | string | not null | |",
    cure: /Write `required`/,
  },
  {
    line: "| note | string | length ..200 |",
    wrong: "| note | string | optional |",
    cure: /without `required` is optional/,
  },
  { line: "| note | string | length ..200 |", wrong: "| note | string | max 200 |", cure: /Write `\.\.200`/ },
  {
    line: "| note | string | length ..200 |",
    wrong: "| note | string | max length 200 |",
    cure: /Write `length \.\.200`/,
  },
  { line: "| seats | integer | 1..200 | |", wrong: "| seats | integer | min 1 | |", cure: /Write `1\.\.`/ },
  {
    line: "| name | string | required, unique | |",
    wrong: "| name | enum(a, b) | | |",
    cure: /Write `one of a, b`/,
  },
  {
    line: "| name | string | required, unique | |",
    wrong: "| name | string[] | | |",
    cure: /Write `list of string`/,
  },
  {
    line: "| room | Room | required, on delete restrict |",
    wrong: "| room | room | required |",
    cure: /Did you mean `Room`/,
  },
  {
    line: "| room | Room | required, on delete restrict |",
    wrong: "| room | reference to Room | required |",
    cure: /Write `Room`/,
  },
  {
    line: "| room | Room | required, on delete restrict |",
    wrong: "| room | Room | required, foreign key |",
    cure: /whose type is a resource refers to a record/,
  },
  {
    line: "| Field | Type | Rules | Meaning |",
    wrong: "| Field | Type | Required | Meaning |",
    cure: /`required` in the cells of `Rules`|Rules/,
  },
  {
    line: "| Field | Type | Rules | Meaning |",
    wrong: "| Field | Type | Rules | Description |",
    cure: /Write `Meaning`/,
  },
  {
    line: '- Identifier: id, made by `"room_" + random(12)`',
    wrong: "- Primary key: id",
    cure: /- Identifier: id, made by/,
  },
  {
    line: '- Identifier: id, made by `"room_" + random(12)`',
    wrong: '- Identifier: id, made by `"room_" + random(12)`\n- name: string',
    cure: /fields as a table/,
  },
  {
    line: "| seats | integer | 1..200 | |",
    wrong: "| seats | integer | between 1 and 200 | |",
    cure: /Write `1\.\.200`/,
  },
  { line: "| seats | integer | 1..200 | |", wrong: "| seats | integer | >= 1 | |", cure: /Write `1\.\.`/ },
  {
    line: "| name | string | required, unique | |",
    wrong: "| name | string | must be unique | |",
    cure: /Write `unique`/,
  },
  {
    line: "| name | string | required, unique | |",
    wrong: "| name | guest or admin | | |",
    cure: /Write `one of guest, admin`/,
  },
  {
    line: "| made_at | timestamp | on create `now` |",
    wrong: "| made_at | timestamp | now() |",
    cure: /on create `now`/,
  },
  // States
  { line: "- Initial state: requested", wrong: "- Initial: requested", cure: /Initial state/ },
  {
    line: "| Transition | From | To | Trigger | Guard |",
    wrong: "| Transition | From | To | Trigger | Condition |",
    cure: /Write `Guard`/,
  },
  {
    line: "| confirm | requested | confirmed | call | |",
    wrong: "| confirm | requested | confirmed | API | |",
    cure: /call/,
  },
  // Endpoints
  {
    line: "### POST /bookings",
    wrong: "### POST /bookings creates a booking",
    cure: /describe the endpoint below it/,
  },
  { line: "### POST /bookings", wrong: "### POST bookings", cure: /`\/bookings`/ },
  {
    line: "- Does: list Booking",
    wrong: "- Does: list Booking\n- Order: newest first",
    cure: /`made_at descending`/,
  },
  { line: "### GET /bookings", wrong: "### GET /bookings?room=…", cure: /`- Query:`/ },
  { line: "### GET /bookings/{id}", wrong: "### GET /bookings/:id", cure: /\{id\}/ },
  { line: "- Does: create Booking", wrong: "- Action: create Booking", cure: /- Does: create/ },
  { line: "- Does: create Booking", wrong: "- Does: insert Booking", cure: /create/ },
  { line: "- Body: room, note?", wrong: "- Request body: room, note?", cure: /- Body: / },
  { line: "- Returns: 201 Booking", wrong: "- Response: 201 Booking", cure: /- Returns: / },
  { line: "- Returns: 201 Booking", wrong: "- Returns: Booking", cure: /200 Booking/ },
  {
    line: "- Returns: 200 list of Booking",
    wrong: "- Returns: 200 Page of Booking as bookings",
    cure: /### Shape: Page/,
  },
  { line: "- Returns: 200 list of Booking", wrong: "- Returns: 200 Booking[]", cure: /list of Booking/ },
  { line: "- Body: room, note?", wrong: "- Body: room, note?\n- Auth: required", cure: /- Allowed: / },
  {
    line: "- Body: room, note?",
    wrong: "- Body: room, note?\n- Description: makes a booking",
    cure: /as a sentence, on a line without/,
  },
  {
    line: "- Body: room, note?",
    wrong: "- Body: room, note?\n- Allowed: admin",
    // No field of the caller can have this value, so that no condition is proposed.
    cure: /Write one of `anyone`, `any caller`\./,
  },
  // Other parts
  {
    line: "| Code | Status | When | Message |",
    wrong: "| Code | HTTP | When | Message |",
    cure: /Write `Status`/,
  },
  {
    line: "| rate | 100 per minute | caller |",
    wrong: "| rate | 100/min | caller |",
    cure: /100 per minute/,
  },
  {
    line: "| booking.created | Booking created | Booking |",
    wrong: "| booking.created | on create | Booking |",
    cure: /Booking created|created/,
  },
  { line: "- Credentials: Key by key", wrong: "- Credentials: API key", cure: / by / },
];

test("the document without mistakes is valid", () => {
  assert.deepEqual(reportOf(right), []);
});

for (const { line, wrong, cure } of mistakes)
  test(`${wrong.split("\n").at(-1)}: the hint names the correction`, () => {
    assert.ok(right.includes(`${line}\n`), `${line} is no line of the document`);
    const text = right.replace(`${line}\n`, () => `${wrong}\n`);
    const place =
      right.slice(0, right.indexOf(`${line}\n`)).split("\n").length + wrong.split("\n").length - 1;
    const reported = reportOf(text);
    const there = reported.filter((report) => report.line === place);
    assert.ok(there.length > 0, `nothing is reported at line ${place}: ${JSON.stringify(reported)}`);
    assert.match(there.map(({ hint }) => hint).join("\n"), cure);
  });

interface Report {
  readonly line: number;
  readonly message: string;
  readonly hint: string;
}

function reportOf(text: string): readonly Report[] {
  return compile(text, { file: "bookings.md" })
    .diagnostics.filter(({ kind, severity }) => kind === "mistake" && severity !== "note")
    .map(({ position, message, hint = "" }) => ({ line: position.start.line, message, hint }));
}
