/** A small document, and statements that are added to it one after another (`recorded.test.ts`). */
import type { Parts } from "../diagnostics/small-documents.ts";
import { resource } from "../diagnostics/small-documents.ts";

export interface Edit {
  readonly title: string;
  readonly parts: Parts;
}

const user = resource("User", ["key | credential |", "name | string | required"]);
const note = resource("Note", ["text | string | required, length 1..80", "owner | User |"]);
const create = "### POST /notes\n\n- Does: create Note\n- Body: text, owner?\n- Returns: 201 Note";
const read = "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note";
const key = "### Scheme: key\n\n- Placement: header Authorization, after Bearer\n- Credentials: User by key";
const errorRows = `| Code | Status | When | Message |
|---|---|---|---|
| gone | 404 | not found | No such {error.resource}. |
| wrong | 422 | invalid field, malformed body | {error.field} {error.problem}. |
| too_late | 409 | | It is too late. |`;

export const base: Parts = {
  resources: `${user}\n\n${note}`,
  endpoints: `${create}\n\n${read}`,
  errors: `- Payload shape: problem details\n\n${errorRows}`,
};

const endpoints = (...more: readonly string[]): Parts => ({
  endpoints: [create, read, ...more].join("\n\n"),
});
/** The fields of notes, after the first. */
const fields = (...rows: readonly string[]): Parts => ({
  resources: `${user}\n\n${resource("Note", ["text | string | required", "owner | User |", ...rows])}`,
});
const inputs = (...rows: readonly string[]) =>
  `\n\n| Input | In | Type | Rules | Where |\n|---|---|---|---|---|\n${rows.map((row) => `| ${row} |`).join("\n")}`;
const list = (...items: readonly string[]) =>
  ["### GET /notes\n\n- Does: list Note", ...items, "- Returns: 200 list of Note"]
    .join("\n- ")
    .replaceAll("- - ", "- ");
const states = (...rows: readonly string[]) => `### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join("\n")}`;
const withStates = (...rows: readonly string[]): Parts => ({
  ...fields("status | state |", "due | timestamp |", "count | integer |"),
  states: states(...rows),
});
const hook = resource("Hook", ["url | uri | required", "secret | string |", "former | string |"]);
const events = (items: string, rows = "note.made | Note created | Note |"): Parts => ({
  resources: `${user}\n\n${note}\n\n${hook}`,
  events: `${items}\n- Notifications: none\n\n| Event | When | Payload |\n|---|---|---|\n| ${rows}`,
});
const signed = (signature: string): Parts =>
  events(`- Webhooks: to Hook.url\n${signature}\n- Retries: 1 minute, 1 hour`);
const versions = (scheme: string, fallback = "current"): Parts => ({
  versioning: `- Scheme: ${scheme}
- Default: ${fallback}
- Compatibility: new fields need no new version.

| Version | Status | Until | Changes |
|---|---|---|---|
| 2026-03-01 | current | | |
| 2026-02-01 | supported | | |
| 2026-01-01 | deprecated | 2027-01-01 | |

### Changes in 2026-03-01

- Renamed: Note.body to Note.text

### Changes in 2026-02-01

- Added: Note.owner`,
});
const limits = (...rows: readonly string[]): Parts => ({
  limits: `- Rate headers: RateLimit\n\n| Limit | Bound | Applies to |\n|---|---|---|\n${rows.map((row) => `| ${row} |`).join("\n")}`,
});
const errors = (payload: string, rows = errorRows): Parts => ({
  errors: `- Payload shape: ${payload}\n\n${rows}`,
});

