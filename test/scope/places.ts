/**
 * Places of expressions, each in one document that really runs. Two functions of the handlers'
 * module report what a place sees: `reached` reports that the place was evaluated, and `named` is
 * only called if its argument isn't null.
 */

/** A place: a mark in the document that is replaced, and its text while another place is tested. */
export interface Place {
  readonly name: string;
  readonly mark: string;
  /** The expression of a value; absent for a condition. */
  readonly value?: string;
  /** The text of the place while another one is tested. */
  readonly idle: string;
  /** The endpoint that evaluates it. */
  readonly by: By;
}

export type By = "create" | "update" | "list" | "transition" | "upsert" | "refused" | "delete" | PostFilter;

/** Triggers outside requests, or in other kinds of them (`post-filter.ts`). */
export type PostFilter =
  | "time"
  | "stream"
  | "delivery"
  | "poke"
  | "claims"
  | "sealed"
  | "older"
  | "pinned"
  | "page"
  | "given";

export const condition = (name: string, mark: string, by: By, idle = "true"): Place => ({
  name,
  mark,
  by,
  idle,
});
export const value = (name: string, mark: string, by: By, written = '"x"', idle = '"x"'): Place => ({
  name,
  mark,
  by,
  value: written,
  idle,
});

export const places: readonly Place[] = [
  condition("Allowed of a path", "PATH_ALLOWED", "update"),
  condition("Fails of a path", "PATH_FAILS", "update", "false"),
  condition("Allowed", "ALLOWED", "update"),
  condition("Does … when", "DOES", "update"),
  condition("Then … when", "THEN", "update", "false"),
  value("Let", "LET", "update"),
  value("Set of create", "SET_CREATE", "create"),
  value("Set of update", "SET_UPDATE", "update"),
  condition("Set … when", "SET_WHEN", "update", "false"),
  value("Set of upsert", "SET_UPSERT", "upsert"),
  condition("Fails of create", "FAILS_CREATE", "create", "false"),
  condition("Fails of update", "FAILS_UPDATE", "update", "false"),
  condition("Fails of a resource", "RESOURCE_FAILS", "update", "false"),
  condition("Always", "ALWAYS", "update"),
  value("Effect of create", "EFFECT_CREATE", "create"),
  value("Effect of update", "EFFECT_UPDATE", "update"),
  condition("Effect … when", "EFFECT_WHEN", "update", "false"),
  value("Effect create … with", "EFFECT_WITH", "update"),
  condition("Returns … when of create", "RETURNS_CREATE", "create", "false"),
  condition("Returns … when of update", "RETURNS_UPDATE", "update", "false"),
  value("Returns of create", "BODY_CREATE", "create"),
  value("Returns of update", "BODY_UPDATE", "update"),
  value("Returns of upsert", "BODY_UPSERT", "upsert"),
  value("Returns of delete", "BODY_DELETE", "delete"),
  value("Returns of a list", "BODY_LIST", "list"),
  condition("Returns … when of a list", "RETURNS_LIST", "list", "false"),
  value("Header of create", "HEADER_CREATE", "create"),
  value("Header of update", "HEADER_UPDATE", "update"),
  value("Headers of update", "HEADERS_UPDATE", "update"),
  value("Header of a list", "HEADER_LIST", "list"),
  value("Header of the part", "HEADER_PART", "update"),
  value("Header of the part with an error", "HEADER_PART", "refused"),
  value("a shape of a record", "SHAPE", "update"),
  value("a computed field", "COMPUTED", "update"),
  value("on create", "ON_CREATE", "create"),
  value("on update", "ON_UPDATE", "update"),
  value("default of a field", "DEFAULT", "create"),
  value("default of an input", "INPUT_DEFAULT", "update"),
  value("an identifier", "IDENTIFIER", "create", '"t-" + string(random(6))', '"t-" + string(random(6))'),
  condition("a guard", "GUARD", "transition"),
  value("an effect of a transition", "TRANSITION_EFFECT", "transition"),
  condition("an event's When … when", "EVENT_WHEN", "update"),
  value("an event's payload", "PAYLOAD", "update"),
  condition("a webhook's condition", "WEBHOOK_WHEN", "update"),
  condition("a row's condition of rates", "RATE_WHEN", "update"),
  value("what a rate costs", "RATE_COST", "update", "1", "1"),
  value("whose rate it is", "RATE_PER", "update"),
  value("per of an idempotency key", "KEY_PER", "update"),
  value("a message", "MESSAGE", "refused"),
  value("Field of a row", "ROW_FIELD", "refused"),
  value("a further column", "FURTHER", "refused"),
  value("the payload of errors", "ERROR_PAYLOAD", "refused"),
  value("Header of errors", "ERROR_HEADER", "refused"),
  value("at most of Waits", "AT_MOST", "update", 'duration("1ms")', 'duration("1ms")'),
  condition("until of Waits", "UNTIL", "update"),
  value("Caller of a scheme", "CALLER", "update", "this.user", "this.user"),
];

