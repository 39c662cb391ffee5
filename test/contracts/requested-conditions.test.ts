/** Conditions that requests write (`Where: any of …`), over HTTP: what they select, and what is rejected. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import { serviceOf } from "./handlers-service.ts";

/** A computed field whose statement is so long that a hundred of them exceed the longest statement. */
const lengthy = Array.from({ length: 120 }, (_, at) => `this.name.substring(0, ${at + 1})`).join(" + ");

const document = `# Interface Specification: People

## What the service does

- Purpose: none
- Domain: none
- Behaviour: none

## Resources and their fields

### Team

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |

### Person

- Identifier: id, made by \`sequence()\`
- Visible: \`!this.hidden\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, trimmed |
| nick | string | any case |
| email | email | lower case |
| age | integer | |
| rate | decimal | |
| height | number | |
| active | boolean | |
| hidden | boolean | default \`false\` |
| born | date | |
| seen_at | timestamp | |
| nap | duration | |
| kind | one of guest, member | |
| team | Team | |
| tags | list of string | |
| scores | list of integer | |
| status | state | |
| initial | string | \`= this.name.substring(0, 1)\` |
| sign | string | \`= hex(hash("sha256", this.name))\` |
| line | string | = \`${lengthy}\` |
| pin | string | write-only |

## States and transitions

### Person

- State field: status
- Initial state: new

| Transition | From | To | Trigger |
|---|---|---|---|
| greet | new | greeted | call |

## Endpoints

- Timestamps: seconds
- Functions: \`narrow(json): condition\`, \`read(string): condition\`, \`either(json, string): condition\`

### POST /teams

- Does: create Team
- Body: name
- Returns: 201 Team

### POST /people

- Does: create Person
- Body: name, nick?, email?, age?, rate?, height?, active?, hidden?, born?, seen_at?, nap?, kind?, team?, tags?, scores?
- Returns: 201 Person

### POST /people/{id}/greet

- Does: greet Person
- Returns: 200 Person

### POST /people/search

- Does: list Person
- Where: any of name, nick, email, age, rate, height, active, born, seen_at, nap, kind, team, tags, scores, status, initial, sign, line by narrow(body.filter)
- Where: \`this.name != "Old"\`
- Order: any of name, age by body.sort, else id
- Pagination: cursor (size: limit, at: after)
- Returns: 200 Page of Person

| Input | In | Type |
|---|---|---|
| filter | body | json |
| sort | body | string |

### GET /people

- Does: list Person
- Query: kind?
- Where: any of name, age by \`read(query.filter)\`
- Order: id
- Pagination: none
- Returns: 200 list of Person

| Input | In | Type |
|---|---|---|
| filter | query | string |

### POST /people/promote

- Does: update every Person
- Where: any of name, age by either(body.filter, "age")
- Set: kind = "member"
- Returns: 204 nothing

| Input | In | Type |
|---|---|---|
| filter | body | json |

### POST /people/remove

- Does: delete every Person
- Where: any of name, age by narrow(body.filter)
- Fails: no_filter when \`body.filter == null\`
- Returns: 204 nothing

| Input | In | Type |
|---|---|---|
| filter | body | json |

### Shape: Page

\`\`\`cel
{"ids": page.items.map(p, p.id), "total": page.total, "next": page.next}
\`\`\`

## Authentication

- Scheme: none

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Payload shape:

\`\`\`cel
{"code": error.code, "field": error.field, "problem": error.problem}
\`\`\`

| Code | Status | When |
|---|---|---|
| invalid | 422 | invalid field |
| no_filter | 400 | |

## Limits

- Rate limits: none
- Size limits: none
- Time-outs: none
- Pagination bounds: none

## Versioning

- Scheme: none
- Compatibility: none
`;

/** `age>=18` as a condition. */
function comparisonIn(text: string): unknown {
  const [, field, is, value] = /^(\w+)(==|!=|<=|>=|<|>)(.*)$/.exec(text) ?? [];
  return field === undefined ? { invalid: "is not a comparison" } : { field, is, value };
}

const handlers: HandlerModule = {
  functions: {
    narrow: (tree: unknown) => tree,
    read: (text: string) => comparisonIn(text),
    either: (tree: unknown, field: string) => ({
      and: [tree, { field, is: "!=", value: null }],
    }),
  },
};

