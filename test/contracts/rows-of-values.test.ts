/**
 * Error rows for values (part 7): a row about a field of a value applies wherever the value is
 * embedded. A row about a transition applies to a caller who may not fire it, too.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bareErrors, serveDocument, smallDocument } from "./serve-document.ts";

const resources = `### Amount

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| value | string | required, length 1..3 |
| unit | string | length 1..3 |

### Deep

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| amount | Amount | |

### Order

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| amount | Amount | |
| deep | Deep | |
| units | list of Amount | default \`[]\` |
| tip | Amount | |
| status | state | |`;

const document = smallDocument({
  resources,
  states: `### Order

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | shut | call |`,
  endpoints: `### POST /orders

- Does: create Order
- Body: amount?, deep?, units?, tip?
- Returns: 201 nothing

### POST /orders/{id}/close

- Does: close Order
- Allowed: \`headers["x-key"] == "k"\`
- Returns: 204 nothing`,
  errors: bareErrors(`| of_value | 422 | invalid field of Amount.value | |
| of_amount | 422 | invalid field of Amount | |
| of_tip | 422 | invalid field of Order.tip.value | |
| other | 422 | invalid field | |
| not_yours | 403 | forbidden of close | |`),
});

test("a row of a value's field applies wherever the value is embedded, and a row of the resource's own field precedes it", async () => {
  const { send, close } = await serveDocument(document);
  try {
    const codeOf = async (body: unknown) => (await send("POST", "/orders", { body })).json;
    const wrong = { value: "1.234" };
    assert.equal(await codeOf({ amount: wrong }), "of_value");
    assert.equal(await codeOf({ units: [{ value: "1" }, wrong] }), "of_value");
    assert.equal(await codeOf({ deep: { amount: wrong } }), "of_value");
    assert.equal(await codeOf({ tip: wrong }), "of_tip");
    assert.equal(await codeOf({ amount: { value: "1", unit: "long" } }), "of_amount");
    assert.equal(await codeOf({ amount: 5 }), "other");
    assert.equal((await send("POST", "/orders", { body: { amount: { value: "1" } } })).status, 201);
    assert.equal((await send("POST", "/orders/1/close")).json, "not_yours");
  } finally {
    await close();
  }
});
