/**
 * Guards on every branch: each guard that a document states is evaluated on every branch of every
 * operation. The test generates documents in which each guard rejects, in each place where it may
 * occur. A request that a guard should stop gets that guard's error, and leaves the store
 * unchanged.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

/** One branch of an operation. `{id}` in a path stands for the branch's own record. */
interface Branch {
  readonly endpoint: string;
  readonly items: string;
  /** The requested target, if it differs from the endpoint's path with the branch's record. */
  readonly target?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether its operation is about one existing record. */
  readonly record?: true;
  /** Whether the record of the path may be missing. */
  readonly missing?: true;
  /** Whether its response never ends. */
  readonly endless?: true;
}

const ifAny = "- Returns: 204 nothing when `this == null`\n- Returns: 200 Note";
const size = "- Body: size?";
const effect = '- Effect: `create Note with id = uuid(), text = "made"`';

/** Creates the branches of an operation on one record, `, if any`, with and without that record. */
const found = (
  does: string,
  method: string,
  more = "",
  sent: Pick<Branch, "body"> = {},
): Readonly<Record<string, Branch>> => ({
  [`${does} Note`]: {
    endpoint: `${method} /all/plain-${does}/{id}`,
    items: `- Does: ${does} Note\n${more}\n- Returns: ${does === "delete" ? "204 nothing" : "200 Note"}`,
    record: true,
    ...sent,
  },
  [`${does} Note, if any`]: {
    endpoint: `${method} /all/${does}/{id}`,
    items: `- Does: ${does} Note, if any\n${more}\n${effect}\n${ifAny}`,
    record: true,
    ...sent,
  },
  [`${does} Note, if any, without one`]: {
    endpoint: `${method} /all/${does}-none/{id}`,
    items: `- Does: ${does} Note, if any\n${more}\n${effect}\n${ifAny}`,
    missing: true,
    ...sent,
  },
});

