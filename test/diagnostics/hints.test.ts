/** Hints of common mistakes: each is applied and corrects the document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";

const document = `# Interface Specification: Hints

## What the service does

- Purpose: not shown
- Domain: not shown
- Behaviour: not shown

### Scenario: a parcel

- Given: Parcel with recipient = "Ada" as parcel

\`\`\`http
GET /parcels
\`\`\`

\`\`\`http
HTTP/1.1 200
\`\`\`

## Resources and their fields

### Parcel

- Identifier: id, made by uuid()

| Field | Type | Rules |
|---|---|---|
| recipient | string | required |
| weight_grams | integer | |
| scopes | list of one of read, write, courier | |
| kilos | integer | = this.weight_grams / 1000 |
| may_write | boolean | = "write" in this.scopes |

## States and transitions

- States: none
- Transitions: none

## Endpoints

- Base path: none
- Media type: application/json

### GET /parcels

- Does: list Parcel
- Pagination: cursor (size: limit, after: after)
- Returns: 200 list of Parcel

## Authentication

- Scheme: none

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Payload shape: problem details
- Error codes: not shown

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| page | default 20 | |

## Versioning

- Version scheme: none
- Compatibility rules: not shown
`;

const mistakesOf = (text: string) =>
  compile(text, { file: "hints.md" }).diagnostics.filter(({ severity }) => severity === "error");

/** A correct piece of the document, the mistake that replaces it, and the hint that corrects it. */
const applied: readonly (readonly [right: string, wrong: string, hint: RegExp])[] = [
  ["list of one of read, write, courier", "enum(read, write, courier)[]", /^Write `(.+)`\.$/],
  ['"write" in this.scopes', 'this.scopes.contains("write")', /^Write `(.+)`\.$/],
  ["| weight_grams | integer |", "| weight_grams integer | |", /^Add the missing `\|`: `(.+)`\.$/],
  ["this.weight_grams / 1000", "this.weight / 1000", /^Write one of .*`(weight_grams)`/],
  ['recipient = "Ada"', 'recipient: "Ada"', /^Write `(.+)`\.$/],
  ["### GET /parcels", "### Get all parcels", /^Write a method and a path: `(.+)`\.$/],
  ["cursor (size: limit, after: after)", "cursor, limit 20", /in brackets, `(.+?)`/],
];

test("the document itself has no mistake", () => assert.deepEqual(mistakesOf(document), []));

for (const [right, wrong, hint] of applied)
  test(`the hint for ${wrong} leads to ${right}`, () => {
    assert.ok(document.includes(right));
    const [first] = mistakesOf(document.replace(right, wrong));
    const written = hint.exec(first?.hint ?? "")?.[1];
    assert.ok(written !== undefined && right.includes(written), first?.hint);
  });
