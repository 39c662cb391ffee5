/** Reads past `Visible` (part 2): unit tests of the check. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";

/** A document of companies that each see only their own invoices, with the given text at one place. */
function documentWith({
  visible = "this.company == caller.company",
  endpoint = "",
  field = "",
  states = "",
  event = "",
  shape = "",
}: Readonly<
  Partial<Record<"visible" | "endpoint" | "field" | "states" | "event" | "shape", string>>
>): string {
  return `# Interface Specification: Invoices

## What the service does

- Purpose: invoices.

## Resources and their fields

### Company

- Identifier: id, given
- Visible: \`this == caller.company\`

| Field | Type | Rules |
|---|---|---|
| id | string | |

### User

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | |
| company | Company | required |
| role | string | |
| key | credential | |

### Invoice

- Identifier: id, given
- Visible: \`${visible}\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| number | string | unique |
| company | Company | required |
| total | decimal | required |
| status | string | |
${field}

## States and transitions

${states}

## Endpoints

### POST /invoices

- Does: create Invoice
- Body: id, number, total
- Set: \`company = caller.company\`
- Returns: 201 Invoice

${endpoint}

${shape}

## Authentication

### Scheme: key

- Placement: header X-Key
- Credentials: User by key

## Events

${event}

## Errors

- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| no | 409 | |

## Limits

## Versioning

- Scheme: none
`;
}

function warnings(text: string): number {
  const { diagnostics } = compile(text, { file: "test.md" });
  // Some of these endpoints leave their input out.
  const errors = diagnostics.filter(
    ({ kind, severity, code }) =>
      kind === "mistake" && severity === "error" && code !== "endpoints/unread-input",
  );
  assert.deepEqual(
    errors.map(({ message, position }) => `${position.start.line}: ${message}`),
    [],
  );
  return diagnostics.filter(({ code }) => code === "resources/past-visible").length;
}

const input = "\n\n| Input | In | Type |\n|---|---|---|\n| q | query | string |";
const answer = (items: string) => ({ endpoint: `### GET /sum\n\n- Does: answer\n${items}${input}` });

const everyInvoice: Readonly<Record<string, Parameters<typeof documentWith>[0]>> = {
  "a sum in an answer": answer("- Returns: 200 `Invoice.sum(i, i.total)`"),
  "a count in an answer": answer("- Returns: 200 `Invoice.count(i, true)`"),
  "records in their shape": answer("- Returns: 200 `Invoice.map(i, Invoice(i))`"),
  "by what was sent": answer("- Returns: 200 `Invoice.filter(i, i.status == query.q).map(i, i.id)`"),
  "by an identifier that was sent": answer("- Returns: 200 `Invoice.first(i, i.id == query.q).total`"),
  "by a Let that is answered": answer(
    "- Let: found = `Invoice.first(i, i.number == query.q)`\n- Returns: 200 `found.total`",
  ),
  "by what is not the caller's": answer("- Returns: 200 `Invoice.count(i, i.company != caller.company)`"),
  "in one way of an or": answer(
    '- Returns: 200 `Invoice.count(i, i.company == caller.company || i.status == "open")`',
  ),
  "behind a map": answer(
    '- Returns: 200 `Invoice.map(i, i.total).filter(t, t > decimal("1") && caller != null)`',
  ),
  "a header": answer("- Header: X-All: `string(Invoice.count(i, true))`\n- Returns: 204 nothing"),
  "a condition under Fails": answer(
    '- Fails: no when `Invoice.exists(i, i.status == "late")`\n- Returns: 204 nothing',
  ),
  "a condition under Allowed": answer(
    '- Allowed: `Invoice.count(i, true) < 9 && caller.role == "a"`\n- Returns: 204 nothing',
  ),
  "a condition of an answer": answer(
    "- Returns: 204 nothing when `Invoice.exists(i, i.status == query.q)`\n- Returns: 200 `1`",
  ),
  "a Let": answer("- Let: all = `Invoice.count(i, true)`\n- Returns: 200 `all`"),
  "a computed field": { field: "| all | integer | = `Invoice.count(i, true)` |" },
  "a shape": {
    shape: '### Shape: All of Invoice\n\n```cel\n{"all": Invoice.count(i, true)}\n```',
    ...{ endpoint: "### GET /invoices/{id}\n\n- Does: read Invoice\n- Returns: 200 All" },
  },
  "an event": {
    event:
      '| Event | When | Payload |\n|---|---|---|\n| made | Invoice created | Totals |\n\n### Shape: Totals of Invoice\n\n```cel\n{"all": Invoice.count(i, true)}\n```',
  },
};

const narrowed: Readonly<Record<string, Parameters<typeof documentWith>[0]>> = {
  "to what Visible says": answer(
    "- Returns: 200 `Invoice.filter(i, i.company == caller.company).sum(i, i.total)`",
  ),
  "in the macro itself": answer(
    '- Returns: 200 `Invoice.count(i, caller.company == i.company && i.total > decimal("1"))`',
  ),
  "to all, by the author's words": answer("- Returns: 200 `Invoice.filter(i, true).sum(i, i.total)`"),
  "to a record at hand": { field: "| others | integer | = `Invoice.count(i, i.company == this.company)` |" },
  "to a record of the path": {
    endpoint:
      "### /companies/{company}\n\n- Is: Company\n\n### GET /companies/{company}/sum\n\n- Does: answer\n- Returns: 200 `Invoice.filter(i, i.company == company).sum(i, i.total)`",
  },
  "to the variable around": answer(
    "- Returns: 200 `Company.filter(c, c == caller.company).map(c, Invoice.count(i, i.company == c))`",
  ),
  "to those of a condition of its own": answer(
    "- Returns: 200 `Invoice.count(i, User.exists(u, u == caller && u.company == i.company))`",
  ),
  "in a condition, to one that was named": answer(
    "- Fails: no when `Invoice.exists(i, i.number == query.q)`\n- Returns: 204 nothing",
  ),
  "in a Let that only conditions read": answer(
    "- Let: found = `Invoice.first(i, i.number == query.q)`\n- Fails: no when `found == null`\n- Returns: 204 nothing",
  ),
  "by Allowed, to those who see all": {
    visible: 'this.company == caller.company || caller.role == "admin"',
    ...answer('- Allowed: `caller.role == "admin"`\n- Returns: 200 `Invoice.sum(i, i.total)`'),
  },
  "by a Visible without a record": {
    visible: 'this.status == "open" || this.company == caller.company',
    ...answer('- Returns: 200 `Invoice.count(i, i.status == "open")`'),
  },
  "by a Visible that compares with the time": {
    visible: "this.due < now || this.company == caller.company",
    field: "| due | timestamp | |",
    ...answer("- Returns: 200 `Invoice.count(i, i.due < now)`"),
  },
  "in an effect, which sees all": answer(
    '- Effect: `update Invoice where this.total > decimal("9") set status = "much"`\n- Returns: 204 nothing',
  ),
};

for (const [what, parts] of Object.entries(everyInvoice))
  test(`every Invoice is read past Visible: ${what}`, () => {
    assert.equal(warnings(documentWith(parts)), 1);
  });

for (const [what, parts] of Object.entries(narrowed))
  test(`a collection is narrowed: ${what}`, () => {
    assert.equal(warnings(documentWith(parts)), 0);
  });