const branches: Readonly<Record<string, Branch>> = {
  ...found("read", "GET"),
  ...found("update", "PATCH", size),
  ...found("replace", "PUT", "- Body: text", { body: { text: "new" } }),
  ...found("delete", "DELETE"),
  ...found("close", "POST"),
  "read, requested with HEAD": {
    endpoint: "GET /all/head/{id}",
    items: "- Does: read Note\n- Returns: 200 Note",
    record: true,
  },
  "read that the client knows": {
    endpoint: "GET /all/known/{id}",
    items: "- Does: read Note\n- Preconditions: If-None-Match\n- Returns: 200 Note",
    headers: { "If-None-Match": "*" },
    record: true,
  },
  "read that waits": {
    endpoint: "GET /all/waits/{id}",
    items:
      '- Does: read Note\n- Waits: until `this.size == null`, at most `duration("1s")`\n- Returns: 200 Note',
    record: true,
  },
  "a list": { endpoint: "GET /all/list", items: "- Does: list Note\n- Returns: 200 list of Note" },
  "a list in pages": {
    endpoint: "GET /all/pages",
    items: "- Does: list Note\n- Pagination: page (page: page, size: per_page)\n- Returns: 200 list of Note",
    target: "/all/pages?page=2&per_page=1",
  },
  "an empty list": {
    endpoint: "GET /all/empty",
    items: '- Does: list Note\n- Where: `this.text == "none"`\n- Returns: 200 list of Note',
  },
  create: {
    endpoint: "POST /all/create",
    items: "- Does: create Note\n- Body: text\n- Set: `id = uuid()`\n- Returns: 201 Note",
    body: { text: "new" },
  },
  "create beneath a record": {
    endpoint: "POST /all/of/{note}/lines",
    items: "- Does: create Line\n- Body: text\n- Returns: 201 Line",
    body: { text: "new" },
  },
  "create with a key": {
    endpoint: "POST /all/key",
    items:
      "- Does: create Note\n- Body: text\n- Set: `id = uuid()`\n- Idempotency: header Idempotency-Key, 24 hours\n- Returns: 201 Note",
    body: { text: "new" },
    headers: { "Idempotency-Key": "k" },
  },
  "upsert that finds": {
    endpoint: "PUT /all/upsert/{id}",
    items: "- Does: upsert Note\n- Body: text\n- Returns: 200 Note",
    body: { text: "put" },
    record: true,
  },
  "upsert that makes": {
    endpoint: "PUT /all/upsert-new/{id}",
    items: "- Does: upsert Note\n- Body: text\n- Returns: 200 Note",
    body: { text: "put" },
    missing: true,
  },
  "upsert by a condition that finds": {
    endpoint: "PUT /all/upsert-where",
    items:
      '- Does: upsert Note\n- Where: `this.text == "text of the list"`\n- Body: size\n- Set: `id = uuid() when created; text = "w" when created`\n- Returns: 200 Note',
    body: { size: 3 },
  },
  "upsert by a condition that makes": {
    endpoint: "PUT /all/upsert-where-new",
    items:
      '- Does: upsert Note\n- Where: `this.text == "nowhere"`\n- Body: size\n- Set: `id = uuid() when created; text = "nowhere" when created`\n- Returns: 200 Note',
    body: { size: 3 },
  },
  "update every, of some": {
    endpoint: "PATCH /all/every",
    items: "- Does: update every Note\n- Body: size\n- Returns: 204 nothing",
    body: { size: 3 },
  },
  "update every, of none": {
    endpoint: "PATCH /all/every-none",
    items: '- Does: update every Note\n- Where: `this.text == "none"`\n- Body: size\n- Returns: 204 nothing',
    body: { size: 3 },
  },
  "delete every, of some": {
    endpoint: "DELETE /all/every",
    items:
      '- Does: delete every Note\n- Where: `this.text == "text of delete every, of some"`\n- Returns: 204 nothing',
  },
  "delete every, of none": {
    endpoint: "DELETE /all/every-none",
    items: '- Does: delete every Note\n- Where: `this.text == "none"`\n- Returns: 204 nothing',
  },
  answer: { endpoint: "GET /all/answer", items: '- Does: answer\n- Returns: 200 `"ok"`' },
  "answer with an effect": {
    endpoint: "POST /all/answer",
    items: `- Does: answer\n${effect}\n- Returns: 200 \`"ok"\``,
  },
  "sign in": {
    endpoint: "POST /all/sign-in",
    items: "- Does: sign in User\n- Body: name, word\n- Returns: 200 `this.name`",
    body: { name: "ada", word: "password of ada" },
  },
  handler: {
    endpoint: "POST /all/handler",
    items: '- Does: handler give\n- Returns: 200 `"ok"`',
  },
  stream: {
    endpoint: "GET /all/stream",
    items: "- Does: stream\n- Sends: note.made when `true`",
    endless: true,
  },
  "the first of two": {
    endpoint: "POST /all/either/{id}",
    items:
      "- Does: update Note when `body.size == 1`\n- Does: delete Note\n- Body: size\n- Returns: 204 nothing",
    body: { size: 1 },
    record: true,
  },
  "the second of two": {
    endpoint: "POST /all/or/{id}",
    items:
      "- Does: update Note when `body.size == 1`\n- Does: delete Note\n- Body: size\n- Returns: 204 nothing",
    body: { size: 2 },
    record: true,
  },
  "a read or a list, the read": {
    endpoint: "GET /all/read-or-close/{id}",
    items:
      "- Does: read Note when `query.only == true`\n- Does: close Note\n- Returns: 200 Note\n\n| Input | In | Type |\n|---|---|---|\n| only | query | boolean |",
    target: "/all/read-or-close/{id}?only=true",
    record: true,
  },
  Then: {
    endpoint: "PATCH /all/then/{id}",
    items: "- Does: update Note\n- Body: size\n- Then: close\n- Returns: 200 Note",
    body: { size: 2 },
    record: true,
  },
  "an older version": {
    endpoint: "PATCH /all/older/{id}",
    items: "- Does: update Note\n- Body: size\n- Returns: 200 Note",
    body: { length: 2 },
    headers: { Version: "v1" },
    record: true,
  },
};

const isMissingKey = '`headers["x-key"] == null`';
const fails = `- Fails: closed when ${isMissingKey}`;
const allowed = '- Allowed: `headers["x-key"] == "k"`';

interface Place {
  /** The status of the response. */
  readonly status: number;
  readonly part?: string;
  readonly path?: string;
  readonly ofRecord?: string;
  readonly endpoint?: string;
  is?(branch: Branch): boolean;
}

const isOnRecord = ({ record }: Branch) => record === true;
const hasRecord = ({ endpoint }: Branch) => endpoint.includes("{");

