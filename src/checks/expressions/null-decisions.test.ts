/**
 * Null decisions: conditions and assignments where a null decides get a warning, unless a null test
 * prevents it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { nullnessOf } from "../../model/nullness/nullness.ts";

interface Items {
  readonly fails?: string;
  readonly endpoint?: string;
  /** The items of `GET /stays` and the cell "Where" of its input. */
  readonly list?: { readonly items: string; readonly where: string };
  readonly effect?: string;
}

const listOf = ({ items, where }: NonNullable<Items["list"]>) => `
### GET /stays

- Does: list Stay
${items}
- Returns: 200 list of Stay

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| day | query | date | | \`${where}\` |
`;

const documentWith = ({ fails, endpoint, list, effect = "" }: Items) => `# Interface Specification: Stays

## What the service does

- Purpose: not shown
- Domain: not shown
- Behaviour: not shown

## Resources and their fields

### Guest

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| points | integer | |
| visits | integer | default \`0\` |

### Stay

- Identifier: id, made by \`sequence()\`
${fails === undefined ? "" : `- Fails: bad when ${fails}\n`}
| Field | Type | Rules |
|---|---|---|
| starts | date | required |
| ends | date | |
| paid_at | timestamp | |
| closed_at | timestamp | |
| nights | integer | default \`1\` |
| size | integer | = \`this.ends == null ? 0 : 1\` |
| late | date | = \`or(this.ends, this.starts)\` |
| guest | Guest | |
| host | Guest | required |
| tags | list of string | |
| status | state | |

### Bill

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| guest | Guest | required |
| at | timestamp | required |

## States and transitions

### Stay

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| pay | open | paid | call | \`paid_at = now\` |
| close | paid | closed | call | \`closed_at = now${effect}\` |

## Endpoints

- Base path: none
- Media type: application/json
- Allowed: anyone

### POST /guests

- Does: create Guest
- Body: name, points?
- Returns: 201 Guest

### POST /stays

- Does: create Stay
- Body: starts, ends?, guest?, host, tags?
- Returns: 201 Stay

### POST /stays/{id}/pay

- Does: pay Stay
- Returns: 200 Stay

### POST /stays/{id}/close

- Does: close Stay
- Returns: 200 Stay

### PATCH /stays/{id}

- Does: update Stay
- Body: ends?, nights?
${endpoint ?? ""}
- Returns: 200 Stay
${list === undefined ? "" : listOf(list)}
## Authentication

- Scheme: none

## Events

- Events: none

## Errors

| Code | Status | When | Message |
|---|---|---|---|
| bad | 422 | | Bad. |

## Limits

- Rate limits: none

## Versioning

- Version scheme: none
`;

