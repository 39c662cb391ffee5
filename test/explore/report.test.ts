/** The report of `verify`: what no request reached is never a row that holds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createReference } from "../../src/explore/comparison/implementation.ts";
import { reportRows } from "../../src/explore/report.ts";
import { verify } from "../../src/explore/verify.ts";

const text = `# Interface Specification: Orders

## What the service does

- Purpose: shows orders.

## Resources and their fields

### Order

- Identifier: id, made by \`random(8)\`

| Field | Type | Rules |
|---|---|---|
| title | string | required, unique, length 1..20 |

## Endpoints

- Allowed: anyone

### GET /orders/{id}

- Does: read Order
- Returns: 200 Order

### PATCH /orders/{id}

- Does: update Order
- Body: title?
- Returns: 200 Order

### GET /orders

- Does: list Order
- Returns: 200 list of Order

## Authentication

- Scheme: none

## Errors

- Payload shape: \`{"code": error.code}\`

| Code | Status | When |
|---|---|---|
| missing | 404 | not found |
| taken | 409 | duplicate |
`;

test("an endpoint that only answered 404, and a rule that rejected nothing, are not observable", async () => {
  const { model } = compile(text, { file: "orders.md" });
  assert.ok(model);
  const service = await createReference(model, { given: [] });
  const bounds = { requestsMax: 120, timeMsMax: 60_000, faultsMax: 1 };
  const verification = await verify({ model, service, given: [], seed: 1, ...bounds });
  await service.close();
  const rows = reportRows(model, verification);
  const verdictsOf = (item: string) =>
    new Set(rows.filter((row) => row.item.startsWith(item)).map(({ verdict }) => verdict));
  assert.deepEqual([...verdictsOf("GET /orders/{id}")], ["not observable"]);
  assert.deepEqual([...verdictsOf("unique: Order.title")], ["not observable"]);
  assert.deepEqual([...verdictsOf("error: taken")], ["not observable"]);
  assert.deepEqual([...verdictsOf("GET /orders: access")], ["holds"]);
});