const places: Readonly<Record<string, Place>> = {
  "Fails of the part": { status: 418, part: fails },
  "Allowed of the part": { status: 403, part: allowed },
  "Fails of a path": { status: 418, path: fails },
  "Allowed of a path": { status: 403, path: allowed },
  "Fails of a path that stands for a record": { status: 418, ofRecord: fails, is: hasRecord },
  "Allowed of a path that stands for a record": { status: 403, ofRecord: allowed, is: hasRecord },
  "Fails of the endpoint": { status: 418, endpoint: fails },
  "Allowed of the endpoint": { status: 403, endpoint: allowed },
  "Fails of the endpoint, about the record": {
    status: 418,
    endpoint: '- Fails: closed when `this.text != null && headers["x-key"] == null`',
    is: isOnRecord,
  },
  "Allowed of the endpoint, about the record": {
    status: 403,
    endpoint: '- Allowed: `this.text != "" && headers["x-key"] == "k"`',
    is: (branch) => isOnRecord(branch) && !/upsert|every/.test(branch.endpoint),
  },
  "Where of the endpoint": {
    status: 404,
    endpoint: '- Where: `headers["x-key"] == "k"`',
    is: (branch) => isOnRecord(branch) && !/if any|upsert/.test(branch.items),
  },
  "a second Fails of the endpoint": {
    status: 418,
    endpoint: `- Fails: other when \`headers["x-key"] == "other"\`\n${fails}`,
  },
};

const resources = (names: readonly string[]) => `### Note

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | |
| text | string | required |
| size | integer | |
| status | state | |

### Records of Note

| id | text |
|---|---|
${names.map((_, at) => `| n${at} | text of ${names[at]} |`).join("\n")}
| list | text of the list |

### Line

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| note | Note | required |
| text | string | required |

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| word | password | required |`;

const states = `### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | shut | call |`;

const errors = `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| closed | 418 | | is closed |
| other | 423 | | is other |
| hidden | 404 | not found | is not there |
| denied | 403 | forbidden | is denied |`;

const versioning = `- Scheme: header Version
- Default: current
- Compatibility: new fields are compatible.

| Version | Status | Until | Changes |
|---|---|---|---|
| v2 | current | | |
| v1 | supported | | |

### Changes in v2

- Renamed: Note.length to Note.size`;

for (const [name, place] of Object.entries(places))
  test(`${name} rejects on every branch`, async () => {
    const all = Object.entries(branches).filter(([, branch]) => place.is?.(branch) ?? true);
    const names = all.map(([branch]) => branch);
    const endpoints = all.map(([, { endpoint, items, record, missing }]) => {
      const [, path = ""] = endpoint.split(" ");
      const heading =
        place.ofRecord && (record || missing || path.includes("{note}"))
          ? `### ${path.replace(/\/lines$/, "")}\n\n- Is: Note\n${place.ofRecord}\n\n`
          : path.includes("{note}")
            ? "### /all/of/{note}\n\n- Is: Note\n\n"
            : "";
      const [first = "", ...table] = items.split("\n\n");
      return `${heading}### ${endpoint}\n\n${[first, place.endpoint ?? "", ...table.map((row) => `\n${row}`)].join("\n")}`;
    });
    const document = smallDocument({
      resources: resources(names),
      states,
      errors,
      versioning,
      events:
        "- Log: kept 1 day\n\n| Event | When | Payload |\n|---|---|---|\n| note.made | Note created | Note |",
      endpoints: `${place.part ?? ""}

### /all

${place.path ?? ""}

${endpoints.join("\n\n")}

### POST /users

- Does: create User
- Body: name, word
- Allowed: any caller
- Fails: none
- Returns: 201 nothing

### GET /state

- Does: answer
- Allowed: any caller
- Fails: none
- Returns: 200 \`{"notes": Note.sort(n, n.id).map(n, [n.id, n.text, n.status, string(or(n.size, 0))]), "lines": Line.count(l, true)}\``,
    });
    const { send, close } = await serveDocument(document, undefined, {
      handlers: { give: async () => undefined },
    });
    try {
      assert.equal(
        (await send("POST", "/users", { body: { name: "ada", word: "password of ada" } })).status,
        201,
      );
      const passing: string[] = [];
      for (const [at, [branch, { endpoint, target, body, headers, missing, endless }]] of all.entries()) {
        const [method = "", path = ""] = endpoint.split(" ");
        const record = missing ? `none${at}` : `n${at}`;
        const to = (target ?? path).replace(/\{\w+\}/g, record);
        const verb = branch.endsWith("HEAD") ? "HEAD" : method;
        const before = await send("GET", "/state");
        const sent = { ...(body === undefined ? (method === "GET" ? {} : { body: {} }) : { body }) };
        const refused = await send(verb, to, { ...sent, headers: { ...headers } });
        assert.equal(refused.status, place.status, `${branch}: ${refused.body}`);
        assert.equal((await send("GET", "/state")).body, before.body, `${branch} left a change`);
        // The conditions of a path are evaluated before the body is read, whether or not the path
        // names a record.
        if ((place.path || place.ofRecord) && sent.body !== undefined) {
          const first = await send(verb, to, {
            headers: { "Content-Type": "application/json", ...headers },
            body: "{",
          });
          assert.equal(first.status, place.status, `${branch}, malformed: ${first.body}`);
        }
        if (endless) continue;
        const passed = await send(verb, to, { ...sent, headers: { ...headers, "X-Key": "k" } });
        if (passed.status >= 400) passing.push(`${branch}: ${passed.status} ${passed.body}`);
      }
      // Otherwise another guard may have rejected the request.
      assert.deepEqual(passing, []);
    } finally {
      await close();
    }
  });