function nullWarnings(items: Items): readonly string[] {
  const { diagnostics } = compile(documentWith(items), { file: "stays.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
  return diagnostics
    .filter(({ code }) => code.startsWith("expressions/null-"))
    .map(({ code, message }) => `${code.slice("expressions/".length)} ${/`(.*?)`/.exec(message)?.[1]}`);
}

const passes: Readonly<Record<string, string>> = {
  "this.ends < this.starts": "this.ends",
  "this.starts > this.ends": "this.ends",
  "this.guest.points > 3": "this.guest",
  "this.host.points > 3": "this.host.points",
  "this.ends != null || this.ends < this.starts": "this.ends",
  'Bill.first(b, b.guest == this.guest).at > timestamp("2026-01-01T00:00:00Z")': "Bill.first(…)",
  "10 / this.nights > 3": "10 / this.nights",
};

for (const [condition, value] of Object.entries(passes))
  test(`a Fails that null passes is reported: ${condition}`, () => {
    assert.deepEqual(nullWarnings({ fails: `\`${condition}\`` }), [`null-passes ${value}`]);
  });

const understood: readonly string[] = [
  "this.ends == null || this.ends < this.starts",
  "this.ends != null && this.ends < this.starts",
  "has(this.ends) && this.ends < this.starts",
  "!(this.ends == null) && this.ends < this.starts",
  "this.ends == null ? false : this.ends < this.starts",
  "or(this.ends, this.starts) < this.starts",
  "this.late < this.starts",
  "this.size > 3",
  "this.nights > 3",
  "this.host.visits > 3",
  "this.guest != null && this.guest.visits > 3",
  "size(this.tags) == 3",
  'this.tags.exists(t, t == "x")',
  'this.status == "paid" && this.paid_at > now',
  'this.status in ["paid", "closed"] && this.paid_at > now',
  'this.status == "closed" && this.closed_at < this.paid_at',
  "Bill.exists(b, b.guest == this.guest) && Bill.first(b, b.guest == this.guest).at > now",
  "Bill.filter(b, b.guest == this.guest).exists(b, b.at > now)",
  "10 / 2 > this.nights",
];

for (const condition of understood)
  test(`a Fails with a null test before it is not reported: ${condition}`, () => {
    assert.deepEqual(nullWarnings({ fails: `\`${condition}\`` }), []);
  });

test("`null passes` agrees to the warning, with the condition in backticks or without", () => {
  assert.deepEqual(nullWarnings({ fails: "`this.ends < this.starts`, null passes" }), []);
  assert.deepEqual(nullWarnings({ fails: "this.ends < this.starts, null passes" }), []);
});

test("a state in which a field may be unset doesn't exclude null", () => {
  assert.deepEqual(nullWarnings({ fails: '`this.status == "open" && this.paid_at > now`' }), [
    "null-passes this.paid_at",
  ]);
});

test("values that an earlier Fails rejects are excluded in a later Fails and in an effect", () => {
  const refused = "- Fails: bad when `this.guest == null`\n";
  const effect = "- Effect: `create Bill with guest = this.guest, at = now`";
  assert.deepEqual(nullWarnings({ endpoint: effect }), ["null-required this.guest"]);
  assert.deepEqual(nullWarnings({ endpoint: `${refused}${effect}` }), []);
  assert.deepEqual(nullWarnings({ endpoint: effect.replace(/`$/, " when this.guest != null`") }), []);
});

test("conditions of an earlier `Allowed` or `Where` hold in a Fails", () => {
  const late = "- Fails: bad when `this.paid_at > now`\n";
  assert.deepEqual(nullWarnings({ endpoint: late }), ["null-passes this.paid_at"]);
  for (const key of ["Allowed", "Where"])
    assert.deepEqual(nullWarnings({ endpoint: `- ${key}: \`this.paid_at != null\`\n${late}` }), []);
});

test("an Always is reported only if null makes it false", () => {
  const always = (condition: string) =>
    nullWarnings({ fails: `\`this.nights > 99\`\n- Always: \`${condition}\`` });
  assert.deepEqual(always("this.ends >= this.starts"), ["null-breaks-always this.ends"]);
  assert.deepEqual(always("!(this.ends < this.starts)"), []);
  assert.deepEqual(always("this.ends == null || this.ends >= this.starts"), []);
});

test("an input that is not sent is not compared, by design", () => {
  assert.deepEqual(nullWarnings({ endpoint: "- Fails: bad when `body.nights > 30`" }), []);
});

test("in an effect of a transition, fields set before it are known", () => {
  const create = "; create Bill with guest = this.host, at = this.";
  assert.deepEqual(nullWarnings({ effect: `${create}paid_at` }), []);
  assert.deepEqual(nullWarnings({ effect: `${create}ends == null ? now : this.paid_at` }), []);
  assert.deepEqual(nullWarnings({ effect: "; create Bill with guest = this.guest, at = now" }), [
    "null-required this.guest",
  ]);
});

test("a field that is computed from itself starts with a value", () => {
  const update = (value: string) => `- Effect: \`update Guest where this == stay.host set ${value}\``;
  assert.deepEqual(nullWarnings({ endpoint: update("points = this.points + 1") }), [
    "null-overwrites this.points",
  ]);
  for (const choice of ["this.points + 1 : 0", "0 : this.points + 1"])
    assert.deepEqual(nullWarnings({ endpoint: update(`points = this.visits > 1 ? ${choice}`) }), [
      "null-overwrites this.points",
    ]);
  assert.deepEqual(nullWarnings({ endpoint: update("points = this.visits > 1 ? this.points : 0") }), []);
  assert.deepEqual(nullWarnings({ endpoint: update("points = or(this.points, 0) + 1") }), []);
  assert.deepEqual(nullWarnings({ endpoint: update("visits = this.visits + 1") }), []);
});

test("fields are never null by their rules, by all assignments, or because the only creator sets them", () => {
  const { model } = compile(documentWith({}), { file: "stays.md" });
  assert.ok(model);
  const neverNull = (strength: "expected" | "certain") => {
    const nullness = nullnessOf(model, strength);
    const { fields } = model.resources.find(({ name }) => name === "Stay") ?? { fields: [] };
    return fields.filter(({ name }) => nullness.field("Stay", name).length === 0).map(({ name }) => name);
  };
  assert.deepEqual(neverNull("certain"), ["id", "starts", "nights", "size", "late", "host", "status"]);
  assert.deepEqual(neverNull("expected"), neverNull("certain"));
});

test("the causes of a chain of fields, each reading the one before twice, don't double with each field", () => {
  const fields = Array.from(
    { length: 60 },
    (_, at) => `| f${at + 1} | integer | = \`this.f${at} + this.f${at}\` |`,
  );
  const rows = ["| f0 | integer | |", ...fields, "| starts | date | required |"].join("\n");
  const text = documentWith({ fails: "`this.f60 > 3`" }).replace("| starts | date | required |", rows);
  const { model } = compile(text, { file: "stays.md" });
  assert.ok(model);
  const causes = nullnessOf(model, "expected").field("Stay", "f60");
  assert.deepEqual(
    causes.map(({ why }) => why),
    ["optional"],
  );
});

test("the condition of an input is examined like `Where`, together with it", () => {
  const warnings = (where: string, items = "") => nullWarnings({ list: { items, where } });
  assert.deepEqual(warnings("!(this.ends < query.day)"), ["null-permits this.ends"]);
  assert.deepEqual(warnings("this.ends != query.day"), ["null-permits this.ends"]);
  assert.deepEqual(warnings("this.starts != query.day"), []);
  assert.deepEqual(warnings("this.ends > query.day"), []);
  assert.deepEqual(warnings("this.ends != null && this.ends != query.day"), []);
  assert.deepEqual(warnings("this.ends != query.day", "- Where: `this.ends != null`"), []);
});
