/** Part 2, resources (with the state machines of part 3): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileLibrary, libraryModel } from "../../../../test/documents/library.ts";
import { type FieldRule, ruleOf } from "../../../fields/rule.ts";
import type { Field, Resource } from "../../model.ts";

/** Resources that the other parts refer to, so that a test only states what it tests. */
const markdown = `### Account

- Identifier: sid, made by \`"AC" + random(32)\`

| Field | Type |
|---|---|
| name | string |`;

function resourcesOf(text: string, states = "- States: none\n- Transitions: none"): readonly Resource[] {
  return libraryModel({
    resources: `${markdown}\n\n${text}`,
    states,
    endpoints: "- Methods: none\n- Path shapes: none\n- Payload shapes: none",
    authentication: "- Scheme: none",
  }).resources.slice(1);
}

function resourceOf(text: string, states?: string): Resource {
  const [resource] = resourcesOf(text, states);
  assert.ok(resource);
  return resource;
}

function fieldsOf(rows: string): Record<string, Field> {
  const { fields } = resourceOf(
    `### Book\n\n- Identifier: id, made by \`uuid()\`\n\n| Field | Type | Rules | Meaning |\n|---|---|---|---|\n${rows}`,
  );
  return Object.fromEntries(fields.map((field) => [field.name, field]));
}

/** Rules with their expressions as texts. */
function rulesOf(field: Field | undefined): unknown[] {
  return (field?.rules ?? []).map((rule: FieldRule) =>
    "value" in rule ? { rule: rule.rule, value: rule.value.text } : rule,
  );
}

test("every type is read", () => {
  const fields = fieldsOf(`| a | list of one of read, "on hold", write |
| b | map of list of integer |
| c | Account |
| d | \`list of Account\` |
| e | decimal |
| f | list of object |
| f[].sku | string | required |
| f[].size | object | |
| f[].size.width | integer | 1.. |`);
  const types = Object.fromEntries(Object.values(fields).map((field) => [field.name, field.type]));
  assert.deepEqual(types, {
    id: { kind: "uuid" },
    a: { kind: "list", of: { kind: "enum", values: ["read", "on hold", "write"] } },
    b: { kind: "map", of: { kind: "list", of: { kind: "integer" } } },
    c: { kind: "reference", resource: "Account" },
    d: { kind: "list", of: { kind: "reference", resource: "Account" } },
    e: { kind: "decimal" },
    f: {
      kind: "list",
      of: {
        kind: "object",
        parts: [
          { name: "sku", type: { kind: "string" }, rules: [{ rule: "required" }] },
          {
            name: "size",
            type: {
              kind: "object",
              parts: [{ name: "width", type: { kind: "integer" }, rules: [{ rule: "range", min: 1 }] }],
            },
            rules: [],
          },
        ],
      },
    },
  });
});

test("every rule is read, with bounds open at either end and commas inside of patterns and expressions", () => {
  const fields =
    fieldsOf(`| a | string | required, empty is null, length 1..120, pattern \`^[a-z]{1,8}$\`, unique, any case, lower case, trimmed |
| b | integer | nullable, -5..200 |
| c | number | ..0.5, default \`0.25\` |
| d | list of string | items 1.., distinct, each length ..40 |
| e | map of string | keys length 1..40, keys pattern ^x, each length 0..500, merged |
| f | Account | on create \`Account.first(a, a.name == "x")\`, on delete clear |
| g | timestamp | on update \`now\`, on create now |
| h | string | \`= this.a + ", " + string(this.b)\` |
| i | credential | write-only |
| j | string | read-only, shown once |
| k | string | immutable, default "x" |
| l | json | internal |`);
  assert.deepEqual(rulesOf(fields.a), [
    { rule: "required" },
    { rule: "empty is null" },
    { rule: "length", min: 1, max: 120 },
    { rule: "pattern", pattern: "^[a-z]{1,8}$" },
    { rule: "unique" },
    { rule: "any case" },
    { rule: "lower case" },
    { rule: "trimmed" },
  ]);
  assert.deepEqual(rulesOf(fields.b), [{ rule: "nullable" }, { rule: "range", min: -5, max: 200 }]);
  assert.deepEqual(rulesOf(fields.c), [
    { rule: "range", max: 0.5 },
    { rule: "default", value: "0.25" },
  ]);
  assert.deepEqual(rulesOf(fields.d), [
    { rule: "items", min: 1 },
    { rule: "distinct" },
    { rule: "each", of: { rule: "length", max: 40 } },
  ]);
  assert.deepEqual(rulesOf(fields.e), [
    { rule: "keys", of: { rule: "length", min: 1, max: 40 } },
    { rule: "keys", of: { rule: "pattern", pattern: "^x" } },
    { rule: "each", of: { rule: "length", min: 0, max: 500 } },
    { rule: "merged" },
  ]);
  assert.deepEqual(rulesOf(fields.f), [
    { rule: "on create", value: 'Account.first(a, a.name == "x")' },
    { rule: "on delete", then: "clear" },
  ]);
  assert.deepEqual(rulesOf(fields.g), [
    { rule: "on update", value: "now" },
    { rule: "on create", value: "now" },
  ]);
  assert.deepEqual(rulesOf(fields.h), [{ rule: "computed", value: 'this.a + ", " + string(this.b)' }]);
  assert.deepEqual(rulesOf(fields.k), [{ rule: "immutable" }, { rule: "default", value: '"x"' }]);
});

