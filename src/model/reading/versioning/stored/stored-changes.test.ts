/** Stored changes of part 9: their model, the form before each, and their mistakes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../../../compile.ts";
import { bindForEach } from "../../../stored/bind-for-each.ts";
import { storedFormOf } from "../../../stored/form.ts";
import { formsOf } from "../../../stored/walk-back.ts";
import type { Model } from "../../../model.ts";

const resources = `
### User

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| full_name | string | required |
| first | string | |
| last | string | |
| email | email | unique, nullable |
| country | string | required |
| address | Address | |
| home | Place | nullable |
| shown | string | = \`this.full_name\` |

### Address

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| street | string | required |

### Place

- Identifier: none

| Field | Type |
|---|---|
| town | string |

### Category

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |

### Ticket

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| owner | User | |
| category | Category | |
| priority | one of low, medium | |
| status | state | |
| cents | integer | |
| lines | list of object | |
| lines[].cost | integer | |
`;

function document(part9: string, part2 = resources): string {
  return `# Interface Specification: Desk

## What the service does

- Purpose: helps.

## Resources and their fields
${part2}
## States and transitions

### Ticket

- State field: status
- Initial state: new

| Transition | From | To | Trigger |
|---|---|---|---|
| take | new | assigned | call |

## Endpoints

- Functions: route(string): string

## Authentication

- Scheme: none

## Events

## Errors

## Limits

## Versioning

${part9}
`;
}

/** The mistakes, each as its code and the text at its position. */
function mistakes(part9: string, part2?: string): readonly string[] {
  const text = document(part9, part2);
  return compile(text, { file: "desk.md" })
    .diagnostics.filter(({ kind }) => kind === "mistake")
    .map(({ code, position }) => `${code} ${text.slice(position.start.offset, position.end.offset)}`);
}

function modelOf(part9: string, part2?: string): Model {
  assert.deepEqual(mistakes(part9, part2), []);
  return compile(document(part9, part2), { file: "desk.md" }).model as Model;
}

const step = (...items: string[]): string => `### Stored change: one\n\n${items.join("\n")}\n`;

test("each line of the notation's table is read completely", () => {
  const items = [
    "- Renamed: User.name to User.full_name",
    '- For each User: `country = "NL"`',
    '- Renamed: Ticket.priority "normal" to "medium"',
    '- For each Ticket: `id = "T-" + string(old.id)`',
    "- Removed: Draft",
    "- Removed: Ticket.channel",
    "- For each User: `email = null when User.first(u, u.email == old.email) != old`",
    "- For each Ticket: `upsert Category with name = old.category as c; category = c`",
    '- For each User: `first = old.name.split(" ", 2)[0]; last = or(old.name.split(" ", 2)[1], "")`',
    '- For each User: `full_name = old.first + " " + old.last`',
    "- For each User: `create Address with street = old.street as a; address = a`\n- Removed: User.street",
    "- For each Ticket: `cents = round(double(old.price) * 100)`\n- Removed: Ticket.price",
    '- Renamed: Ticket.status "open" to "new"\n- For each Ticket: `status = "assigned" when old.status == "open" && old.owner != null`',
    "- Renamed: Person to User\n- Renamed: Person.name to User.full_name",
    "- Renamed: Ticket.lines[].price to Ticket.lines[].cost",
    "- Renamed: Place.city to Place.town",
    "- For each Draft: `create Ticket with cents = old.cents`\n- Removed: Draft",
    "- For each Ticket: `delete User where this == old.owner when old.owner.name == null`\n- Renamed: User.name to User.full_name",
  ];
  for (const [at, item] of items.entries()) {
    const extra = at === 8 ? "\n- Removed: User.name" : "";
    assert.deepEqual(mistakes(step(item + extra)), [], item);
  }
});

test("the changes of a step are sorted for its execution", () => {
  const { storedChanges } = modelOf(
    step(
      "- Renamed: Person to User",
      "- Renamed: User.name to User.full_name",
      "- Renamed: Ticket.lines.price to Ticket.lines.cost",
      '- Renamed: Ticket.status "open" to "new"',
      "- Renamed: Place.city to Place.town",
      "- Removed: User.age, Draft",
      '- For each User: `country = "NL"`',
    ),
  ).versioning;
  const [change] = storedChanges;
  const bare = (node: object) => JSON.parse(JSON.stringify({ ...node, position: undefined }));
  assert.equal(change?.of, "stored change");
  assert.match(change?.hash ?? "", /^[0-9a-f]{32}$/);
  assert.deepEqual(change?.renamed.map(bare), [
    { kind: "resource", from: "Person", to: "User" },
    { kind: "field", resource: "User", from: ["name"], to: ["full_name"] },
    { kind: "field", resource: "Ticket", from: ["lines", "[]", "price"], to: ["lines", "[]", "cost"] },
    { kind: "field", resource: "User", from: ["home", "city"], to: ["home", "town"] },
    { kind: "value", resource: "Ticket", field: ["status"], from: "open", to: "new" },
  ]);
  assert.deepEqual(change?.removed.map(bare), [{ resource: "User", field: ["age"] }, { resource: "Draft" }]);
  assert.deepEqual(
    change?.forEach.map(({ resource, assigns, effects }) => [resource, assigns, effects.text]),
    [["User", ["country"], '`country = "NL"`']],
  );
});

