/** Required inputs: the response lists each missing input that a record needs, and no other. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Note

- Identifier: key, made by \`slug(this.title)\`

| Field | Type | Rules |
|---|---|---|
| key | string | |
| title | string | |
| name | string | |
| city | string | |

### Address

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| city | string | |

### Pair

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| left | string | required |
| right | string | required |

### Log

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| note | string | |`;

/**
 * By case: the inputs, the fields set from them, and the names reported as missing for an empty
 * request.
 */
const cases: Record<
  string,
  {
    readonly items: string;
    readonly rows?: string;
    readonly code?: string;
    readonly of?: string | null;
    readonly missing: string[];
  }
> = {
  "the input from which the identifier is created": {
    items: "- Does: create Note\n- Body: title?, name?",
    of: "note",
    missing: ["title"],
  },
  "the input of the field that it sets, of two records' fields of the same name": {
    items:
      '- Does: create Note\n- Body: name?\n- Set: `title = "t"`\n- Effect: `create Log with name = trim(body.label)`',
    rows: "| label | body | string | | |",
    of: "note",
    missing: ["label"],
  },
  "the input that contains the part that is read": {
    items:
      "- Does: create Log\n- Let: city = `body.other`\n- Set: `note = city; name = trim(body.address.city)`",
    rows: "| address | body | Address | | |\n| other | body | string | | |",
    missing: ["address"],
  },
  "only the part that an expression reads": {
    items: "- Does: create Log\n- Set: `name = trim(body.address.city)`",
    rows: "| address.city | body | string | | |\n| address.street | body | string | | |",
    missing: ["address.city"],
  },
  "a header, and no input of the same name elsewhere": {
    items: '- Does: create Log\n- Set: `name = trim(headers["x-name"])`',
    rows: "| X-Name | header | string | | | none |\n| x-name | body | string | | |\n| x-name | query | string | | |",
    missing: ["X-Name"],
  },
  "an input of the query, and no input of the body": {
    items: "- Does: create Log\n- Set: `name = trim(query.label)`",
    rows: "| label | body | string | | |\n| label | query | string | | |\n| LABEL | header | string | | | none |",
    missing: ["label"],
  },
  "an input by the code of the field that it sets": {
    items: "- Does: create Log",
    rows: "| label | body | | | name |",
    code: "nameless",
    missing: ["label"],
  },
  "all that a new record needs": {
    items: "- Does: create Pair",
    rows: "| one | body | | | left |\n| two | body | | | right |\n| three | body | string | | | none |",
    of: "pair",
    missing: ["one", "two"],
  },
  "an input that is added to the field itself": {
    items: '- Does: create Log\n- Set: `name = "x"`\n- Effect: `name = this.name + body.label`',
    rows: "| label | body | string | | |",
    missing: ["label"],
  },
  "an input from which an endpoint without a resource creates a record": {
    items: "- Does: answer\n- Effect: `create Log with name = trim(body.label)`",
    rows: "| label | body | string | | |",
    of: null,
    missing: ["label"],
  },
  "an argument that a transition assigns, and no other argument": {
    items:
      '- Does: create Log\n- Set: `name = "x"`\n- Effect: `do relabel on Log where true with word = body.one, why = body.two`',
    rows: "| one | body | string | | |\n| two | body | string | | |",
    missing: ["one"],
  },
  "all inputs of a value, through `Let` and other fields": {
    items:
      "- Does: create Log\n- Let: a = `body.one + body.two`\n- Set: `note = a; name = this.note + body.three`",
    rows: "| one | body | string | | |\n| two | body | string | | |\n| three | body | string | | |\n| four | body | string | | | none |",
    missing: ["one", "two", "three"],
  },
};

const states = `### Log

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| relabel | any | same | call | | \`name = trim(body.word); note = body.why\` |`;

const errors = `- Payload shape:

\`\`\`cel
{"code": error.code, "of": error.resource, "all": error.problems.map(p, p.field)}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| nameless | 422 | missing field Log.name | |
| missing | 422 | missing field | |
| wrong | 500 | internal | |`;

for (const [what, { items, rows, code = "missing", of = "log", missing }] of Object.entries(cases))
  test(`${what} is reported`, async (t: TestContext) => {
    const table = rows
      ? `\n\n| Input | In | Type | Rules | Field | Where |\n|---|---|---|---|---|---|\n${rows}`
      : "";
    const endpoints = `### POST /made\n\n${items}\n- Returns: 201 nothing${table}`;
    const served = await serveDocument(smallDocument({ resources, states, endpoints, errors }));
    t.after(() => served.close());
    const { json } = await served.send("POST", "/made", { body: {} });
    assert.deepEqual(json, { code, of, all: missing });
  });
