/**
 * Order of webhooks: where the document says `in order`, `verify` reports webhooks about one record
 * that overtake each other, and another method of their requests.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import type { Outbound } from "../../src/engine/outbound/outbound.ts";
import type { Model } from "../../src/model/model.ts";
import { type StudyOptions, study } from "./study.ts";

type Send = Outbound["request"];

const text = `# Interface Specification: Orders

## What the service does

- Purpose: takes orders.

## Resources and their fields

### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |

### Order

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required, length 1..40 |
| status | state | |

## States and transitions

### Order

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| pay | open | paid | immediately |

## Endpoints

- Allowed: anyone

### POST /hooks

- Does: create Hook
- Body: url
- Returns: 201 Hook

### POST /orders

- Does: create Order
- Body: title
- Returns: 201 Order

## Authentication

- Scheme: none

## Events

- Webhooks: to Hook.url
- Deliveries: in order
- Retries: 1 minute, 1 hour

| Event | When | Payload |
|---|---|---|
| order.created | Order created | \`{"type": event.type, "title": this.title}\` |
| order.paid | Order becomes paid | \`{"type": event.type, "title": this.title}\` |
`;

/** The first difference of a service that sends its webhooks so. */
async function differences(
  sending: (send: Send) => Send,
  served: (model: Model) => Model = (model) => model,
): Promise<string | undefined> {
  const { model, diagnostics } = compile(text, { file: "orders.md" });
  assert.ok(model, JSON.stringify(diagnostics));
  const subject = { file: "orders.md", model, given: [], handlers: undefined };
  const options: Omit<StudyOptions, "each"> = { requests: 60, seed: 1, webhookMs: 20_000 };
  const fault = await study(subject, { needs: "webhooks", served: () => served(model), sending }, options);
  const [first] = fault?.differences ?? [];
  return first && `${first.what}: ${first.expected}, not ${first.actual}`;
}

test("webhooks in their order hold, also while a rejected one is sent again", async () => {
  assert.equal(await differences((send) => send), undefined);
});

test("a webhook that overtakes another one about its record is found", async () => {
  const inAnyOrder = (model: Model): Model => {
    const { deliveriesInOrder: _inOrder, ...events } = model.events;
    return { ...model, events };
  };
  const overtaking = (send: Send): Send => {
    let overtakes: () => void = () => {};
    return async (request) => {
      if (String(request.body).includes("order.paid")) {
        const response = await send(request);
        overtakes();
        return response;
      }
      await new Promise<void>((resolve) => (overtakes = resolve));
      return send(request);
    };
  };
  const found = await differences(overtaking, inAnyOrder);
  assert.equal(found, "webhook order.paid order: after order.created, not before order.created");
});

test("a webhook that is sent by another method is found", async () => {
  const found = await differences((send) => (request) => send({ ...request, method: "PUT" }));
  assert.equal(found, "webhook order.created method: POST, not PUT");
});