export const edits: readonly Edit[] = [
  { title: "a small service", parts: base },
  {
    title: "a purpose, a domain, a behaviour and a scenario",
    parts: {
      purpose: `- Purpose: keeps *notes*, and no more.
- Domain: writing.
- Behaviour: a note never ends. It has \`text\`.

### Scenario: a note is made

- Given: \`User with name = "Ada", key = "k_ada"\`

\`\`\`http
POST /notes
Content-Type: application/json

{"text": "first", "owner": null}
\`\`\`

\`\`\`http
HTTP/1.1 201

{"id": "{{note: integer}}", "text": "{{*}}"}
\`\`\`

- Wait: 2 hours

\`\`\`http
GET /notes/{{note}}
\`\`\`

\`\`\`http
HTTP/1.1 200

{"text": "first"}
\`\`\``,
    },
  },
  {
    title: "fields of every type",
    parts: {
      endpoints: `${create.replace("owner?", "owner?, d, p, o")}\n\n${read}`,
      ...fields(
        "n | number | nullable",
        "d | date | required",
        "t | timestamp | on create `now`, on update `now`",
        "l | duration |",
        "j | json | write-only",
        "b | boolean | default `false`",
        "m | map of integer |",
        "s | list of string | items ..3, distinct, default `[]`",
        'e | one of small, large | default `"small"`, read-only',
        "u | uri | internal",
        "p | password | required",
        "c | decimal | 0.5..10",
        "r | string | pattern ^[A-Z]{2}$, immutable",
        "x | email | unique, lower case",
        "i | integer | 1.., deprecated",
        'k | string | = `this.text + "!"`',
        "v | string or integer |",
        "o | User | required, on delete cascade",
        "w | list of User |",
        "q | uuid | on create `uuid()`",
      ),
    },
  },
  {
    title: "values within fields, and identifiers of other kinds",
    parts: {
      resources: `${user}

### Note

A note has an address.

- Identifier: name, given
- Unique: text, kind
- Deleted: marked

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required | what it says |
| kind | string | | |
| address | Address | nullable | where it *lives* |
| others | list of Address | items 1..5 | |
| parent | Note | on delete clear | |

### Address

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| city | string | required, trimmed |
| zip | string | pattern ^[0-9]+$ |`,
      endpoints: `### POST /notes

- Does: create Note
- Body: name, text, kind?, address?, others?, parent?
- Returns: 201 Note

### PUT /notes/{name}

- Does: upsert Note
- Body: text, kind?, address?
- Returns: 200 Note

### GET /notes/{name}

- Does: read Note
- Returns: 200 Note`,
    },
  },
  {
    title: "states and transitions",
    parts: {
      ...withStates(
        "close | open, held | closed | call | `this.count > 0` | `count = 0`",
        'hold | open | held | call | | `create Note with text = "held"`',
        "lapse | open | closed | after 1 hour | | `send note.lapsed`",
        "end | any | over | at due | | `delete Note where this.count == 9`",
        "keep | held | same | call | | `count = this.count + 1`",
      ),
      events:
        "- Webhooks: none\n- Notifications: none\n\n| Event | When | Payload |\n|---|---|---|\n| note.lapsed | sent | Note |\n| note.closed | Note close, Note becomes over | Note |",
      endpoints: `${create}\n\n${read}

### POST /notes/{id}/close

- Does: close Note
- Fails: too_late when \`this.count == 1\`
- Returns: 200 Note

### POST /notes/{id}/hold

- Does: hold Note
- Then: keep
- Returns: 204 nothing

### PATCH /notes/{id}

- Does: update Note
- Body: text?, count?
- Returns: 200 Note`,
    },
  },
  {
    title: "a list with filters and an order",
    parts: endpoints(list("Query: text?, owner?, id? range", "Order: text descending", "Pagination: none")),
  },
  { title: "pages by cursor", parts: endpoints(list("Pagination: cursor (size: limit, at: cursor)")) },
  {
    title: "pages by number, with their bounds",
    parts: {
      ...endpoints(list("Pagination: page (page: page, size: per_page), with Link")),
      ...limits("page | default 20, maximum 100, clamped | every list"),
    },
  },
  {
    title: "pages from zero, in a shape",
    parts: endpoints(
      list("Pagination: page from 0 (page: p, size: n)").replace("list of Note", "Page of Note"),
      '### Shape: Page\n\n```cel\n{"items": page.items, "total": page.total, "next": page.next, "number": page.number}\n```',
    ),
  },
  { title: "pages by offset", parts: endpoints(list("Pagination: offset (offset: offset, size: limit)")) },
  {
    title: "pages by identifier",
    parts: endpoints(
      list("Pagination: identifier (size: limit, after: starting_after, before: ending_before)"),
    ),
  },
  {
    title: "an order that the client chooses",
    parts: endpoints(
      list("Order: text by query.direction, else descending") +
        inputs("direction | query | one of ascending, descending | | none"),
    ),
  },
  {
    title: "inputs in every place",
    parts: endpoints(
      `### GET /search/{kind}

- Does: list Note
- Where: \`this.text == path.kind\`
- Returns: 200 list of Note${inputs(
        "kind | path | one of a, b | | none",
        "q | query | string | required, length 2.. | `this.text.contains(query.q)`",
        'tags | query | list of string | separated by "," | none',
        "on | query | boolean | default `true` | none",
        "data | query | json | as JSON | none",
        "X-Trace | header | uuid | | none",
      )}`,
      "### GET /files/{path...}\n\n- Does: answer\n- Returns: 200 `path.path`",
    ),
  },
  {
    title: "forms, files and wrapped bodies",
    parts: endpoints(
      `### POST /uploads

- Does: answer
- Accepts: multipart/form-data
- Returns: 201 \`{"size": body.photo.size, "title": body.title}\`${inputs("photo | body | file of image/png, text/* | required | none", "title | body | string | required | none")}`,
      `### POST /forms

- Does: create Note
- Accepts: application/x-www-form-urlencoded, application/json
- Body: text
- Returns: 201 Note`,
      `### POST /wrapped

- Does: create Note
- Body in: note
- Body: text
- Returns: 201 \`{"note": Note(this)}\``,
      `### PATCH /notes/{id}

- Does: update Note
- Accepts: application/merge-patch+json
- Body: text?, owner?
- Returns: 200 Note`,
      `### POST /batch

- Does: answer
- Body is: items
- Returns: 200 \`body.items\`${inputs("items | body | list of json | required | none")}`,
      `### PUT /raw

- Does: answer
- Accepts: any
- Encodings: gzip
- Returns: 200 \`string(request.body)\``,
    ),
  },
  {
    title: "several answers, headers and nothing",
    parts: endpoints(
      `### POST /notes/{id}/check

- Does: answer
- Returns: 200 \`{"ok": true, "n": 1}\` when \`query.n == 1\`
- Returns: 202 nothing when \`query.n == 2\`
- Returns: 200 \`{"ok": false, "why": "no"}\`
- Header: X-Kind: \`"a"\`
- Header: Location: \`service.url + "/notes/" + path.id\`
- Header: Content-Type: \`"application/vnd.note+json"\`${inputs("n | query | integer | 1..9 | none")}`,
      `### DELETE /notes/{id}

- Does: delete Note
- Returns: 204 nothing`,
      `### GET /open

- Does: answer
- Fails: 400, 409 when not shown
- Returns: 202 nothing when not shown
- Returns: 200 not shown`,
    ),
  },
  {
    title: "preconditions, idempotency, deprecation and extensions",
    parts: endpoints(
      `### PUT /notes/{id}

- Does: replace Note
- Body: text, owner?
- Preconditions: If-Match required
- Idempotency: header Idempotency-Key, 24 hours
- Returns: 200 Note`,
      `### GET /notes/{id}/again

- Does: read Note
- Preconditions: If-None-Match
- Deprecated: since 2026-05-01, until 2027-05-01
- Extensions: \`{"x-team": "notes", "externalDocs": {"url": "https://example.com/docs"}}\`
- Returns: 200 Note`,
    ),
  },
  {
    title: "paths that stand for records, and likeness",
    parts: endpoints(
      `### /users/{id}

- Is: User
- Header: X-User: \`user.name\`
- Fails: too_late when \`user.name == "late"\`

### POST /users/{id}/notes

- Does: create Note
- Body: text
- Returns: 201 Note

### GET /users/{id}/notes

- Does: list Note
- Returns: 200 list of Note

### GET /users/{id}/copies

- Like: GET /users/{id}/notes
- Returns: 200 \`{"items": page.items}\``,
    ),
  },
  {
    title: "a stream and a wait",
    parts: {
      ...withStates("close | open | closed | call | |"),
      events:
        "- Webhooks: none\n- Notifications: none\n- Log: kept 3 days\n\n| Event | When | Payload |\n|---|---|---|\n| note.made | Note created | Note |\n| note.closed | Note close | Note |",
      endpoints: `${create}

### GET /stream

- Does: stream
- Sends: note.made, note.closed when \`this.text == query.text\`
- Ends: after note.closed
- Returns: 200${inputs("text | query | string | required | none")}

### GET /notes/{id}

- Does: read Note
- Waits: until \`this.status == "closed"\`, at most \`duration("5s")\`
- Returns: 200 Note

### POST /notes/{id}/close

- Does: close Note
- Returns: 200 Note`.replace("- Returns: 200\n\n| Input", "\n| Input"),
    },
  },
  {
    title: "shapes with parameters and optional keys",
    parts: endpoints(
      "### GET /cards/{id}\n\n- Does: read Note\n- Returns: 200 Envelope of Card",
      '### Shape: Card of Note\n\n```cel\n{"id": this.id, "title?": this.text == "" ? null : this.text, "owner": this.owner.name, "n": size(this.text), "kind": this.id > 5 ? "big" : "small",\n "list": Note.filter(n, n.owner == this.owner).map(n, {"id": n.id}), "nothing": null, "ok": this.text != "x", "at": now, "both": or(this.owner.name, "none")}\n```',
      '### Shape: Envelope(data)\n\n```cel\n{"data": data, "version": "1", "fixed": [1, 2]}\n```',
    ),
  },
  {
    title: "a bearer key",
    parts: {
      ...endpoints(
        "### GET /me\n\n- Does: answer\n- Allowed: any caller\n- Returns: 200 User(caller)",
        '### GET /us\n\n- Does: answer\n- Allowed: `caller.name == "a"`\n- Returns: 204 nothing',
        "### GET /all\n\n- Does: answer\n- Allowed: anyone\n- Returns: 204 nothing",
      ),
      authentication: key,
    },
  },
  ...[
    "header X-Key",
    "query key",
    "cookie session",
    "header Authorization, after Token token=",
    "basic user",
  ].map((placement) => ({
    title: `a credential in ${placement}`,
    parts: {
      authentication: `### Scheme: key\n\n- Placement: ${placement}\n- Credentials: User by key\n- Realm: Notes`,
    },
  })),
  {
    title: "a name and a password, and a token",
    parts: {
      resources: `${resource("User", ["name | string | required, unique", "word | password | required", "key | credential | shown once"])}\n\n${note}`,
      authentication:
        "### Scheme: basic\n\n- Placement: basic user and password\n- Credentials: User by name and word\n\n### Scheme: token\n\n- Placement: header Authorization, after Bearer\n- Credentials: User by id, from claim sub\n- Signed with: HS256, secret env JWT_SECRET\n- Issuer: notes\n- Lifetime: 30 days",
      ...endpoints(
        '### POST /sign-in\n\n- Does: sign in User\n- Allowed: anyone\n- Body: name, word\n- Returns: 200 `{"token": token(this)}`',
      ),
    },
  },
  {
    title: "standard webhooks",
    parts: signed("- Signature: Standard Webhooks, secret `Hook.secret`"),
  },
  {
    title: "standard webhooks with two secrets",
    parts: signed(
      "- Signature: Standard Webhooks, secret `[hook.secret, hook.former]`\n- Time-out: 15 seconds",
    ),
  },
  ...[
    '"sha256=" + hex(hmac("sha256", hook.secret, delivery.body))',
    'base64(hmac("sha1", hook.secret, delivery.body))',
    '"t=" + string(int(delivery.time)) + ",v1=" + hex(hmac("sha256", hook.secret, string(int(delivery.time)) + "." + delivery.body))',
    'hex(hmac("sha512", hook.secret, delivery.url + delivery.body))',
    'hmac("sha256", hook.secret, delivery.body)',
  ].map((signature) => ({
    title: `a signature ${signature}`,
    parts: signed(`- Header: X-Signature: \`${signature}\`\n- Header: X-Event: \`event.type\``),
  })),
  {
    title: "webhooks in a form, with a log and deliveries",
    parts: events(
      "- Webhooks: to Hook.url when `hook.secret != null`\n- Media type: application/x-www-form-urlencoded, JSON in payload\n- Retries: none\n- Log: kept 30 days\n- Deliveries: kept 3 days",
      'note.made | Note created, Note updated when `old.text != this.text` | Note |\n| note.gone | Note deleted | Gone |\n\n### Shape: Gone of Note\n\n```cel\n{"id": this.id, "at": event.time}\n```',
    ),
  },
  {
    title: "an error payload of its own",
    parts: errors(
      '\n\n```cel\n{"error": {"code": error.code, "field?": error.field, "message": error.message, "errors": error.problems}}\n```',
    ),
  },
  { title: "errors without a payload", parts: errors("nothing") },
  {
    title: "errors of every kind",
    parts: {
      ...errors(
        "problem details",
        `| Code | Status | When | Message | Doc URL |
|---|---|---|---|---|
| gone | 404 | not found of Note | | https://example.com/{error.code} |
| nowhere | 404 | not found, unknown path | | |
| wrong | 422 | invalid field of Note.text and rule length | Too long. | |
| other | 400 | invalid field | | |
| missing | 422 | missing field of POST /notes | | |
| big | 413 | too large | | |
| slow | 429 | rate limited | Wait {error.retry_after}. | |
| type | 415 | unsupported media type | | |
| broken | 500 | internal | | |
| odd | 400 | malformed request, malformed body | | |`,
      ),
      limits:
        "- Rate headers: X-RateLimit (limit, remaining, used, reset as unix seconds)\n\n| Limit | Bound | Applies to |\n|---|---|---|\n| rate | 60 per minute, burst 20 | address |\n| body | 16 KiB | every request |\n| body | 1 MiB | POST /notes |\n| time-out | 5 seconds | every request |\n| stored notes | 10 Note per User | |",
    },
  },
  {
    title: "limits with headers",
    parts: limits(
      "rate | 60 per minute | service",
      "concurrency | 10 | every request",
      "url | 4 KiB | every request",
    ),
  },
  ...["path prefix", "header `Note-Version`", "query version", "media type"].map((scheme) => ({
    title: `versions by ${scheme}`,
    parts: versions(scheme, scheme === "query version" ? "oldest" : "current"),
  })),
  {
    title: "items of the part",
    parts: {
      endpoints: `- Base path: /api/{tenant}
- Media type: \`application/vnd.notes+json\`
- Timestamps: unix seconds
- Null fields: omitted
- Empty inputs: null
- Unknown fields: rejected
- Header: X-Tenant: \`path.tenant\`
- Cross-origin: any

${create}

${read}`,
      ...fields("at | timestamp | on create `now`", "took | duration |"),
    },
  },
  {
    title: "handlers and functions",
    parts: {
      endpoints: `- Functions: \`way(text: string): string\`, \`narrow(text: string): condition\`

${create}

### POST /run/{id}

- Does: handler run
- Returns: 200 \`{"way": way(note.text)}\`${inputs("n | body | integer | required | none", "why | body | string | | none")}

### GET /notes

- Does: list Note
- Where: any of text by \`narrow(query.filter)\`
- Returns: 200 list of Note${inputs("filter | query | string | | none")}

### /run/{id}

- Is: Note

${read}`,
    },
  },
  {
    title: "gaps",
    parts: {
      ...endpoints(
        "### GET /gaps/{id}\n\n- Does: not shown\n- Returns: not shown",
        "### POST /gaps\n\n- Does: create Note\n- Body: not shown\n- Fails: not shown\n- Returns: 201 Note",
      ),
      limits: "- Rate limits: not shown\n- Size limits: none\n- Rate headers: none",
      versioning: "- Scheme: not shown\n- Compatibility: not shown",
    },
  },
];
