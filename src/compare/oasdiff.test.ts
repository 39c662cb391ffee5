/** Comparison with oasdiff: its rules, and how Ninefold classifies the same changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../compile.ts";
import type { Model } from "../model/model.ts";
import { compareDocuments } from "./compare.ts";
import { type RuleName, rules, type Severity } from "./rules.ts";
import { oasdiffRules } from "./test-oasdiff.ts";

const severityOf: Readonly<Record<string, Severity>> = { ERR: "breaking", WARN: "careful", INFO: "fine" };

interface Published {
  readonly id: string;
  readonly severity: Severity | undefined;
  readonly ours?: string;
  readonly why?: string;
}

/** `a-{b,c}` → `a-b`, `a-c`. */
function expanded(text: string): readonly string[] {
  const { start, among, end } = /^(?<start>[^{]*)\{(?<among>[^}]*)\}(?<end>.*)$/.exec(text)?.groups ?? {};
  if (among === undefined) return [text];
  return among.split(",").flatMap((name) => expanded(`${start}${name}${end}`));
}

const published: readonly Published[] = oasdiffRules
  .split("\n")
  .filter((line) => line !== "")
  .flatMap((line) => {
    const {
      level = "",
      ids = "",
      mark,
      rest = "",
    } = /^(?<level>\w+) (?<ids>\S+) (?<mark>[=:]) (?<rest>.+)$/.exec(line)?.groups ?? {};
    const of = mark === "=" ? { ours: rest } : { why: rest };
    return expanded(ids).map((id) => ({ id, severity: severityOf[level], ...of }));
  });

function isRule(name: string): name is RuleName {
  return name in rules;
}

test("the rules of a published differ agree with ours, or a reason is stated", () => {
  assert.ok(published.length > 400, `${published.length} rules`);
  assert.equal(new Set(published.map(({ id }) => id)).size, published.length, "each rule stands there once");
  for (const { id, severity, ours, why } of published) {
    assert.ok(severity, id);
    if (ours === undefined) assert.ok(why, id);
    else {
      assert.ok(isRule(ours), `${id} is ${ours}, which is no rule`);
      assert.equal(rules[ours].severity, severity, `${id} is ${ours}`);
    }
  }
});

const base = `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes.

## Resources and their fields

### User

- Identifier: id, made by \`"usr_" + random(8)\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| key | credential | on create \`"k_" + random(20)\`, shown once | |

### Note

- Identifier: id, made by \`"not_" + random(8)\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| title | string | required, length 2..80 | |
| code | string | pattern \`[a-z]+\` | |
| kind | one of memo, task | default \`"memo"\` | |
| stars | integer | 1..5 | |
| tags | list of string | required, items 1..5 | |
| owner | string | nullable | |

## States and transitions

none

## Endpoints

- Base path: \`/v1\`
- Unknown fields: ignored

### POST /notes

- Does: create Note
- Body: title, tags, owner, code?, kind?, stars?
- Header: Location: \`"/v1/notes/" + this.id\`
- Returns: 201 Note

### GET /notes

- Does: list Note
- Query: kind?, stars?, code?, title
- Returns: 200 list of Note

### POST /notes/{id}

- Does: update Note
- Body: stars
- Returns: 200 Note

## Authentication

### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: User by key

## Events

| Event | When | Payload |
|---|---|---|
| note.created | Note created | Note |

- Webhooks: not shown

## Errors

- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| bad | 422 | invalid field |

## Limits

none

## Versioning

- Scheme: none
`;

const models = new Map<string, Model>();

function modelOf(text: string): Model {
  const known = models.get(text);
  if (known) return known;
  const { model, diagnostics } = compile(text, { file: "notes.md" });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ message, position }) => `${position.start.line}: ${message}`),
    [],
  );
  assert.ok(model);
  models.set(text, model);
  return model;
}