test("the hash depends on the content alone, not on layout or order", () => {
  const hash = (...items: string[]) => modelOf(step(...items)).versioning.storedChanges[0]?.hash;
  const first = hash("- Removed: User.age, User.size", '- For each User: `country = "N L"`');
  assert.equal(
    hash('- for each User:  country="N L"', "- Removed: `User.size`", "- removed: User.age"),
    first,
  );
  assert.notEqual(hash("- Removed: User.age, User.size", '- For each User: `country = "NL"`'), first);
});

test("each step is compared with the steps after it", () => {
  const steps = `### Stored change: one

- Renamed: User.label to User.name

### Stored change: two

- Renamed: User.name to User.full_name

### Stored change: three

- Renamed: User.a to User.first
- Renamed: User.b to User.last

### Stored change: four

- Renamed: User.first to User.last
- Renamed: User.last to User.first
`;
  const forms = formsOf(modelOf(steps));
  const users = forms.map((form) => [...(form.resources.get("User")?.fields.keys() ?? [])]);
  assert.deepEqual(
    users.map((names) => names.filter((name) => /name|label|^a$|^b$|first|last/.test(name))),
    [
      ["label", "b", "a"],
      ["name", "b", "a"],
      ["full_name", "b", "a"],
      ["full_name", "last", "first"],
    ],
  );
});

test("a step for an unknown or a still existing name is reported with its position", () => {
  assert.deepEqual(mistakes(step("- Renamed: User.name to User.ful_name")), [
    "versioning/stored-not-there ful_name",
  ]);
  assert.deepEqual(mistakes(step("- Renamed: User.first to User.full_name")), [
    "versioning/stored-still-there first",
  ]);
  assert.deepEqual(mistakes(step("- Renamed: Address to User")), ["versioning/stored-still-there Address"]);
  assert.deepEqual(mistakes(step("- Renamed: Person to Usr")), ["versioning/stored-not-there Usr"]);
  assert.deepEqual(mistakes(step("- Removed: User.email")), ["versioning/stored-still-there email"]);
  assert.deepEqual(mistakes(step("- Removed: User")), ["versioning/stored-still-there User"]);
  assert.deepEqual(mistakes(step("- Removed: Usr.x")), ["versioning/stored-not-there Usr"]);
  assert.deepEqual(mistakes(step("- Removed: User.shown")), []);
  assert.deepEqual(mistakes(step('- Renamed: Ticket.priority "normal" to "mediun"')), [
    "versioning/stored-not-there mediun",
  ]);
  assert.deepEqual(mistakes(step('- Renamed: Ticket.priority "low" to "medium"')), [
    "versioning/stored-still-there low",
  ]);
  assert.deepEqual(mistakes(step('- Renamed: User.first "low" to "medium"')), [
    'versioning/stored-not-values User.first "low"',
  ]);
  assert.deepEqual(mistakes(step("- For each Usr: `first = old.x`")), ["versioning/stored-not-there Usr"]);
  assert.deepEqual(mistakes(step("- Renamed: Address.name to User.full_name")), [
    "versioning/stored-elsewhere Address.name",
  ]);
  assert.deepEqual(mistakes(step("- Renamed: User.home.city to User.home.town")), [
    "versioning/stored-of-value User.home.town",
  ]);
  assert.deepEqual(mistakes(step("- Renamed: User.a.town to User.home.town")), [
    "versioning/stored-of-value User.home.town",
  ]);
});

test("a change stated twice in a step, or also by a version, is a mistake", () => {
  const twice = step("- Renamed: User.a to User.first", "- Renamed: User.a to User.last");
  assert.deepEqual(mistakes(twice), ["versioning/stored-contradiction User.a"]);
  assert.deepEqual(mistakes(step("- Renamed: User.a to User.first", "- Removed: User.a")), [
    "versioning/stored-contradiction User.a",
  ]);
  const forEach = step(
    "- For each User: `first = old.x`",
    "- For each User: `first = old.y`",
    "- Removed: User.x, User.y",
  );
  assert.deepEqual(mistakes(forEach), ["versioning/stored-contradiction `first = old.y`"]);
  assert.deepEqual(mistakes(`${step("- Removed: A")}\n${step("- Removed: B")}`), [
    "versioning/stored-repeated one",
  ]);
  const versions = `- Scheme: header V
- Default: oldest

| Version | Status |
|---|---|
| 2 | current |
| 1 | deprecated since 2026-01-01 |

### Changes in 2

- Renamed: User.name to User.full_name
`;
  assert.deepEqual(mistakes(`${versions}\n${step("- Renamed: User.name to User.full_name")}`), [
    "versioning/stored-twice User.name",
  ]);
  const before = modelOf(`${versions}\n${step("- Removed: User.age")}`).versioning.storedChanges;
  assert.deepEqual(
    before.map(({ name, of }) => [name, of]),
    [
      ["2", "version"],
      ["one", "stored change"],
    ],
  );
});