/** One string or number for each name, and for each member that the notation defines. */
export const names: readonly string[] = [
  "this.title",
  "this.shop.town",
  "old.title",
  "caller.name",
  "credential.label",
  "body.title",
  "body.extra",
  "query.q",
  "path.shop",
  "path.id",
  'headers["x-note"]',
  "request.id",
  "request.method",
  "request.path",
  "request.url",
  "request.ip",
  "request.version",
  "request.replayed",
  'request["body"]',
  "now",
  "service.url",
  "page.size",
  "page.number",
  "page.total",
  "page.url",
  "created",
  "event.id",
  "event.type",
  "event.time",
  "event.sequence",
  "event.subject",
  "event.payload",
  "event.deliveries",
  "delivery.id",
  "delivery.attempt",
  "error.code",
  "error.status",
  "error.message",
  "error.problem",
  "limits.core.remaining",
  "limits.core.reset",
  "shop.town",
  "thing.title",
  "hook.url",
  "total",
  "made.title",
  "new",
];

/**
 * Each kind of function that no database has, applied to values, to records behind references, and
 * to stored records, also through shapes and computed fields. If `check` accepts a call, the
 * service opens and the place receives its value.
 */
export const calls: readonly string[] = [
  "own(this.title)",
  "own(this.shop.town)",
  "this.shop.own",
  "this.shop.marked",
  "shape(this.shop).own",
  "Seal(this.shop)",
  "random(4) + this.shop.town",
  "base64(randomBytes(4)) + this.shop.town",
  "uuid() + this.shop.town",
  "uuidv7() + this.shop.town",
  "token(this.shop.mayor)",
  "or(verify(this.shop.mayor.password, this.shop.town), false)",
  "slug(this.shop.town)",
  'hmac("sha256", this.shop.town, own(this.shop.town))',
  "Shop.map(s, own(s.town))",
  "Shop.map(s, s.own)",
  "Shop.map(s, shape(s))",
  'Shop.map(s, {"own": own(s.town)}).size()',
  "Shop.map(s, own(s.town)).first()",
  "Shop.map(s, own(s.town)).distinct()",
  "Shop.map(s, own(s.town)).sort()",
  'Shop.filter(s, s.town == own("Oslo")).size()',
  "Shop.first().own",
  'Shop.first(s, s.town == "Oslo").own',
  'Shop.first(s, s.town == "Oslo").marked',
  '(this.shop.town == own("Oslo") ? this.shop : this.shop).own',
  "(this.shop.town == own(this.shop.town) ? this.shop : this.shop).town",
  "(this.shop.town == own(this.shop.town) ? this.shop : this.shop).own",
  'or(this.shop.own, "x")',
  'merge(shape(this.shop), {"x": own(this.shop.town)}).own',
  "own(this.shop.town) in Shop.map(s, s.town)",
  "[this.shop].map(s, s.own)",
  "this.shop.notes.map(n, own(n))",
  "this.shop.seat.own",
  '{"a": this.shop.seat}.a',
];

/**
 * The same for conditions and orders of records, which `check` mostly rejects for the whole
 * expression, so that finding the mistakes takes long.
 */
export const picking: readonly string[] = [
  "Shop.map(s, Shop.map(t, own(s.town + t.town)))",
  'Shop.filter(s, own(s.town) == "Oslo").size()',
  "Shop.sort(s, own(s.town)).size()",
  'Shop.exists(s, s.own == "Oslo")',
  "Shop.all(s, random(2) == s.town)",
  'Shop.first(s, verify(s.mayor.password, "x")).code',
  "Shop.max(s, own(s.town))",
  "Shop.sum(s, size(own(s.town)))",
  'this.shop.notes.exists(n, own(n) == "y")',
];