/** Rules of edits: the edit's name, and the name of the reverse edit if it has one of its own. */
const pairs: readonly (readonly [from: string, to: string, id: string, back?: string])[] = [
  [
    "required, length 2..80",
    "required, length 2..40",
    "request-property-max-length-decreased",
    "request-property-max-length-increased",
  ],
  [
    "required, length 2..80",
    "required, length 5..80",
    "request-property-min-length-increased",
    "request-property-min-length-decreased",
  ],
  [
    "| code | string | pattern `[a-z]+` |",
    "| code | string | |",
    "request-property-pattern-removed",
    "request-property-pattern-added",
  ],
  ["`[a-z]+`", "`[a-z0-9]+`", "request-property-pattern-changed"],
  ["`[a-z]+`", "`[a-z0-9]+`", "response-property-pattern-changed"],
  ["`[a-z]+`", "`[a-z0-9]+`", "request-parameter-pattern-changed"],
  [
    "memo, task",
    "memo, task, list",
    "request-property-enum-value-added",
    "request-property-enum-value-removed",
  ],
  [
    "memo, task",
    "memo, task, list",
    "response-property-enum-value-added",
    "response-property-enum-value-removed",
  ],
  [
    "memo, task",
    "memo, task, list",
    "request-parameter-enum-value-added",
    "request-parameter-enum-value-removed",
  ],
  [
    "| stars | integer | 1..5 |",
    "| stars | integer | 1..4 |",
    "request-property-max-decreased",
    "request-property-max-increased",
  ],
  [
    "| stars | integer | 1..5 |",
    "| stars | integer | 2..5 |",
    "request-property-min-increased",
    "request-property-min-decreased",
  ],
  ["| stars | integer | 1..5 |", "| stars | string | |", "request-property-type-changed"],
  ["| stars | integer | 1..5 |", "| stars | string | |", "response-property-type-changed"],
  ["| stars | integer | 1..5 |", "| stars | string | |", "request-parameter-type-changed"],
  ["| stars | integer | 1..5 |", "| stars | number | 1..5 |", "request-property-type-generalized"],
  [
    "| stars | integer | 1..5 |",
    "| stars | number | 1..5 |",
    "response-property-type-generalized",
    "response-property-type-specialized",
  ],
  [
    "items 1..5",
    "items 1..3",
    "request-property-max-items-decreased",
    "request-property-max-items-increased",
  ],
  ["items 1..5", "items 2..5", "request-property-min-items-increased"],
  [
    "items 1..5",
    "items 1..5, distinct",
    "request-property-unique-items-set",
    "request-property-unique-items-unset",
  ],
  [
    "| owner | string | nullable |",
    "| owner | string | required |",
    "request-property-became-not-nullable",
    "request-property-became-nullable",
  ],
  [
    "| owner | string | nullable |",
    "| owner | string | required |",
    "response-property-became-not-nullable",
    "response-property-became-nullable",
  ],
  ["owner, code?", "owner, code", "request-property-became-required", "request-property-became-optional"],
  [", kind?, stars?\n", ", kind?\n", "request-property-removed", "new-optional-request-property"],
  ["- Body: stars\n", "- Body: stars, code\n", "new-required-request-property"],
  ["- Query: kind?, ", "- Query: ", "request-parameter-removed", "new-optional-request-parameter"],
  [", title\n", ", title?\n", "request-parameter-became-optional", "request-parameter-became-required"],
  ["- Query: kind?", "- Query: owner, kind?", "new-required-request-parameter"],
  [
    "### POST /notes/{id}",
    "### POST /notes/{id}/stars",
    "api-path-removed-without-deprecation",
    "endpoint-added",
  ],
  ["- Body: stars\n", "- Body: stars?\n", "request-body-became-optional", "request-body-became-required"],
  ["- Returns: 201 Note", "- Returns: 200 Note", "response-success-status-removed"],
  [
    '- Header: Location: `"/v1/notes/" + this.id`\n',
    "",
    "required-response-header-removed",
    "response-header-added",
  ],
  [
    "| owner | string | nullable | |\n",
    "| owner | string | nullable | |\n| note | string | = `this.title` | |\n",
    "response-required-property-added",
    "response-required-property-removed",
  ],
  [
    "| note.created | Note created | Note |\n",
    "| note.created | Note created | Note |\n| note.made | Note created | Note |\n",
    "webhook-added",
    "webhook-removed",
  ],
];

test("the commonest of its rules are found between two documents", () => {
  const severities = new Map(published.map((item) => [item.id, item]));
  const missed: string[] = [];
  const expect = (before: string, after: string, id: string) => {
    const rule = severities.get(id);
    assert.ok(rule?.ours !== undefined, `${id} has a rule of ours`);
    const found = compareDocuments(modelOf(before), modelOf(after));
    if (!found.some((difference) => difference.rule === rule.ours && difference.severity === rule.severity))
      missed.push(
        `${id} is ${rule.ours}, and was: ${found.map((difference) => `${difference.rule} ${difference.subject}`).join(", ")}`,
      );
  };
  for (const [from, to, id, back] of pairs) {
    assert.ok(base.includes(from), from);
    const after = base.replaceAll(from, to);
    expect(base, after, id);
    if (back !== undefined) expect(after, base, back);
  }
  assert.deepEqual(missed, []);
});