const people = [
  { name: "Ada", nick: "ADA", email: "Ada@Example.com", age: 36, rate: "12.50", height: 1.7, active: true },
  { name: "Bob", nick: "bobby", age: 18, rate: "9.9", active: false, kind: "guest", tags: ["x", "y"] },
  { name: "Cäsar", age: 55, kind: "member", tags: [], scores: [1, 2], born: "1971-03-04" },
  { name: "dora", seen_at: "2026-11-20T10:00:00Z", nap: "1m30s", kind: "member", tags: ["y"] },
  { name: "100% Eve_", age: 18, seen_at: "2026-11-20T10:00:01Z", nap: "2m", born: "2001-01-01" },
];

async function peopleService(module: HandlerModule = handlers) {
  const service = await serviceOf(module, document);
  const { send } = service;
  for (const name of ["Red", "Blue"]) assert.equal((await send("POST", "/teams", { name })).status, 201);
  for (const [at, person] of people.entries())
    assert.equal((await send("POST", "/people", { ...person, team: (at % 2) + 1 })).status, 201);
  assert.equal((await send("POST", "/people", { name: "Hid", age: 20, hidden: true })).status, 201);
  assert.equal((await send("POST", "/people", { name: "Old", age: 99 })).status, 201);
  const search = (filter: unknown, more: object = {}) =>
    send("POST", "/people/search", { ...(filter === undefined ? {} : { filter }), ...more });
  return { ...service, search };
}

const is = (field: string, operator: string, value: unknown, more: object = {}) => ({
  field,
  is: operator,
  value,
  ...more,
});

test("a condition selects the records for which it is true, in both readings of each type", async () => {
  const { search, logged } = await peopleService();
  const expected: readonly (readonly [tree: unknown, ids: readonly number[]])[] = [
    [undefined, [1, 2, 3, 4, 5]],
    [is("name", "==", "Ada"), [1]],
    [is("name", "==", " Ada "), [1]],
    [is("name", "==", "ada"), []],
    [is("name", "==", "ada", { ignoreCase: true }), [1]],
    [is("name", "!=", "Ada"), [2, 3, 4, 5]],
    [is("name", "<", "C"), [1, 2, 5]],
    [is("nick", "==", "ada"), [1]],
    [is("nick", "!=", "ada"), [2, 3, 4, 5]],
    [is("nick", "in", ["Ada", "BOBBY"]), [1, 2]],
    [is("email", "==", "ADA@example.com"), [1]],
    [is("age", "==", 18), [2, 5]],
    [is("age", "==", "18"), [2, 5]],
    [is("age", "!=", "18"), [1, 3, 4]],
    [is("age", ">=", "36"), [1, 3]],
    [is("age", "<", 36), [2, 5]],
    [is("age", "==", null), [4]],
    [is("age", "!=", null), [1, 2, 3, 5]],
    [is("age", "in", ["18", 55]), [2, 3, 5]],
    [is("age", "in", []), []],
    [{ not: is("age", "<", 36) }, [1, 3, 4]],
    [is("rate", "==", "12.5"), [1]],
    [is("rate", ">", "9.90"), [1]],
    [is("rate", "in", ["9.900"]), [2]],
    [is("height", ">", "1.5"), [1]],
    [is("active", "==", "true"), [1]],
    [is("active", "==", false), [2]],
    [is("active", "!=", true), [2, 3, 4, 5]],
    [is("born", "<", "2000-01-01"), [3]],
    [is("seen_at", "==", "2026-11-20T10:00:00Z"), [4]],
    [is("seen_at", ">", "2026-11-20T11:00:00+01:00"), [5]],
    [is("seen_at", "in", ["2026-11-20T10:00:00Z", "2026-11-20T10:00:01Z"]), [4, 5]],
    [is("seen_at", "!=", "2026-11-20T10:00:00Z"), [1, 2, 3, 5]],
    [is("nap", ">=", "100s"), [5]],
    [is("kind", "==", "guest"), [2]],
    [is("kind", "in", ["guest", "member"]), [2, 3, 4]],
    [is("team", "==", 2), [2, 4]],
    [is("team", "==", "2"), [2, 4]],
    [is("team", "==", 7), []],
    [is("tags", "contains", "y"), [2, 4]],
    [is("tags", "==", null), [1, 5]],
    [is("scores", "contains", "2"), [3]],
    [is("status", "==", "new"), [1, 2, 3, 4, 5]],
    [is("status", "==", "greeted"), []],
    [is("initial", "==", "A"), [1]],
    [is("sign", "startsWith", "0"), []],
    [is("sign", "matches", "^[0-9a-f]{64}$"), [1, 2, 3, 4, 5]],
    [is("name", "contains", "% E"), [5]],
    [is("name", "contains", "_"), [5]],
    [is("name", "contains", "O", { ignoreCase: true }), [2, 4]],
    [is("name", "startsWith", "CÄ", { ignoreCase: true }), [3]],
    [is("name", "endsWith", "a"), [1, 4]],
    [is("name", "matches", "^[A-C]..$"), [1, 2]],
    [is("name", "matches", "^[a-c]..$", { ignoreCase: true }), [1, 2]],
    [{ and: [is("age", ">=", 18), is("age", "<", 50)] }, [1, 2, 5]],
    [{ or: [is("age", "==", 55), is("name", "==", "dora")] }, [3, 4]],
    [{ or: [] }, []],
    [{ and: [] }, [1, 2, 3, 4, 5]],
    [
      { not: { or: [is("age", "==", 55), { and: [is("kind", "==", "member"), is("nap", "!=", null)] }] } },
      [1, 2, 5],
    ],
  ];
  for (const [tree, ids] of expected) {
    const { status, json } = await search(tree);
    assert.deepEqual(
      { status, ids: json.ids, total: json.total },
      { status: 200, ids, total: ids.length },
      JSON.stringify(tree),
    );
  }
  assert.deepEqual(logged, []);
});