test("an identifier without a row is first, and a state field last", () => {
  const book = resourceOf(
    "### Book\n\n- Identifier: id, made by `sequence()`\n\n| Field | Type |\n|---|---|\n| title | string |",
    "### Book\n\n- State field: status\n- Initial state: free\n\n| Transition | From | To | Trigger |\n|---|---|---|---|\n| lend | free | lent | call |",
  );
  assert.deepEqual(
    book.fields.map(({ name, role, type }) => [name, role, type.kind]),
    [
      ["id", "identifier", "integer"],
      ["title", "plain", "string"],
      ["status", "state", "state"],
    ],
  );
});

test("identifiers are created, given, joint or none", () => {
  const table = "| Field | Type | Rules |\n|---|---|---|\n";
  const [card, shelf, loan, size] = resourcesOf(`### Card

- Identifier: number, made by \`sequence()\`

${table}| account | Account | required |
| place | integer | on create \`sequence(this.account)\` |

### Shelf

- Identifier: code, given

${table}| code | string | length 2..8 |

### Loan

- Identifier: account and card

${table}| account | Account | required |
| card | Card | required |

### Size

- Identifier: none

${table}| width | integer | |`);
  assert.deepEqual(shelf?.identifier, { kind: "given", field: "code" });
  assert.deepEqual(loan?.identifier, { kind: "joint", fields: ["account", "card"] });
  assert.deepEqual(size?.identifier, { kind: "none" });
  assert.ok(card?.identifier.kind === "made" && card.identifier.by?.node.op === "call");
  const rule = card.fields.find(({ name }) => name === "place")?.rules[0];
  assert.ok(rule?.rule === "on create" && rule.value.node.op === "call");
  const [within] = rule.value.node.args;
  assert.ok(
    within?.op === "field" &&
      within.name === "account" &&
      within.of.op === "fixed" &&
      within.of.name === "this",
  );
});

test("every item of a resource is read", () => {
  const book = resourceOf(`### Book

A thing to read.

- Identifier: id, made by \`uuid()\`
- Unique: \`owner\`, isbn
- Unique: shelf, place
- Visible: \`this.title != ""\`
- Fails: not_found on title when \`old != null && this.title < old.title\`
- Always: \`this.place >= 0\`
- Kept: 30 days after lent_at
- Deleted: marked
- Called: volume

| Field | Type | Rules |
|---|---|---|
| owner | Account | |
| title | string | required |
| isbn | string | |
| shelf | string | |
| place | integer | |
| lent_at | timestamp | |
| gone | boolean | = \`this.deleted\` |`);
  assert.equal(book.prose, "A thing to read.");
  assert.deepEqual(
    book.unique.map((unique) => unique.fields),
    [
      ["owner", "isbn"],
      ["shelf", "place"],
    ],
  );
  assert.equal(book.visible?.text, 'this.title != ""');
  assert.deepEqual(
    book.fails.map(({ code, on }) => [code, on]),
    [["not_found", "title"]],
  );
  assert.deepEqual(
    book.always.map((rule) => rule.text),
    ["this.place >= 0"],
  );
  assert.equal(book.kept?.milliseconds, 30 * 86_400_000);
  assert.equal(book.kept?.after, "lent_at");
  assert.equal(book.deleted, "marked");
  assert.equal(book.called, "volume");
});

