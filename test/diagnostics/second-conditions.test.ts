/**
 * Second conditions of checks: a document is reported only if all conditions of a check hold. Each
 * row changes one of them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import type { DiagnosticCode } from "../../src/diagnostics/codes/index.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { type Parts, reported, resource } from "./small-documents.ts";

type Row = readonly [what: string, parts: Parts, count: number];

function each(code: DiagnosticCode, rows: readonly Row[]): void {
  for (const [what, parts, count] of rows)
    test(`${code}: ${what}`, () => {
      const found = reported(code, parts);
      assert.equal(found.length, count, found.join("\n"));
    });
}

const read = "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note";
const note = resource("Note", ["text | string |", "size | integer |"]);
const late = `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| late | 409 | | |`;
const inputs = (...rows: readonly string[]) =>
  `\n\n| Input | In | Type | Rules | Where |\n|---|---|---|---|---|\n${rows.map((row) => `| ${row} |`).join("\n")}`;
const key = "### Scheme: key\n\n- Placement: header Authorization, after Bearer\n- Credentials: User by key";
const users = resource("User", [
  "key | credential | on create `random(20)`, shown once",
  "word | password |",
]);

const pairs = "Note.exists(a, Note.exists(b, size(a.text + b.text) == 9 && b.text != a.text))";
const answers = (items: string): Parts => ({
  resources: note,
  endpoints: `### POST /answers\n\n- Does: answer\n${items}\n- Fails: late when \`${pairs}\`\n- Returns: 204 nothing`,
  errors: late,
});
each("expressions/too-much-work", [
  ["an answer", answers("- Allowed: anyone"), 0],
  ["an answer with an effect", answers('- Effect: `update Note where this.size == 1 set text = "a"`'), 1],
  [
    "an update without an effect",
    {
      resources: note,
      endpoints: `### PATCH /notes/{id}\n\n- Does: update Note\n- Body: text?\n- Fails: late when \`${pairs}\`\n- Returns: 200 Note`,
      errors: late,
    },
    1,
  ],
]);
const twice = "Note.exists(n, size(n.text + this.text) == 9)";
const list = (items: string): Parts => ({
  resources: note,
  endpoints: `### GET /notes\n\n- Does: list Note\n${items}\n- Returns: 200 list of Note`,
});
const effect = (words: string): Parts => ({
  resources: note,
  states: "",
  endpoints: `### POST /answers\n\n- Does: answer\n- Effect: \`${words}\`\n- Returns: 204 nothing`,
});
each("expressions/much-work", [
  ["an answer that reads pairs", answers("- Allowed: anyone"), 1],
  ["a list whose Where reads all for each", list(`- Where: \`${twice}\`\n- Pagination: none`), 1],
  ["a list of few", list(`- Where: \`this.id == 1 && ${twice}\`\n- Pagination: none`), 0],
  ["a page whose records are few", list("- Pagination: page (page: page)"), 0],
]);
each("expressions/too-much-work", [
  ["an update of many", effect(`update Note where ${twice} set size = 1`), 1],
  ["an update of few", effect(`update Note where this.id == 1 && ${twice} set size = 1`), 0],
  ["a deletion of many", effect(`delete Note where ${twice}`), 1],
  ["a deletion of few", effect(`delete Note where this.id == 1 && ${twice}`), 0],
]);

const written = (endpoint: string, rows: readonly string[], columns: Parts = {}): Parts => ({
  resources: resource("Note", ["text | string |", ...rows]),
  endpoints: endpoint,
  ...columns,
});
const send = (where: "body" | "query", sentAs: string, other: string) =>
  written(
    `### POST /notes\n\n- Does: create Note\n- Set: \`text = string(${where}.a) + string(${other})\`\n- Returns: 201 Note${inputs(
      `a | ${where} | string | sent as "${sentAs}" | none`,
      `${other.replace(".", " | ").replace(/^(\w+) \| (\w+)$/, "$2 | $1")} | string | | none`,
    )}`,
    [],
  );
each("resources/sent-twice", [
  ["two inputs of a body", send("body", "b", "body.b"), 1],
  ["two inputs of a query", send("query", "b", "query.b"), 1],
  ["an input of the body and another of the query", send("body", "b", "query.b"), 0],
  ["an input of the query and another of the body", send("query", "b", "body.b"), 0],
  [
    "a parameter of a page",
    {
      resources: note,
      endpoints: `### GET /notes\n\n- Does: list Note\n- Pagination: page (page: page, size: size)\n- Returns: 200 list of Note${inputs('a | query | string | sent as "page" | this.text == query.a')}`,
    },
    1,
  ],
  [
    "a name of a page that is sent in the body",
    {
      resources: note,
      endpoints: `### GET /notes\n\n- Does: list Note\n- Pagination: page (page: page, size: size)\n- Returns: 200 list of Note${inputs('a | query | string | sent as "pages" | this.text == query.a')}`,
    },
    0,
  ],
]);

const genres = (identifier: string, fields: readonly string[], table: string): Parts => ({
  resources: `### Genre\n\n- Identifier: ${identifier}\n\n| Field | Type | Rules |\n|---|---|---|\n${fields.map((row) => `| ${row} |`).join("\n")}\n\n### Records of Genre\n\n${table}`,
  endpoints: "",
});
each("resources/duplicate-record", [
  [
    "an equal decimal",
    genres(
      "code, given",
      ["code | string |", "price | decimal | unique"],
      "| code | price |\n|---|---|\n| a | 1.50 |\n| b | 1.5 |",
    ),
    1,
  ],
  [
    "the same text in another case",
    genres("code, given", ["code | string | any case"], "| code |\n|---|\n| a |\n| A |"),
    1,
  ],
  [
    "texts that differ in case",
    genres("code, given", ["code | string |"], "| code |\n|---|\n| a |\n| A |"),
    0,
  ],
  [
    "no value twice",
    genres(
      "code, given",
      ["code | string |", "price | decimal | unique"],
      "| code | price |\n|---|---|\n| a | |\n| b | |",
    ),
    0,
  ],
  [
    "a pair of fields",
    genres(
      "code, given\n- Unique: shelf, place",
      ["code | string |", "shelf | string |", "place | integer |"],
      "| code | shelf | place |\n|---|---|---|\n| a | x | 1 |\n| b | x | 2 |\n| c | x | 1 |",
    ),
    1,
  ],
]);

each("resources/record-refused", [
  [
    "a `Fails` that is true",
    genres(
      "code, given\n- Fails: invalid on place when `this.place > 2`",
      ["code | string |", "place | integer |"],
      "| code | place |\n|---|---|\n| a | 2 |\n| b | 3 |",
    ),
    1,
  ],
  [
    "a rule over a computed field",
    genres(
      "code, given\n- Always: `this.twice < 5`",
      ["code | string |", "place | integer |", "twice | integer | = `this.place * 2`"],
      "| code | place |\n|---|---|\n| a | 2 |\n| b | 3 |",
    ),
    1,
  ],
  [
    "a rule over a default value",
    genres(
      "code, given\n- Always: `this.place > 2`",
      ["code | string |", "place | integer | default `3`"],
      "| code |\n|---|\n| a |",
    ),
    0,
  ],
  [
    "a rule that a default value breaks",
    genres(
      'code, given\n- Always: `this.place > 3 && this.name != "Old"`',
      ["code | string |", "place | integer | default `3`", 'name | string | trimmed, default `" Old "`'],
      "| code | place |\n|---|---|\n| a | 4 |",
    ),
    1,
  ],
  [
    "a rule that a constant list breaks",
    genres(
      "code, given\n- Always: `size(this.places) > 0`",
      ["code | string |", "places | list of integer | default `[]`"],
      "| code |\n|---|\n| a |",
    ),
    1,
  ],
  [
    "a rule over a value that chance gives",
    genres(
      "code, given\n- Always: `size(this.token) == 1`",
      ["code | string |", "token | string | default `uuid()`"],
      "| code |\n|---|\n| a |",
    ),
    0,
  ],
  [
    "a rule over a field without a value",
    genres(
      "code, given\n- Always: `this.place != null`",
      ["code | string |", "place | integer |"],
      "| code |\n|---|\n| a |",
    ),
    1,
  ],
  [
    "a rule over another record",
    genres(
      "code, given\n- Always: `this.parent.place > 2`",
      ["code | string |", "place | integer |", "parent | Genre |"],
      "| code | place | parent |\n|---|---|---|\n| a | 1 | a |",
    ),
    0,
  ],
]);

each("resources/record-reference", [
  [
    "a known record",
    genres(
      "code, given",
      ["code | string |", "parent | Genre |"],
      "| code | parent |\n|---|---|\n| a | |\n| b | a |",
    ),
    0,
  ],
  [
    "a later record",
    genres(
      "code, given",
      ["code | string |", "parent | Genre |"],
      "| code | parent |\n|---|---|\n| a | b |\n| b | |",
    ),
    0,
  ],
  [
    "an unknown record",
    genres(
      "code, given",
      ["code | string |", "parent | Genre |"],
      "| code | parent |\n|---|---|\n| a | |\n| b | c |",
    ),
    1,
  ],
]);

each("resources/record-reference", [
  [
    "a record of a resource whose identifier is not shown",
    {
      resources: `### Genre\n\n- Identifier: not shown\n\n| Field | Type | Rules |\n|---|---|---|\n| code | string | |

### Kind\n\n- Identifier: name, given\n\n| Field | Type | Rules |\n|---|---|---|\n| name | string | |\n| genre | Genre | |

### Records of Kind\n\n| name | genre |\n|---|---|\n| a | x |`,
      endpoints: "",
    },
    0,
  ],
]);

const never = (condition: string, endpoints: string, parts: Parts = {}): Parts => ({
  resources: `${users}\n\n${resource("Note", ["text | string | unique", "owner | User | on delete restrict"])}`,
  endpoints,
  errors: `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| x | 409 | ${condition} | |`,
  authentication: key,
  ...parts,
});
const make = "### POST /notes\n\n- Does: create Note\n- Body: text, owner?\n- Returns: 201 Note";
const states = `### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | closed | call |`;
const close = "### POST /notes/{id}/close\n\n- Does: close Note\n- Returns: 200 Note";
const quota = (name: string) => `| Limit | Bound | Applies to |\n|---|---|---|\n| stored | 5 ${name} | |`;
each("errors/never-matched", [
  ["a unique field", never("duplicate of Note.text", make), 0],
  ["a field that is not unique", never("duplicate of Note.owner", make), 1],
  [
    "a referred resource",
    never(
      "in use of User",
      `${make}\n\n### DELETE /users/{id}\n\n- Does: delete User\n- Returns: 204 nothing`,
    ),
    0,
  ],
  ["a resource that nothing refers to", never("in use of Note", make), 1],
  ["a transition", never("illegal transition of Note", `${make}\n\n${close}`, { states }), 0],
  ["the guard of a transition", never("guard failed of Note", `${make}\n\n${close}`, { states }), 0],
  ["no transition", never("guard failed of Note", make), 1],
  [
    "a parameter of a list",
    never(
      "not found of Note",
      `${make}\n\n### GET /notes/{text}/like\n\n- Does: list Note\n- Where: \`this.text != path.text\`\n- Pagination: none\n- Returns: 200 list of Note`,
    ),
    0,
  ],
  [
    "a list",
    never(
      "not found of Note",
      `${make}\n\n### GET /notes\n\n- Does: list Note\n- Pagination: none\n- Returns: 200 list of Note`,
    ),
    1,
  ],
  ["a limit of stored records", never("quota exceeded of Note", make, { limits: quota("Note") }), 0],
  ["a limit of other stored records", never("quota exceeded of Note", make, { limits: quota("User") }), 1],
]);

const stateField = (field: string): Parts => ({
  resources:
    "### Note\n\n- Identifier: code, given\n\n| Field | Type | Rules |\n|---|---|---|\n| code | string | |",
  states: states.replace("State field: status", `State field: ${field}`),
  endpoints: "",
});
each("states/identifier-as-state", [
  ["the identifier", stateField("code"), 1],
  ["another field", stateField("status"), 0],
]);

const webhooks = (to: string, when = ""): Parts => ({
  resources: `${users}\n\n${resource("Note", ["text | string |", "owner | User |"], "- Visible: `this.owner == caller`\n")}\n\n${resource("Hook", ["owner | User | on create `caller`", "url | uri |"], "- Visible: `this.owner == caller`\n")}`,
  endpoints:
    "### POST /notes\n\n- Does: create Note\n- Body: text\n- Returns: 201 Note\n\n### POST /hooks\n\n- Does: create Hook\n- Body: url\n- Returns: 201 Hook",
  events: `| Event | When | Payload | To |\n|---|---|---|---|\n| made | Note created | Note | ${to} |\n\n- Webhooks: to Hook.url${when}\n- Signature: none\n- Notifications: none`,
  authentication: key,
});
each("events/unfiltered-webhooks", [
  ["the webhooks of all events", webhooks(""), 1],
  ["no webhook", webhooks("none"), 0],
  ["with a condition", webhooks("", " when `hook.owner == note.owner`"), 0],
]);

const made = (by: string, set: string): Parts => ({
  resources: `### Note\n\n- Identifier: code, made by \`${by}\`\n\n| Field | Type | Rules |\n|---|---|---|\n| code | string | |\n| text | string | |`,
  endpoints: `### POST /notes\n\n- Does: create Note\n- Set: \`text = ${set}\`\n- Returns: 201 Note`,
});
each("endpoints/set-circle", [
  ["an identifier made of the field", made("slug(this.text)", "this.code"), 1],
  ["an identifier made of nothing", made("random(8)", "this.code"), 0],
  ["an identifier made of the field, which does not read it", made("slug(this.text)", '"a"'), 0],
]);

const hooks = (does: string): Parts => ({
  resources:
    "### Hook\n\n- Identifier: name, given\n\n| Field | Type | Rules |\n|---|---|---|\n| name | string | |\n| url | uri | |",
  endpoints: `### /hooks/{name}\n\n- Is: Hook\n\n### PUT /hooks/{name}\n\n- Does: ${does}\n- Body: url?\n${does === "create Hook" ? "- Set: `name = path.name`\n" : ""}- Returns: 204 nothing`,
});
each("endpoints/made-where-found", [
  ["a create", hooks("create Hook"), 1],
  ["an upsert", hooks("upsert Hook"), 0],
  ["an update", hooks("update Hook"), 0],
]);

const cursors = (returns: string, does = "list Note"): Parts => ({
  resources: note,
  endpoints: `### GET /notes\n\n- Does: ${does}\n- Pagination: cursor (size: limit, after: after)\n${returns}`,
});
each("endpoints/next-page-unknown", [
  ["a list", cursors("- Returns: 200 list of Note"), 1],
  [
    "a page with the cursor",
    cursors('- Returns: 200 `{"items": page.items.map(n, Note(n)), "next": page.next}`'),
    0,
  ],
  ["an open response", cursors("- Returns: not shown"), 0],
]);

/** A record with many fields, most of them in values within a list or a map. */
const many = (type: string, more: number): Parts => {
  const rows = (count: number, of: string) =>
    Array.from({ length: count }, (_, at) => `| f${at} | ${of} | |`).join("\n");
  const value = (name: string, table: string) =>
    `### ${name}\n\n- Identifier: none\n\n| Field | Type | Rules |\n|---|---|---|\n${table}`;
  return {
    resources: `${value("Leaf", rows(99, "string"))}\n\n${value("Branch", `${rows(100, type)}${more === 0 ? "" : "\n| more | string | |"}`)}`,
    endpoints: "",
  };
};
each("resources/too-many-fields", [
  ["10,000 in values", many("Leaf", 0), 0],
  ["10,001 in values", many("Leaf", 1), 1],
  ["10,001 in lists", many("list of Leaf", 1), 1],
  ["10,001 in maps", many("map of Leaf", 1), 1],
  ["10,000 in lists", many("list of Leaf", 0), 0],
]);