test("what a condition must not name, and what a field can't have, is an invalid field", async () => {
  const { search, send, logged } = await peopleService();
  const deep = (levels: number): unknown => (levels === 0 ? is("age", "==", 1) : { not: deep(levels - 1) });
  const invalid: readonly (readonly [tree: unknown, problem: RegExp])[] = [
    [is("pin", "==", "1"), /^has "pin", and must be of name, nick/],
    [is("hidden", "==", true), /^has "hidden", and must be of/],
    [is("#row", "==", 1), /^has "#row"/],
    [is('name" OR 1=1 --', "==", 1), /^has "name" OR/],
    [is("__proto__", "==", 1), /^has "__proto__"/],
    [is("age", "==", "old"), /^has "age", which must be an integer/],
    [is("age", "==", 1.5), /^has "age", which must be an integer/],
    [is("age", "==", { a: 1 }), /^has "age", which must be an integer/],
    [is("age", "<", null), /^has "age", which can't be compared with null/],
    [is("age", "in", [null]), /^has "age", which can't be compared with null/],
    [is("age", "contains", "1"), /^has "age", which is not a text/],
    [is("name", "==", 1), /^has "name", which must be a string/],
    [is("name", "contains", 1), /^has "name", which can only be compared with a text/],
    [is("name", "matches", "("), /^has "name", which must match a pattern in RE2 syntax/],
    [is("name", "matches", "(a)\\1"), /^has "name", which must match a pattern/],
    [is("kind", "==", "boss"), /^has "kind", which must be one of/],
    [is("status", "==", "gone"), /^has "status", which must be one of/],
    [is("seen_at", ">", "yesterday"), /^has "seen_at", which must be/],
    [is("team", "==", "red"), /^has "team", which must be the identifier/],
    [is("team", "<", 2), /^has "team", which has no order/],
    [is("tags", "==", "x"), /^has "tags", which is a list/],
    [is("scores", "contains", "x"), /^has "scores", which must be an integer/],
    [{ or: [is("age", "==", 1), { invalid: "is nonsense" }] }, /^is nonsense$/],
    [deep(16), /^is nested deeper than 16 levels$/],
    [{ and: Array.from({ length: 101 }, () => is("age", "==", 1)) }, /^has more than 100 comparisons$/],
    [
      is(
        "age",
        "in",
        Array.from({ length: 1001 }, () => 1),
      ),
      /^has more than 1000 values$/,
    ],
  ];
  for (const [tree, problem] of invalid) {
    const { status, json } = await search(tree);
    assert.deepEqual(
      [status, json.code, json.field],
      [422, "invalid", "filter"],
      JSON.stringify(tree).slice(0, 200),
    );
    assert.match(json.problem, problem);
  }
  assert.equal((await search(deep(15))).status, 200);
  const many = { or: Array.from({ length: 100 }, (_, age) => is("age", "==", age)) };
  assert.deepEqual((await search(many)).json.ids, [1, 2, 3, 5]);
  const long = await search({ or: Array.from({ length: 100 }, () => is("line", "==", "x")) });
  assert.deepEqual([long.status, long.json.field, long.json.problem], [422, "filter", "is too long"]);
  assert.equal((await search(is("line", "startsWith", "A"))).status, 200);
  const unread = await send("GET", "/people?filter=nonsense");
  assert.deepEqual(
    [unread.status, unread.json.field, unread.json.problem],
    [422, "filter", "is not a comparison"],
  );
  const other = await send("GET", "/people?filter=nick==ada");
  assert.match(other.json.problem, /^has "nick", and must be of name, age$/);
  assert.deepEqual(logged, []);
});

test("a condition is evaluated with other filters, visibility and the order", async () => {
  const { send, search } = await peopleService();
  const named = async (target: string) =>
    (await send("GET", target)).json.map(({ name }: { readonly name: string }) => name);
  assert.deepEqual(await named("/people?filter=age%3E=18"), ["Ada", "Bob", "Cäsar", "100% Eve_", "Old"]);
  assert.deepEqual(await named("/people?filter=age%3E=18&kind=member"), ["Cäsar"]);
  assert.deepEqual(await named("/people?kind=member"), ["Cäsar", "dora"]);
  const { json } = await search(is("age", "!=", null), { sort: "-age,name" });
  assert.deepEqual(json.ids, [3, 1, 5, 2]);
});

test("a cursor continues only the list of its own condition", async () => {
  const { search, send } = await peopleService();
  const first = await search(is("age", ">=", 18), { limit: 2 });
  assert.deepEqual(first.json.ids, [1, 2]);
  const rest = await search(is("age", ">=", 18), { limit: 2, after: first.json.next });
  assert.deepEqual([rest.json.ids, rest.json.next], [[3, 5], null]);
  for (const filter of [is("age", ">=", 17), is("age", ">", 18), undefined]) {
    const { status, json } = await search(filter, { after: first.json.next });
    assert.deepEqual([status, json.field], [422, "after"]);
  }
  const forged = await send("POST", "/people/search", { after: "x" });
  assert.equal(forged.status, 422);
});

test("updates and deletes of every record act on those that the condition selects", async () => {
  const { send, search } = await peopleService();
  const kinds = async () => (await send("GET", "/people?kind=member")).json.map((p: { id: number }) => p.id);
  assert.deepEqual(await kinds(), [3, 4]);
  assert.equal((await send("POST", "/people/promote", { filter: is("age", "<", 30) })).status, 204);
  assert.deepEqual(await kinds(), [2, 3, 4, 5]);
  assert.equal((await send("POST", "/people/promote", { filter: is("pin", "==", "1") })).status, 422);
  assert.equal((await send("POST", "/people/remove", {})).status, 400);
  assert.equal((await send("POST", "/people/remove", { filter: is("age", "==", 18) })).status, 204);
  assert.deepEqual((await search(undefined)).json.ids, [1, 3, 4]);
});

test("a tree that isn't a condition is a mistake of the module: internal, logged, and nothing is selected", async () => {
  const wrong = [
    undefined,
    1,
    [],
    {},
    { field: "age" },
    { field: "age", is: "==" },
    { field: "age", is: "=", value: 1 },
    { field: "age", is: "in", value: 1 },
    { field: "age", is: "==", value: 1, ignorecase: true },
    { field: 1, is: "==", value: 1 },
    { and: {} },
    { and: [], or: [] },
    { and: [undefined] },
    { not: null },
    { field: "age", is: "==", value: 1n },
    Promise.resolve(null),
  ];
  let answer: unknown;
  const { search, logged } = await peopleService({ functions: { narrow: () => answer, read: () => null } });
  for (answer of wrong) {
    const { status } = await search({});
    assert.equal(status, 500);
  }
  assert.equal(
    logged.filter(({ message }) => message.includes("function of the handlers' module")).length,
    wrong.length,
  );
  for (answer of [is("name", "==", "a\0"), is("name", "in", ["\ud800"])])
    assert.match((await search({})).json.problem, /^has "name", which can't be compared with such a text$/);
  answer = null;
  assert.deepEqual((await search({})).json.ids, [1, 2, 3, 4, 5]);
});

test("conditions of more structures than a list keeps prepared are answered", async () => {
  const { search } = await peopleService();
  const names = ["name", "nick", "age", "rate", "height", "kind", "initial", "born"];
  for (let number = 1; number < 300; number += 1) {
    const chosen = names.filter((_, at) => (number >> at) % 2 === 1);
    const tree = { or: [...chosen.map((field) => is(field, "==", null)), is("age", "==", number)] };
    assert.equal((await search(tree)).status, 200);
  }
  assert.deepEqual((await search(is("age", "==", 36))).json.ids, [1]);
});