test("a resource without `Called` has its name in lower case", () => {
  const table = "\n\n- Identifier: id, made by `uuid()`\n\n| Field | Type |\n|---|---|\n| a | string |\n\n";
  const named = resourcesOf(["ApiKey", "HTTPLog", "OrderLine"].map((name) => `### ${name}${table}`).join(""));
  assert.deepEqual(
    named.map(({ called, variableName }) => [called, variableName]),
    [
      ["api_key", "apiKey"],
      ["http_log", "hTTPLog"],
      ["order_line", "orderLine"],
    ],
  );
});

test("initial records have the values of their fields", () => {
  const [currency] = resourcesOf(`### Currency

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| code | string | pattern \`^[A-Z]{3}$\` |
| digits | integer | required |
| rate | decimal | |
| since | date | |
| names | map of string | default \`{}\` |
| after | Currency | |

### Records of Currency

| code | digits | rate | since | names | after |
|---|---|---|---|---|---|
| DEM | 2 | 1.95583 | 1948-06-20 | \`{"de": "Mark"}\` | |
| \`EUR\` | 2 | | 1999-01-01 | | DEM |`);
  assert.deepEqual(
    currency?.records.map((record) => record.fields),
    [
      { code: "DEM", digits: 2, rate: "1.95583", since: "1948-06-20", names: { de: "Mark" } },
      { code: "EUR", digits: 2, since: "1999-01-01", after: "DEM" },
    ],
  );
});

test("a long computed field is in a block of its own", () => {
  const book = resourceOf(`### Book

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| title | string | | |
| label | string | | As printed |

### Book.label

\`\`\`cel
this.title
  + "!"
\`\`\``);
  const label = book.fields.find((field) => field.name === "label");
  assert.equal(ruleOf(label?.rules ?? [], "computed")?.value.text, 'this.title\n  + "!"');
  assert.equal(label?.meaning, "As printed");
});

test("a part that is not shown is a gap of its field, and the rest of the resource is complete", () => {
  const { model, ledger } = compileLibrary({
    resources: `${markdown}

### Book

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| title | not shown | |
| pages | integer | 1.., maximum not shown |
| isbn | string | |`,
    states: "States and transitions: not shown.",
    endpoints: "Endpoints: not shown.",
    authentication: "- Scheme: none",
  });
  const fields = model?.resources[1]?.fields ?? [];
  assert.deepEqual(
    fields.map((field) => [field.name, field.gap?.subject]),
    [
      ["id", undefined],
      ["title", "the type of Book.title"],
      ["pages", "a rule of Book.pages (maximum)"],
      ["isbn", undefined],
    ],
  );
  assert.equal(ledger.find((entry) => entry.item === "fields")?.answer, "stated");
  assert.equal(ledger.find((entry) => entry.item === "fields")?.smallerGaps.length, 2);
});

test("a resource with only a name is a gap, and not a mistake", () => {
  const { model, diagnostics } = compileLibrary({
    resources: `${markdown}\n\n### Book`,
    states: "States and transitions: not shown.",
    endpoints: "Endpoints: not shown.",
    authentication: "- Scheme: none",
  });
  assert.deepEqual(
    diagnostics.filter((diagnostic) => diagnostic.kind === "mistake"),
    [],
  );
  assert.equal(model?.resources[1]?.gap?.subject, "the identifier of Book");
  assert.equal(model?.resources[1]?.identifier.kind, "not shown");
});

test("a circle of computed fields is broken in the model, so that evaluation terminates", () => {
  const { model } = compileLibrary({
    resources: `${markdown}

### Book

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| a | integer | = \`this.b\` |
| b | integer | = \`this.a\` |`,
    states: "- States: none\n- Transitions: none",
    endpoints: "Endpoints: not shown.",
    authentication: "- Scheme: none",
  });
  const computed = model?.resources[1]?.fields.filter((field) => ruleOf(field.rules, "computed"));
  assert.deepEqual(
    computed?.map((field) => field.name),
    ["a"],
  );
});
