/**
 * Places outside requests (timers, streams, deliveries, emails, the log), and in further kinds of
 * requests: with effects of all kinds, older versions, tokens and signatures.
 * `post-filter-drive.ts` triggers them.
 */
import { condition, type Ground, type Place, value } from "./places.ts";

const list = '["x"]';

const places: readonly Place[] = [
  value("an initial state", "INITIAL", "time", '"draft"', '"draft"'),
  condition("a guard of immediately", "NOW_GUARD", "time"),
  value("an effect of immediately", "NOW_EFFECT", "time"),
  condition("a guard by after", "AFTER_GUARD", "time"),
  value("an effect by after", "AFTER_EFFECT", "time"),
  condition("an effect's when by after", "AFTER_WHEN", "time", "false"),
  condition("a guard by at", "AT_GUARD", "time"),
  value("an effect by at", "AT_EFFECT", "time"),
  value("create … with of a transition", "T_WITH", "poke"),
  value("for of a transition", "T_LIST", "poke", list, list),
  condition("when of a for of a transition", "T_FOR_WHEN", "poke"),
  value("update … set of a transition", "T_SET", "poke"),
  value("first of a do of a transition", "T_FIRST", "poke", "1", "1"),
  value("with of a do of a transition", "T_DO_WITH", "poke"),
  value("an effect of what a do takes", "DONE_EFFECT", "poke"),
  condition("a guard of what a do takes", "DONE_GUARD", "poke"),
  value("for of an endpoint", "E_LIST", "poke", list, list),
  condition("when of a for of an endpoint", "E_FOR_WHEN", "poke"),
  value("update … set of an endpoint", "E_SET", "poke"),
  value("first of a do of an endpoint", "E_FIRST", "poke", "1", "1"),
  value("with of a do of an endpoint", "E_DO_WITH", "poke"),
  condition("a limit's endpoints at the same time", "TOGETHER", "poke"),
  value("the argument of a condition in Where", "WHERE_BY", "page"),
  condition("Order … when", "ORDER_WHEN", "page"),
  value("the direction of Order", "DIRECTION", "page", '"asc"', '"asc"'),
  value("Given", "GIVEN", "given"),
  value("a shape of a page", "PAGE", "page"),
  condition("Sends … when", "SENDS_WHEN", "stream"),
  value("Sends … as", "SENDS_AS", "stream"),
  value("Starts", "STARTS", "stream", "0", "0"),
  condition("Ends: when", "ENDS", "stream", "false"),
  condition("a condition in To", "TO_WHEN", "delivery"),
  value(
    "a webhook's secret",
    "SECRET",
    "delivery",
    '"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"',
    '"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"',
  ),
  value("a header of webhooks", "HOOK_HEADER", "delivery"),
  value("a map of headers of webhooks", "HOOK_HEADERS", "delivery"),
  value("the URL of a delivery", "REQUEST_URL", "delivery", "hook.url", "hook.url"),
  condition("the request of a delivery", "REQUEST_WHEN", "delivery"),
  condition("a media type of webhooks", "MEDIA_WHEN", "delivery", "false"),
  value("on create of Delivery", "DELIVERY_MADE", "delivery"),
  value("on update of Delivery", "DELIVERY_CHANGED", "delivery"),
  value("the identifier of Delivery", "DELIVERY_ID", "delivery", "delivery.id", "delivery.id"),
  value("on create of the log's records", "NOTICE_MADE", "delivery"),
  value("the identifier of the log's records", "NOTICE_ID", "delivery", "uuid()", "uuid()"),
  value("the recipient of a letter", "LETTER_TO", "delivery", '"a@example.com"', '"a@example.com"'),
  value("the subject of a letter", "LETTER_SUBJECT", "delivery"),
  value("the text of a letter", "LETTER_TEXT", "delivery"),
  condition("a letter's condition", "LETTER_WHEN", "delivery"),
  condition("Allowed of a token's caller", "CLAIMS", "claims"),
  value("a token's caller", "TOKEN_CALLER", "claims", "this", "this"),
  value("a signature", "SEAL", "sealed"),
  value("what a removed field was", "WAS", "older"),
  value("what a default was", "DEFAULT_WAS", "older"),
  value("new of a replaced field", "NEW", "older"),
  value("old of a replaced field", "OLD", "older"),
  value("as of a removed input", "AS", "older"),
  value("Default: pinned per", "PINNED", "pinned", '"1"', '"2"'),
];