/**
 * The ways to store a record with the text "bad": creating a Note, or changing the existing note
 * `n`.
 */
const storing: Readonly<Record<string, string>> = {
  create: "### POST /x\n\n- Does: create Note\n- Body: text\n- Returns: 204 nothing",
  "create by Set": '### POST /x\n\n- Does: create Note\n- Set: `text = "bad"`\n- Returns: 204 nothing',
  "create beneath a record":
    "### /x\n\n### /of/{note}\n\n- Is: Note\n\n### POST /of/{note}/x\n\n- Does: create Note\n- Body: text\n- Returns: 204 nothing",
  update: "### POST /x/{id}\n\n- Does: update Note\n- Body: text\n- Returns: 204 nothing",
  "update by Set": '### POST /x/{id}\n\n- Does: update Note\n- Set: `text = "bad"`\n- Returns: 204 nothing',
  "update, if any": "### POST /x/{id}\n\n- Does: update Note, if any\n- Body: text\n- Returns: 204 nothing",
  replace: "### POST /x/{id}\n\n- Does: replace Note\n- Body: text\n- Returns: 204 nothing",
  "upsert that finds": "### POST /x/{id}\n\n- Does: upsert Note\n- Body: text\n- Returns: 204 nothing",
  "upsert that makes":
    '### POST /x\n\n- Does: upsert Note\n- Where: `this.text == "nowhere"`\n- Body: text\n- Returns: 204 nothing',
  "update every": "### POST /x\n\n- Does: update every Note\n- Body: text\n- Returns: 204 nothing",
  "a transition by its input": "### POST /x/{id}\n\n- Does: plain Note\n- Body: text\n- Returns: 204 nothing",
  "a transition by Set":
    '### POST /x/{id}\n\n- Does: plain Note\n- Set: `text = "bad"`\n- Returns: 204 nothing',
  "a transition by its effect": "### POST /x/{id}\n\n- Does: spoil Note\n- Returns: 204 nothing",
  "a transition, if any": "### POST /x/{id}\n\n- Does: spoil Note, if any\n- Returns: 204 nothing",
  "a transition that an immediate one follows":
    "### POST /x/{id}\n\n- Does: arm Note\n- Returns: 204 nothing",
  Then: "### POST /x/{id}\n\n- Does: update Note\n- Then: spoil\n- Returns: 204 nothing",
  "the second of two":
    '### POST /x/{id}\n\n- Does: delete Note when `body.text == "delete"`\n- Does: update Note\n- Body: text\n- Returns: 204 nothing',
  "an effect that makes":
    '### POST /x\n\n- Does: answer\n- Effect: `create Note with text = "bad"`\n- Returns: 204 nothing',
  "an effect that makes several":
    '### POST /x\n\n- Does: answer\n- Effect: `create Note with text = t for t in ["fine", "bad"]`\n- Returns: 204 nothing',
  "an effect that changes":
    '### POST /x\n\n- Does: answer\n- Effect: `update Note where this.text == "good" set text = "bad"`\n- Returns: 204 nothing',
  "an effect on this":
    '### POST /x/{id}\n\n- Does: read Note\n- Effect: `text = "bad"`\n- Returns: 204 nothing',
  "an effect on this, if any":
    '### POST /x/{id}\n\n- Does: read Note, if any\n- Effect: `text = "bad"`\n- Returns: 204 nothing',
  "an effect through a reference":
    '### POST /x/{id}\n\n- Does: read Note\n- Effect: `above.text = "bad"`\n- Returns: 204 nothing',
  "an effect do":
    '### POST /x\n\n- Does: answer\n- Effect: `do spoil on Note where this.text == "good"`\n- Returns: 204 nothing',
  "an effect behind delete":
    '### POST /x/{id}\n\n- Does: delete Note\n- Effect: `create Note with text = "bad"`\n- Returns: 204 nothing',
  "an effect where none is found":
    '### POST /x/none\n\n- Does: read Note, if any\n- Where: `this.text == "nowhere"`\n- Effect: `create Note with text = "bad"`\n- Returns: 204 nothing',
  "an effect of a list":
    '### POST /x\n\n- Does: list Note\n- Pagination: none\n- Effect: `create Note with text = "bad"`\n- Returns: 200 list of Note',
  "an effect of sign in":
    '### POST /x\n\n- Does: sign in User\n- Body: name, word\n- Effect: `create Note with text = "bad"`\n- Returns: 204 nothing',
  "an effect of a handler":
    '### POST /x\n\n- Does: handler give\n- Effect: `create Note with text = "bad"`\n- Returns: 204 nothing',
  "a handler's create": "### POST /x\n\n- Does: handler make\n- Returns: 204 nothing",
  "a handler's update": "### POST /x\n\n- Does: handler change\n- Returns: 204 nothing",
};