test("a version's change may apply to stored data", () => {
  const versions = (items: string): string => `- Scheme: header V
- Default: oldest

| Version | Status |
|---|---|
| 2 | current |
| 1 | deprecated since 2026-01-01 |

### Changes in 2

${items}
`;
  const items = [
    '- Removed: Ticket.channel, was "mail", stored',
    "- Renamed: Ticket.price to Ticket.cents",
    "- Replaced: Ticket.cents, new `round(double(old) * 100)`, old `new / 100`, stored",
  ];
  const model = modelOf(versions(items.join("\n")));
  const [change] = model.versioning.storedChanges;
  assert.ok(change);
  assert.deepEqual(
    change.removed.map(({ resource, field }) => [resource, field]),
    [["Ticket", ["channel"]]],
  );
  const [forEach] = change.forEach;
  assert.ok(forEach);
  const [before] = formsOf(model);
  const times = { before: before as never, after: storedFormOf(model.resources), step: change };
  const { effects, diagnostics } = bindForEach(forEach, times, "desk.md");
  assert.deepEqual(diagnostics, []);
  assert.match(JSON.stringify(effects), /"op":"field","of":{"op":"fixed","name":"old".*"name":"price"/);
  assert.deepEqual(mistakes(versions("- Replaced: Ticket.cents, new `caller`, old `new`, stored")), [
    "versioning/stored-no-request caller",
  ]);
  assert.deepEqual(mistakes(versions("- Removed: Ticket.cents, was `1`, stored")), [
    "versioning/still-there cents",
  ]);
  assert.deepEqual(mistakes(versions("- Replaced: User.shown, new `old`, old `new`, stored")), [
    "versioning/stored-not-stored Replaced: User.shown, new `old`, old `new`, stored",
  ]);
});

test("effects see the store before the step, and nothing of requests", () => {
  const reported = (effects: string): readonly string[] =>
    mistakes(step(`- For each User: \`${effects}\``, "- Removed: User.x"));
  assert.deepEqual(reported("first = caller.name"), ["versioning/stored-no-request caller.name"]);
  assert.deepEqual(reported("first = body.x"), ["versioning/stored-no-request body.x"]);
  assert.deepEqual(reported("first = route(old.x)"), ["versioning/stored-no-request route(old.x)"]);
  assert.deepEqual(reported("do take on Ticket where true"), ["versioning/stored-effect Ticket"]);
  assert.deepEqual(reported("update Ticket where true set cents = 1"), ["versioning/stored-effect Ticket"]);
  assert.deepEqual(reported("send ping"), ["versioning/stored-effect send ping"]);
  assert.deepEqual(reported("address.street = old.x"), ["versioning/stored-effect address"]);
  assert.deepEqual(reported("first = old.y"), ["versioning/stored-not-before y"]);
  assert.deepEqual(reported("first = this.address.street"), ["versioning/stored-reach this.address.street"]);
  assert.deepEqual(reported("create Address with street = old.x as a; first = a.street"), [
    "versioning/stored-reach a.street",
  ]);
  assert.deepEqual(reported("upsert Address with street = old.x as a; address = a"), [
    "versioning/stored-upsert Address",
  ]);
  assert.deepEqual(reported("create User with first = old.x"), ["states/incomplete-create User"]);
  assert.deepEqual(reported("full_name = null"), ["states/required-cleared null"]);
  assert.deepEqual(reported("shown = old.x"), ["states/not-assignable shown"]);
  assert.deepEqual(reported("nowhere = old.x"), ["resources/unknown-field nowhere"]);
});

test("a name in `Stored from` that still has its heading causes a warning", () => {
  assert.deepEqual(mistakes(`- Stored from: one\n\n${step("- Removed: A")}`), [
    "versioning/stored-from-there one",
  ]);
  assert.equal(modelOf(`- Stored from: zero\n\n${step("- Removed: A")}`).versioning.storedFrom?.text, "zero");
  assert.deepEqual(mistakes("### Stored change:\n\n- Removed: A\n"), [
    "versioning/unreadable Stored change:",
  ]);
  assert.deepEqual(mistakes("### Stored change: one\n\nNothing yet.\n"), [
    "versioning/stored-empty Stored change: one",
  ]);
  assert.deepEqual(mistakes(step("- Moved: A to B")), ["versioning/unknown-item Moved"]);
  const gaps = `- Stored from: not shown\n\n${step("- Renamed: not shown", "- For each User: not shown")}`;
  const { versioning } = modelOf(gaps);
  assert.equal(versioning.storedFrom, undefined);
  assert.deepEqual(versioning.storedChanges[0]?.forEach, []);
});