const times = (effect: string): Parts => ({
  resources: `${note}\n\n${resource("Log", ["note | Note |", "text | string |", "size | integer |"])}`,
  states: states.replaceAll("Note", "Log"),
  endpoints: `### POST /answers\n\n- Does: answer\n- Effect: \`${effect}\`\n- Returns: 204 nothing`,
});
each("expressions/too-much-work", [
  ["a transition of many", times("do close on Log where Log.exists(l, size(l.text + this.text) == 9)"), 1],
  [
    "a transition of few",
    times("do close on Log where this.id == 1 && Log.exists(l, size(l.text + this.text) == 9)"),
    0,
  ],
  [
    "a transition of many in an order",
    times("do close on Log where this.size > 0, first 2 by Log.count(l, size(l.text + this.text) == 9)"),
    1,
  ],
]);

/** The hints about parents that nothing looks up. */
function parentHints(
  items: string,
  path: string,
  rows: string,
  inputRows = "",
): readonly (string | undefined)[] {
  const resources = `### Shelf\n\n- Identifier: code, given\n\n| Field | Type | Rules |\n|---|---|---|\n| code | string | |\n| name | string | unique |\n\n${rows}`;
  const endpoints = `### GET ${path}\n\n- Does: list Note\n${items}\n- Pagination: none\n- Returns: 200 list of Note${inputRows}`;
  const { diagnostics } = compile(smallDocument({ resources, endpoints }), { file: "document.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
  return diagnostics.filter(({ code }) => code === "endpoints/parent-not-looked-up").map(({ hint }) => hint);
}

for (const [where, path, hint] of [
  [
    "this.shelf == path.code",
    "/shelves/{code}/notes",
    "Add `### /shelves/{code}`, and under it `- Is: Shelf`.",
  ],
  [
    "this.shelf.code == path.code",
    "/shelves/{code}/notes",
    "Add `### /shelves/{code}`, and under it `- Is: Shelf`.",
  ],
  [
    "this.shelf.name == path.name",
    "/shelves/{name}/notes",
    "Add `### /shelves/{name}`, and under it `- Is: Shelf`.",
  ],
  [
    "this.shelf == path.name",
    "/shelves/{name}/notes",
    "Add `### /shelves/{name}`, and under it `- Is: Shelf` and `- Where: this.code == path.name`.",
  ],
  [
    "this.shelf.code == path.name",
    "/shelves/{name}/notes",
    "Add `### /shelves/{name}`, and under it `- Is: Shelf` and `- Where: this.code == path.name`.",
  ],
  [
    "this.shelf.name == path.code",
    "/shelves/{code}/notes",
    "Add `### /shelves/{code}`, and under it `- Is: Shelf` and `- Where: this.name == path.code`.",
  ],
  [
    "lower(path.code) == this.shelf.code",
    "/shelves/{code}/notes",
    "Add `### /shelves/{code}`, and under it `- Is: Shelf`.",
  ],
  ['path.code.replace("a", "b") == this.shelf.code', "/shelves/{code}/notes", undefined],
] as const)
  test(`a parent that nothing looks up: ${where} of ${path}`, () => {
    const rows = resource("Note", ["shelf | Shelf |", "text | string |"]);
    assert.deepEqual(parentHints(`- Where: \`${where}\``, path, rows), hint === undefined ? [] : [hint]);
  });

test("an unused shape of a resource may be renamed to be its default", () => {
  const hints = (name: string) =>
    compile(
      smallDocument({
        endpoints: `${read}\n\n### Shape: ${name}\n\n\`\`\`cel\n{"a": 1}\n\`\`\``,
        resources: note,
        errors: late,
      }),
      {
        file: "document.md",
      },
    )
      .diagnostics.filter(({ code }) => code === "endpoints/unused-shape")
      .map(({ hint }) => hint);
  assert.deepEqual(hints("Whole"), ["Name it where it should be returned, or remove it."]);
  assert.match(hints("Whole of Note")[0] ?? "", /rename it to `Note` to return every Note so/);
});

function tokens(items: string): Parts {
  return {
    resources: resource("User", ["word | password | write-only", "name | string |"]),
    endpoints: `### PUT /users/{id}\n\n- Does: update User\n${items}\n- Returns: 204 nothing${inputs("next | body | string | | none")}`,
    authentication:
      "### Scheme: key\n\n- Placement: header Authorization, after Bearer\n- Credentials: User by id, from claim sub\n- Signed with: HS256, secret env SECRET",
  };
}
each("authentication/token-outlives-password", [
  ["a Set of the password", tokens("- Set: `word = body.next`"), 1],
  ["a Set of another field", tokens("- Set: `name = body.next`"), 0],
  ["a part of the body", tokens("- Body: word\n- Set: `name = body.next`"), 1],
]);

each("expressions/record-as-json", [
  [
    "initial records with the columns `field` and `value`",
    genres(
      "code, given",
      ["code | string |", "field | string |", "value | string |", "data | json |"],
      "| code | field | value |\n|---|---|---|\n| a | data | b |",
    ),
    0,
  ],
]);