const rules: Readonly<
  Record<
    string,
    {
      readonly status: number;
      readonly item?: string;
      readonly field?: string;
      readonly limit?: string;
      readonly guard?: string;
    }
  >
> = {
  "Fails of the resource": { status: 418, item: '- Fails: closed when `this.text == "bad"`' },
  "Always of the resource": { status: 500, item: '- Always: `this.text != "bad"`' },
  unique: { status: 409, field: "unique" },
  "Unique of two": { status: 409, item: "- Unique: text, kind" },
  "a quota": { status: 429, limit: '| stored notes | 1 Note where `this.text == "bad"` |' },
  "a guard": { status: 409, guard: '`this.text == "never"`' },
};

for (const [rule, { status, item = "", field = "", limit = "", guard = "" }] of Object.entries(rules))
  test(`${rule} rejects every way of storing the record`, async () => {
    const ways = Object.entries(storing)
      // A guard is evaluated for everything that fires its transition.
      .filter(([, endpoint]) => !guard || /: plain|spoil/.test(endpoint))
      .map(([way, endpoint], at) => ({ way, endpoint: endpoint.replace(/\/(x|of)\b/g, `/$1${at}`) }));
    const document = smallDocument({
      resources: `### Note

- Identifier: id, made by \`sequence()\`
${item}

| Field | Type | Rules |
|---|---|---|
| text | string | required${field && `, ${field}`} |
| kind | string | default \`"k"\` |
| armed | boolean | default \`false\` |
| above | Note | on delete clear |
| status | state | |

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| word | password | required |`,
      states: `### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| plain | open | shut | call | ${guard} | |
| spoil | open | shut | call | ${guard} | \`text = "bad"\` |
| arm | open | open | call | | \`armed = true\` |
| blow | open | shut | immediately | \`this.armed\` | \`text = "bad"\` |`,
      errors,
      limits: limit ? `| Limit | Bound | \n|---|---|\n${limit}` : "",
      endpoints: `${ways.map(({ endpoint }) => endpoint).join("\n\n")}

### POST /notes

- Does: create Note
- Body: text, above?
- Returns: 201 Note

### POST /users

- Does: create User
- Body: name, word
- Returns: 201 nothing

### GET /state

- Does: answer
- Returns: 200 \`Note.sort(n, n.id).map(n, [string(n.id), n.text, n.status])\``,
    });
    const { send, close } = await serveDocument(document, undefined, {
      handlers: {
        give: async () => undefined,
        make: async ({ transaction }) => void (await transaction.create("Note", { text: "bad" })),
        change: async ({ transaction }) => void (await transaction.update("Note", 2, { text: "bad" })),
      },
    });
    try {
      // For a rule about two records, a bad record exists already.
      const isOfTwo = status === 409 || status === 429;
      await send("POST", "/notes", { body: { text: isOfTwo ? "bad" : "first" } });
      await send("POST", "/notes", { body: { text: "good", above: 1 } });
      await send("POST", "/notes", { body: { text: "third", above: 2 } });
      await send("POST", "/users", { body: { name: "ada", word: "password of ada" } });
      const before = (await send("GET", "/state")).body;
      for (const { way, endpoint } of ways) {
        const [, path = ""] = /### POST (\S+)/.exec(endpoint) ?? [];
        const target = path.replace(/\{\w+\}/, way.includes("through") ? "3" : "2");
        const body = endpoint.includes("sign in")
          ? { name: "ada", word: "password of ada" }
          : endpoint.includes("Body: text")
            ? { text: "bad" }
            : {};
        const refused = await send("POST", target, { body });
        assert.equal(refused.status, status, `${way}: ${refused.body}`);
        assert.equal((await send("GET", "/state")).body, before, `${way} left a change`);
      }
    } finally {
      await close();
    }
  });