/** The caller's key. */
export const key = "key-of-ada-0001";

/** A document with marks, and all its places. */
export interface Ground {
  readonly text: string;
  readonly places: readonly Place[];
}

/** The document in which a place reads all of these names. */
export function documentWith({ text, places }: Ground, place: Place, requested: readonly string[]): string {
  const calls = requested.map((name) => `named(${name}, ${JSON.stringify(name)})`).join(", ");
  const all = `reached("x") && size([${calls}]) >= 0`;
  const holds = place.idle === "false" ? `${all} && false` : all;
  const expression = place.value === undefined ? holds : `(${all}) ? ${place.value} : ${place.value}`;
  return places
    .filter((place, at) => places.findIndex((other) => other.mark === place.mark) === at)
    .reduce(
      (written, candidate) =>
        written.replaceAll(`⟦${candidate.mark}⟧`, () =>
          candidate.mark === place.mark ? expression : candidate.idle,
        ),
      text,
    );
}

const text = `# Interface Specification: Everything

## What the service does

- Purpose: evaluates an expression in every place.

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| name | string |
| password | password |

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

### Records of Hook

| id | url |
|---|---|
| 1 | https://hooks.example/ |

### Shop

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| code | string | |
| town | string | |
| mayor | User | |
| notes | list of string | |
| seat | Seat | |
| own | string | = \`own(this.town)\` |
| marked | string | = \`random(2) + this.mayor.name + own(this.mayor.name)\` |

### Records of Shop

| code | town | mayor | notes | seat |
|---|---|---|---|---|
| a | Oslo | 1 | ["x", "y"] | {"row": "r"} |

### Seat

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| row | string | |
| own | string | = \`own(this.row)\` |

### Thing

- Identifier: id, made by \`⟦IDENTIFIER⟧\`
- Fails: never_so when \`⟦RESOURCE_FAILS⟧\`
- Always: \`⟦ALWAYS⟧\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| title | string | required |
| shop | Shop | |
| note | string | |
| made | string | on create \`⟦ON_CREATE⟧\` |
| changed | string | on update \`⟦ON_UPDATE⟧\` |
| usual | string | default \`⟦DEFAULT⟧\` |
| shown | string | = \`⟦COMPUTED⟧\` |
| status | state | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| title | string |

## States and transitions

### Thing

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| go | open | open | call | \`⟦GUARD⟧\` | \`note = ⟦TRANSITION_EFFECT⟧\` |

## Endpoints

- Functions: reached(json): boolean, named(json, string): boolean, own(string): string
- Header: X-Part: \`⟦HEADER_PART⟧\`

### /shops/{shop}

- Is: Shop
- Allowed: \`⟦PATH_ALLOWED⟧\`
- Fails: never_so when \`⟦PATH_FAILS⟧\`

### POST /keys

- Does: create Key
- Body: label, secret, user
- Allowed: anyone
- Returns: 201 nothing

### POST /shops/{shop}/things

- Does: create Thing
- Body: title
- Let: total = \`"t"\`
- Set: \`note = ⟦SET_CREATE⟧\`
- Fails: never_so when \`⟦FAILS_CREATE⟧\`
- Effect: \`create Note with title = "n" as made; note = ⟦EFFECT_CREATE⟧\`
- Returns: 200 nothing when \`⟦RETURNS_CREATE⟧\`
- Returns: 201 \`{"id": this.id, "x": ⟦BODY_CREATE⟧}\`
- Header: X-Own: \`⟦HEADER_CREATE⟧\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| extra | body | string | none |
| x-note | header | string | none |

### PATCH /shops/{shop}/things/{id}

- Does: update Thing when \`⟦DOES⟧\`
- Allowed: \`⟦ALLOWED⟧\`
- Body: title
- Idempotency: header Idempotency-Key, 1 hour, per \`⟦KEY_PER⟧\`
- Then: go when \`⟦THEN⟧\`
- Let: total = \`⟦LET⟧\`
- Set: \`note = ⟦SET_UPDATE⟧\`
- Set: \`usual = "u" when ⟦SET_WHEN⟧\`
- Fails: never_so when \`⟦FAILS_UPDATE⟧\`
- Effect: \`create Note with title = ⟦EFFECT_WITH⟧ as made; note = ⟦EFFECT_UPDATE⟧; usual = "v" when ⟦EFFECT_WHEN⟧\`
- Waits: until \`⟦UNTIL⟧\`, at most \`⟦AT_MOST⟧\`
- Returns: 204 nothing when \`⟦RETURNS_UPDATE⟧\`
- Returns: 200 \`{"thing": Seen(this), "x": ⟦BODY_UPDATE⟧, "shown": this.shown}\`
- Header: X-Own: \`⟦HEADER_UPDATE⟧\`
- Headers: \`{"X-Map": ⟦HEADERS_UPDATE⟧}\`

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| q | query | string | | none |
| extra | body | string | | none |
| usual | body | string | default \`⟦INPUT_DEFAULT⟧\` | none |
| x-note | header | string | | none |

### PUT /shops/{shop}/things/{id}

- Does: upsert Thing
- Body: title
- Set: \`note = ⟦SET_UPSERT⟧\`
- Returns: 200 \`{"x": ⟦BODY_UPSERT⟧}\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| extra | body | string | none |
| x-note | header | string | none |

### DELETE /shops/{shop}/things/{id}

- Does: delete Thing
- Returns: 200 \`{"x": ⟦BODY_DELETE⟧}\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| x-note | header | string | none |

### GET /shops/{shop}/things

- Does: list Thing
- Pagination: page (page: page, size: per_page)
- Returns: 204 nothing when \`⟦RETURNS_LIST⟧\`
- Returns: 200 \`{"x": ⟦BODY_LIST⟧, "total": page.total}\`
- Header: X-Own: \`⟦HEADER_LIST⟧\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | none |
| x-note | header | string | none |

### POST /shops/{shop}/things/{id}/go

- Does: go Thing
- Returns: 200 Thing

| Input | In | Type | Where |
|---|---|---|---|
| title | body | string | none |
| extra | body | string | none |
| q | query | string | none |
| x-note | header | string | none |

### POST /shops/{shop}/things/{id}/refuse

- Does: update Thing
- Body: title
- Let: total = \`"t"\`
- Fails: no_good when \`true\`
- Returns: 200 Thing

| Input | In | Type | Where |
|---|---|---|---|
| extra | body | string | none |
| q | query | string | none |
| x-note | header | string | none |

### Shape: Seal of Shop

\`\`\`cel
{"own": this.own, "all": Shop.map(s, own(s.town + this.town))}
\`\`\`

### Shape: Seen of Thing

\`\`\`cel
{"x": ⟦SHAPE⟧}
\`\`\`

## Authentication

### Scheme: key

- Placement: header X-Key
- Credentials: Key by secret
- Caller: \`⟦CALLER⟧\`

### Scheme: signed

- Placement: header Authorization, after Bearer
- Credentials: User by id, from claim sub
- Signed with: HS256, secret env JWT_SECRET
- Lifetime: 1 day

## Events

- Webhooks: to Hook.url when \`⟦WEBHOOK_WHEN⟧\`
- Retries: none

| Event | When | Payload |
|---|---|---|
| thing.changed | Thing updated when \`⟦EVENT_WHEN⟧\` | \`{"x": ⟦PAYLOAD⟧}\` |

## Errors

- Payload shape:

\`\`\`cel
{"code": error.code, "message": error.message, "hint": error.hint, "x": ⟦ERROR_PAYLOAD⟧}
\`\`\`

- Header: X-Error: \`⟦ERROR_HEADER⟧\`

| Code | Status | When | Field | Message | Hint |
|---|---|---|---|---|---|
| no_good | 400 | | {⟦ROW_FIELD⟧} | {⟦MESSAGE⟧} | {⟦FURTHER⟧} |
| never_so | 400 | | | | |

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| rate core | 100000 per minute | \`⟦RATE_PER⟧\`, when \`⟦RATE_WHEN⟧\`, costing \`⟦RATE_COST⟧\` |

## Versioning

- Scheme: header V
- Default: current

| Version | Status |
|---|---|
| 1 | current |
`;

export const everything: Ground = { text, places };