/** Names of these places, in addition to those of all places. */
export const furtherNames: readonly string[] = [
  "this.word",
  "old.status",
  "body.word",
  "n",
  "note.title",
  "notice.type",
  "caller.claims.sub",
  "caller.claims",
  "credential.name",
  "this.name",
  "event.changes",
  "delivery.time",
  "delivery.state",
  "delivery.status",
  "delivery.answer",
  "delivery.took",
  "delivery.error",
  "delivery.next",
  "delivery.body",
  "delivery.form",
  "delivery.url",
  "hook.secret",
  "body.removed",
  "removed",
  "query.gone",
  "old",
  "this.label",
  "page.has_more",
  "page.items",
  "page.offset",
  "page.first_url",
  "page.last_uri",
  "limits.many.remaining",
];

const text = `# Interface Specification: Outside

## What the service does

- Purpose: evaluates an expression in every place outside requests.

### Scenario: a note

- Given: \`Note with title = "t" as note\`
- Given: \`Note with title = ⟦GIVEN⟧\`

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | |
| password | password | write-only |

### Records of User

| id | name |
|---|---|
| 1 | Ada |

### Key

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| label | string |
| secret | credential |
| user | User |

### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| url | uri |
| secret | string |

### Records of Hook

| id | url | secret |
|---|---|---|
| 1 | https://hooks.example/ | s |

### Shop

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| code | string | |
| town | string | |

### Records of Shop

| code | town |
|---|---|
| a | Oslo |

### Thing

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| shop | Shop | |
| note | string | |
| label | string | default \`"l"\` |
| due | timestamp | on create \`now + duration("2h")\` |
| status | state | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | |
| word | string | default \`"w"\` |

### Records of Note

| id | title |
|---|---|
| 1 | n |

### Notice

- Identifier: id, made by \`⟦NOTICE_ID⟧\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| type | string | on create \`event.type\` |
| made | string | on create \`⟦NOTICE_MADE⟧\` |

### Delivery

- Identifier: id, made by \`⟦DELIVERY_ID⟧\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| hook | Hook | on create \`hook\`, on delete cascade |
| made | string | on create \`⟦DELIVERY_MADE⟧\` |
| changed | string | on update \`⟦DELIVERY_CHANGED⟧\` |

## States and transitions

### Thing

- State field: status
- Initial state: \`⟦INITIAL⟧\`

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| settle | draft | open | immediately | \`⟦NOW_GUARD⟧\` | \`note = ⟦NOW_EFFECT⟧\` |
| ripen | open | ripe | after 1 hour | \`⟦AFTER_GUARD⟧\` | \`note = ⟦AFTER_EFFECT⟧; label = "m" when ⟦AFTER_WHEN⟧\` |
| rot | ripe | rotten | at due | \`⟦AT_GUARD⟧\` | \`note = ⟦AT_EFFECT⟧\` |
| poke | any | same | call | | \`shop.town = "Oslo"; create Note with title = ⟦T_WITH⟧ for n in ⟦T_LIST⟧ when n != "" && ⟦T_FOR_WHEN⟧; update Note where this.title == "n" set title = ⟦T_SET⟧; do mark on Note where true, first ⟦T_FIRST⟧ by id with word = ⟦T_DO_WITH⟧\` |

### Note

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| mark | any | same | call | \`⟦DONE_GUARD⟧\` | \`word = body.word; title = ⟦DONE_EFFECT⟧\` |

## Endpoints

- Functions: reached(json): boolean, named(json, string): boolean, own(string): string, narrow(string): condition

### /shops/{shop}

- Is: Shop

### POST /keys

- Does: create Key
- Scheme: key
- Body: label, secret, user
- Allowed: anyone
- Returns: 201 nothing

### POST /shops/{shop}/things

- Does: create Thing
- Scheme: key
- Body: title, label?
- Let: total = \`"t"\`
- Returns: 201 \`{"id": this.id}\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| extra | body | string | none |
| x-note | header | string | none |

### GET /shops/{shop}/things/{id}

- Does: read Thing
- Scheme: key
- Returns: 200 Thing

### PATCH /shops/{shop}/things/{id}

- Does: update Thing
- Scheme: key
- Body: title
- Returns: 200 Thing

| Input | In | Type | Where |
|---|---|---|---|
| assignee | body | string | none |
| extra | body | string | none |
| q | query | string | none |
| x-note | header | string | none |

### POST /shops/{shop}/things/{id}/poke

- Does: poke Thing
- Scheme: key
- Let: total = \`"t"\`
- Effect: \`create Note with title = "n" for n in ⟦E_LIST⟧ when n != "" && ⟦E_FOR_WHEN⟧; update Note where this.title == "n" set title = ⟦E_SET⟧; do mark on Note where true, first ⟦E_FIRST⟧ by id with word = ⟦E_DO_WITH⟧\`
- Returns: 200 Thing

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| title | body | string | none |
| extra | body | string | none |
| x-note | header | string | none |

### GET /shops/{shop}/things

- Does: list Thing
- Scheme: key
- Let: total = \`"t"\`
- Where: any of title by \`narrow(⟦WHERE_BY⟧)\`
- Order: title by \`⟦DIRECTION⟧\`, else ascending when \`⟦ORDER_WHEN⟧\`
- Pagination: page (page: page, size: per_page)
- Returns: 200 Page of Thing

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| x-note | header | string | none |

### GET /shops/{shop}/stream

- Does: stream
- Scheme: key
- Let: total = \`"t"\`
- Sends: thing.changed when \`⟦SENDS_WHEN⟧\` as \`⟦SENDS_AS⟧\`
- Starts: \`⟦STARTS⟧\`
- Ends: when \`⟦ENDS⟧\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| x-note | header | string | none |

### POST /tokens

- Does: answer
- Scheme: key
- Returns: 200 \`{"token": token(User.first())}\`

### POST /shops/{shop}/claims

- Does: answer
- Scheme: signed
- Let: total = \`"t"\`
- Allowed: \`⟦CLAIMS⟧\`
- Returns: 204 nothing

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| title | body | string | none |
| extra | body | string | none |
| x-note | header | string | none |

### POST /shops/{shop}/sealed

- Does: answer
- Scheme: sealed
- Returns: 204 nothing

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| title | body | string | none |
| extra | body | string | none |
| x-note | header | string | none |

### Shape: Page

\`\`\`cel
{"items": page.items, "x": ⟦PAGE⟧}
\`\`\`

## Authentication

### Scheme: key

- Placement: header X-Key
- Credentials: Key by secret
- Caller: \`this.user\`

### Scheme: signed

- Placement: header Authorization, after Bearer
- Credentials: User by id, from claim sub
- Signed with: HS256, secret env JWT_SECRET
- Lifetime: 1 day
- Caller: \`⟦TOKEN_CALLER⟧\`

### Scheme: sealed

- Placement: header X-Sealed
- Credentials: Key by secret
- Caller: \`this.user\`
- Signature: header X-Seal, \`⟦SEAL⟧\`

## Events

- Webhooks: to Hook.url
- Signature: Standard Webhooks, secret \`⟦SECRET⟧\`
- Header: X-Own: \`⟦HOOK_HEADER⟧\`
- Headers: \`{"X-Map": ⟦HOOK_HEADERS⟧}\`
- Request: PUT \`⟦REQUEST_URL⟧\` when \`⟦REQUEST_WHEN⟧\`
- Media type: application/x-www-form-urlencoded when \`⟦MEDIA_WHEN⟧\`
- Retries: none
- Deliveries: kept 3 days
- Log: kept 30 days, as Notice
- Notifications: email to \`⟦LETTER_TO⟧\`, subject \`⟦LETTER_SUBJECT⟧\`, text \`⟦LETTER_TEXT⟧\` when \`⟦LETTER_WHEN⟧\`

| Event | When | Payload | To |
|---|---|---|---|
| thing.changed | Thing updated | Thing | |
| thing.made | Thing created | Thing | Hook.url when \`⟦TO_WHEN⟧\` |

## Errors

- Payload shape: problem details

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| rate core | 100000 per minute | caller |
| concurrency many | 100 | \`⟦TOGETHER⟧\` |

## Versioning

- Scheme: header V
- Default: pinned per \`⟦PINNED⟧\`

| Version | Status |
|---|---|
| 2 | current |
| 1 | supported |

### Changes in 2

- Removed: Thing.former, was \`⟦WAS⟧\`
- Default: Thing.label, was \`⟦DEFAULT_WAS⟧\`
- Replaced: Thing.title, new \`⟦NEW⟧\`, old \`⟦OLD⟧\`
- Removed: removed of PATCH /shops/{shop}/things/{id}, as assignee = \`⟦AS⟧\`
`;

export const alongside: Ground = { text, places };
